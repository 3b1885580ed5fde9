#!/usr/bin/env bash
# What only a process of its own shows: closed and full outputs, signals, limits. process_test.sh HEIST
set -uo pipefail
heist=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
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

"$heist" list >&- 2>"$folder/err"
code=$?
expect 1 1 "cannot write the output" "closed standard output"

"$heist" run mandelbrot --width 20 --height 20 --repeat 1 --output "$folder/set.png" >&- 2>"$folder/err"
code=$?
expect 1 1 "cannot write the output" "closed standard output beside a file"
[ "$(head -c 4 "$folder/set.png" | tail -c 3)" = PNG ] || fail "text went into the picture"

"$heist" info >/dev/full 2>"$folder/err"
code=$?
expect 1 1 "No space left on device" "full standard output"

# The reader is gone before the first row: the writer must say so and not die of SIGPIPE.
{
  sleep 0.3
  "$heist" list 2>"$folder/err"
  echo $? >"$folder/code"
} | true
code=$(cat "$folder/code")
expect 1 1 "Broken pipe" "closed pipe"

"$heist" list >/dev/null 2>&-
code=$?
: >"$folder/err"
expect 0 0 "" "closed standard error"

# Rows that are finished stay; the rest is cut off. The first row of all is there in no time.
: >"$folder/out"
"$heist" run all --repeat 1 >"$folder/out" 2>"$folder/err" &
pid=$!
for _ in $(seq 600); do
  [ "$(wc -l <"$folder/out")" -ge 2 ] && break
  sleep 0.05
done
kill -INT $pid
wait $pid
code=$?
# A shell without job control starts its background commands with SIGINT ignored, but the command
# sets a handler of its own.
expect 130 0 "" "SIGINT"
grep -q '^fib ' "$folder/out" || fail "the finished row is gone"

# More than the address space allows is refused before it is allocated. A sanitizer needs terabytes.
if [ "${HEIST_TEST_SANITIZED:-0}" = 0 ]; then
  (
    ulimit -v 1000000
    "$heist" run quicksort --size 100000000 --workers 1 >"$folder/out" 2>"$folder/err"
  )
  code=$?
  expect 1 1 "quicksort --size 100000000 needs 1.5 GiB of memory" "limited address space"
fi

if command -v python3 >/dev/null; then
  for arguments in "list --json" "info --json" "run fib --n 10 --json" "run wordcount --size 1000 --json"; do
    # shellcheck disable=SC2086 # words
    "$heist" $arguments 2>"$folder/err" |
      python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]' 2>>"$folder/err"
    code=$?
    expect 0 0 "" "JSON of $arguments"
  done
fi

[ $failures = 0 ] && echo "all passed"
exit $((failures > 0))
