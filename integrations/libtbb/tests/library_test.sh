#!/usr/bin/env bash
# What only a loader sees: library_test.sh HEIST LIBRARY PROGRAM COMPILER
#
# HEIST is the command, LIBRARY heist's libtbb.so.12, PROGRAM one that was linked with oneTBB's.
set -euo pipefail
heist=$1 library=$2 program=$3 compiler=$4
unset HEIST_STATS HEIST_WORKERS LD_LIBRARY_PATH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
  echo "library_test.sh: $*" >&2
  exit 1
}

# same NAME EXPECTED GOT
same() {
  [ "$2" = "$3" ] || fail "$1: expected"$'\n'"$2"$'\n'"got"$'\n'"$3"
}

# ---- The same names as the original exports, and like it without versions. Those that the original
# gets in later releases come on top.
original=$(ldd "$program" | awk '$1 == "libtbb.so.12" { print $3 }')
[ -f "$original" ] || fail "$program is not linked with libtbb.so.12"
names() { nm -D --defined-only "$1" | awk '{ print $NF }' | sort; }
later=$(printf '_ZN3tbb6detail2r1%s\n' 14execution_slotERKNS0_2d115task_arena_baseE 16current_task_ptrEv 20allocate_interleavedEmPKimm 21get_assertion_handlerEv 21set_assertion_handlerEPFvPKciS3_S3_E 22deallocate_interleavedEPvm \
  19exit_parallel_phaseEPNS0_2d115task_arena_baseEm 20enter_parallel_phaseEPNS0_2d115task_arena_baseEm \
  27get_thread_reference_vertexEPNS0_2d126wait_tree_vertex_interfaceE)
same "exported names" "$({ names "$original" && echo "$later"; } | sort -u)" "$(names "$library")"
names "$library" | grep -q '^_ZN3tbb6detail2r15spawn' || fail "nm shows no spawn"

# ---- heist tbb puts it before the original, and gives its options on.
out=$("$heist" tbb --workers 3 --stats "$program" --gtest_filter=TaskGroup.* 2>&1) || fail "$out"
grep -q 'heist-tbb: [1-9][0-9]* tasks in .* workers of the pool 3' <<<"$out" || fail "no line of statistics: $out"
for workers in -P3 --workers=3; do
  # What the environment asks for stays, where it is more than --stats.
  out=$(HEIST_STATS=timed "$heist" tbb "$workers" --stats "$program" --gtest_filter=TaskGroup.* 2>&1) || fail "$out"
  grep -q 'heist-tbb: .* workers of the pool 3' <<<"$out" || fail "$workers: $out"
  grep -q '^time of a steal' <<<"$out" || fail "HEIST_STATS=timed is lost: $out"
done
out=$(HEIST_STATS=1 "$program" --gtest_filter=TaskGroup.* 2>&1)
! grep -q heist-tbb <<<"$out" || fail "the program is linked with heist's library already"

# refused STATUS TEXT COMMAND...
refused() {
  local status=0 out
  out=$("${@:3}" 2>&1 >/dev/null) || status=$?
  [ "$status" = "$1" ] || fail "${*:3}: status $status, not $1: $out"
  same "${*:3}" "$2" "$out"
}
refused 2 "heist: tbb: name a program: heist tbb PROGRAM [ARGUMENT...]" "$heist" tbb
refused 2 "heist: tbb: no option --fast; see heist tbb --help" "$heist" tbb --fast "$program"
refused 2 "heist: tbb: --workers takes a number" "$heist" tbb --workers
refused 2 "heist: tbb: -P takes a number" "$heist" tbb -P
refused 2 "heist: tbb: --workers takes a whole number from 1 to 1024, not '0'" "$heist" tbb --workers 0 "$program"
refused 1 "heist: tbb: $folder/none: No such file or directory" "$heist" tbb "$folder/none"
refused 2 "heist-tbb: HEIST_WORKERS=many: must be a number from 1 to 1024" \
  env HEIST_WORKERS=many "$heist" tbb "$program" --gtest_filter=TaskGroup.*

# ---- A program that needs a function of a later release is refused when it is loaded, not when it
# calls it.
cat >"$folder/newer.cpp" <<'END'
namespace tbb::detail::r1 { void newer_function(int) {} }
END
cat >"$folder/needs_newer.cpp" <<'END'
#include <cstdio>
namespace tbb::detail::r1 { void newer_function(int); }
int main(int count, char**) {
  std::puts("main has begun");
  if (count > 1) tbb::detail::r1::newer_function(count);
}
END
"$compiler" -std=c++17 -shared -fPIC -Wl,-soname,libtbb.so.12 "$folder/newer.cpp" -o "$folder/libtbb.so.12"
"$compiler" -std=c++17 "$folder/needs_newer.cpp" "$folder/libtbb.so.12" -Wl,-z,lazy -o "$folder/needs_newer"
refused 127 "heist-tbb: the program needs tbb::detail::r1::newer_function(int), which oneTBB 2021.8 does not have, for which this library stands" \
  "$heist" tbb "$folder/needs_newer"

# ---- Another library of the kind in the same process is said.
"$compiler" -std=c++17 -shared -fPIC -Wl,-soname,libtbb.so.2 "$folder/newer.cpp" -o "$folder/libtbb.so.2"
out=$(LD_PRELOAD="$folder/libtbb.so.2" "$heist" tbb "$program" --gtest_filter=TaskGroup.* 2>&1) || fail "$out"
grep -q "^heist-tbb: $folder/libtbb.so.2 is loaded, too" <<<"$out" || fail "two libraries, and nothing is said: $out"
