#!/usr/bin/env bash
# Programs under HEIST_TRACE and HEIST_MONITOR, looked at from outside. observe_test.sh HEIST
set -uo pipefail
heist=$1
folder=$(mktemp -d)
child=
trap 'kill $child 2>/dev/null; rm -rf "$folder"' EXIT
failures=0

fail() {
  echo "FAILED: $*"
  sed 's/^/  stderr: /' "$folder/err"
  failures=$((failures + 1))
}

# expect CODE LINES TEXT WHAT: of the command that has just written $folder/err and ended with $code.
expect() {
  [ "$code" = "$1" ] || fail "$4: exit code $code, not $1"
  [ "$(wc -l <"$folder/err")" = "$2" ] || fail "$4: not $2 lines on standard error"
  grep -q -- "$3" "$folder/err" || [ "$2" = 0 ] || fail "$4: no '$3' on standard error"
}

# run VARIABLE=VALUE... runs a small program under them.
run() {
  env "$@" "$heist" run fib --n 18 --workers 2 --repeat 1 >"$folder/out" 2>"$folder/err"
  code=$?
}

run HEIST_TRACE="$folder/t.json"
expect 0 0 "" "a trace as JSON"
run HEIST_TRACE="$folder/t-%p.htrace"
expect 0 0 "" "a trace in the binary form"
for file in "$folder/t.json" "$folder"/t-[0-9]*.htrace; do
  "$heist" report "$file" -o "$folder/page.html" >"$folder/out" 2>"$folder/err"
  code=$?
  expect 0 0 "" "the report of $file"
  grep -q "2 workers" "$folder/out" || fail "$file: the region '2 workers' isn't in the report"
  [ -s "$folder/page.html" ] || fail "$file: no page"
done

run HEIST_TRACE="$folder/t.txt"
expect 2 1 "HEIST_TRACE=.*must be a file name that ends in .json or .htrace" "another ending"
run HEIST_TRACE="$folder/t.json" HEIST_TRACE_EVENTS=many
expect 2 1 "HEIST_TRACE_EVENTS=many: must be a number from 1024 to 16777216" "events that are no number"
run HEIST_TRACE="$folder/t.json" HEIST_TRACE_EVENTS=16
expect 2 1 "must be a number from 1024" "too few events"
# The program's result stands, and one line says that the trace is lost.
run HEIST_TRACE="$folder/none/t.json"
expect 0 1 "HEIST_TRACE: can't write .*/none/t.json: No such file" "a folder that isn't there"
grep -q "every result as in serial" "$folder/out" || fail "the program's result is gone"

# A full disk leaves an older trace as it is, and nothing beside it.
mkdir "$folder/full"
if mount -t tmpfs -o size=8k none "$folder/full" 2>/dev/null; then
  echo older >"$folder/full/t.json"
  run HEIST_TRACE="$folder/full/t.json"
  expect 0 1 "No space left on device" "a full disk"
  [ "$(cat "$folder/full/t.json")" = older ] || fail "the full disk: the older trace is gone"
  [ "$(ls "$folder/full")" = t.json ] || fail "the full disk: something stays beside the trace"
  umount "$folder/full"
fi

# A full /dev/shm is refused in one line, in a namespace that has one of its own.
if unshare --mount true 2>/dev/null; then
  HEIST_MONITOR=1 unshare --mount sh -c 'mount -t tmpfs -o size=4k none /dev/shm && exec "$0" "$@"' \
    "$heist" run fib --n 18 --workers 2 --repeat 1 >"$folder/out" 2>"$folder/err"
  code=$?
  expect 1 1 "HEIST_MONITOR: /dev/shm/.*: No space left on device" "a full /dev/shm"
fi

# A program that has more rights than its user follows none of the variables.
if [ "$(id -u)" = 0 ] && cp "$heist" "$folder/privileged" && mkdir -m 777 "$folder/open"; then
  chmod 755 "$folder"
  for rights in 755 4755; do
    chown nobody "$folder/privileged"
    chmod $rights "$folder/privileged"
    env HEIST_TRACE="$folder/open/$rights.json" HEIST_PROFILE="workspan:$folder/open/$rights.profile" \
      HEIST_STATS=1 "$folder/privileged" run fib --n 18 --workers 2 --repeat 1 \
      >"$folder/out" 2>"$folder/err"
    code=$?
    if [ $rights = 4755 ] && ! findmnt -n -o OPTIONS -T "$folder" | grep -q nosuid; then
      expect 0 0 "" "a set-user-ID program"
      [ -z "$(find "$folder/open" -name '4755*')" ] || fail "a set-user-ID program writes where its user says"
    fi
  done
  [ -s "$folder/open/755.json" ] || fail "no trace of a program with its user's rights"
fi

"$heist" top --json --once 4194305 >"$folder/out" 2>"$folder/err"
code=$?
expect 1 1 "4194305" "top of a process that isn't there"
"$heist" top --json --once $$ >"$folder/out" 2>"$folder/err"
code=$?
expect 1 1 "must be started with HEIST_MONITOR=1" "top of a process that doesn't show itself"

HEIST_MONITOR=1 "$heist" run fib --n 40 --workers 2 --repeat 9 >"$folder/out" 2>"$folder/err" &
child=$!
for _ in $(seq 100); do
  "$heist" top $child --json --once >"$folder/top" 2>"$folder/err" && grep -q '"worker"' "$folder/top" && break
  sleep 0.1
done
grep -q '"worker"' "$folder/top" || fail "top --json doesn't show the workers"
kill -TERM $child
wait $child 2>/dev/null
child=

if [ $failures = 0 ]; then
  echo "all as wanted"
else
  exit 1
fi
