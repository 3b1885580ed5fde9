#!/bin/sh
# race_test.sh HEIST RACY_SORT SOURCES LIBHEIST: heist race as a user has it, and what it refuses.
set -eu
heist=$1 program=$2 sources=$3 library=$4
build=$(dirname "$heist")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() { echo "race_test: $*" >&2; exit 1; }
# expect CODE TEXT COMMAND...: it ends with that code, and says that on stderr or stdout.
expect() {
  code=$1 text=$2; shift 2
  found=0
  "$@" >"$folder/out" 2>&1 || found=$?
  [ "$found" = "$code" ] || fail "$*: exit code $found, not $code: $(cat "$folder/out")"
  grep -q -- "$text" "$folder/out" || fail "$*: no '$text' in: $(cat "$folder/out")"
}

expect 0 '^-\{0,1\}[0-9]' "$program"
expect 3 'function 1 of the fork at racy_sort.cpp:2[0-9]' "$program" x
expect 3 'races\{0,1\} found' "$heist" race --report "$folder/races.json" "$program" x
grep -q '"object":"byte .* of the memory that was allocated at racy_sort.cpp:3' "$folder/races.json" ||
  fail "$(cat "$folder/races.json")"
expect 0 'found' "$heist" race --exit 0 "$program" x
echo 'racy_sort.cpp' >"$folder/suppressed"
expect 0 '^-\{0,1\}[0-9]' "$heist" race --suppress "$folder/suppressed" "$program" x
! grep -q race "$folder/out" || fail "suppressed, and said: $(cat "$folder/out")"

# What can't be.
expect 2 "can't read $folder/none" "$heist" race --suppress "$folder/none" "$program"
expect 2 "HEIST_RACE: 'all'" env HEIST_RACE=all "$program"
expect 1 "can't write /no/such/file" env HEIST_RACE=report:/no/such/file "$program" x
expect 1 'no room for shadow memory' sh -c "ulimit -v 2000000; exec '$program'"
expect 2 'exit takes a whole number' "$heist" race --exit many "$program"
expect 2 'name a program' "$heist" race

# With the driver, and what isn't instrumented, or is twice.
cp "$sources/tests/race/racy_sort.cpp" "$folder"
include="-I$sources/include -I$build/include"
for compiler in g++ clang++; do
  command -v $compiler >/dev/null || continue
  "$heist" race -- $compiler -O1 $include "$folder/racy_sort.cpp" -o "$folder/sort" -L"$(dirname "$library")"
  expect 0 '^-\{0,1\}[0-9]' "$folder/sort"
  expect 3 'race' "$folder/sort" x
done
# A serial run can't go on where something later is waited for.
cat >"$folder/waits.cpp" <<END
#include <heist/heist.hpp>
#include <heist/sync/channel.hpp>
int main() {
  heist::channel<int> c(1);
  heist::fork_join([&] { static_cast<void>(c.receive()); }, [&] { static_cast<void>(c.send(1)); });
}
END
"$heist" race -- g++ -O1 $include "$folder/waits.cpp" -o "$folder/waits" -L"$(dirname "$library")"
expect 1 'a wait for what comes later .* from waits.cpp:5' "$folder/waits"

libraries="-L$build/lib -lheist-race -Wl,-rpath,$build/lib $library -ldl -pthread"
g++ -std=c++20 -DHEIST_RACE=1 $include "$folder/racy_sort.cpp" -o "$folder/plain" $libraries
expect 2 'nothing was looked at' "$folder/plain" x
g++ -std=c++20 -fsanitize=thread -DHEIST_RACE=1 $include "$folder/racy_sort.cpp" -o "$folder/twice" $libraries
expect 2 "ThreadSanitizer's own library" "$folder/twice" x
