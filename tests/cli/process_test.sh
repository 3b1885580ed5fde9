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

# The reader is gone before the first row: that is no error. The code is what a shell tells of a
# program that SIGPIPE ends.
{
  sleep 0.3
  "$heist" list 2>"$folder/err"
  echo $? >"$folder/code"
} | true
code=$(cat "$folder/code")
expect 141 0 "" "closed pipe"

# Likewise for a file that is one.
mkfifo "$folder/fifo"
{ sleep 0.3 && "$heist" theory bounds --dag random:20000 --save "$folder/fifo" >/dev/null 2>"$folder/err"; } &
pid=$!
head -c 1 "$folder/fifo" >/dev/null
wait $pid
code=$?
expect 141 0 "" "closed fifo"

# Some commands are programs beside heist; where one is missing, a line says how it is built.
cp "$heist" "$folder/heist"
for words in "cluster uts" "bench idle" "sim --dag fib:5" "help theory bounds" "lab forecast" "check true" "tbb true"; do
  # shellcheck disable=SC2086 # words
  "$folder/heist" $words >/dev/null 2>"$folder/err"
  code=$?
  expect 1 1 "sources scripts/build heist-" "$words without its program"
done
# It is found beside heist and in libexec, with its arguments: the name of its only command is left out.
mkdir -p "$folder/prefix/bin" "$folder/prefix/libexec/heist"
cp "$heist" "$folder/prefix/bin/heist"
printf '#!/bin/sh\necho bench "$@"\n' >"$folder/prefix/libexec/heist/heist-bench"
printf '#!/bin/sh\necho lab "$@"\n' >"$folder/prefix/bin/heist-lab"
chmod +x "$folder/prefix/libexec/heist/heist-bench" "$folder/prefix/bin/heist-lab"
for pair in "bench idle -P 2=bench idle -P 2" "help bench idle=bench idle --help" "sim --dag x=lab sim --dag x" \
  "help lab forecast=lab help lab forecast"; do
  # shellcheck disable=SC2086 # words
  found=$("$folder/prefix/bin/heist" ${pair%%=*} 2>"$folder/err")
  code=$?
  [ "$found" = "${pair#*=}" ] || code="$code, '$found'"
  expect 0 0 "" "$pair"
done
rm -r "$folder/prefix"
rm "$folder/heist"

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

# What is interrupted leaves older files as they are, makes no empty ones, and nothing stays beside
# them.
has_handler() { # of SIGINT; before that the process ignores it, as this shell's background commands do
  local caught
  caught=$(awk '/^SigCgt/ { print $2 }' "/proc/$pid/status" 2>/dev/null)
  ((0x${caught:-0} & 2))
}
has_begun_to_write() { compgen -G "$folder/files/*.part*" >/dev/null; }
interrupt() { # WHEN COMMAND...: the command, as soon as WHEN is true
  local when=$1
  shift
  mkdir "$folder/files"
  echo older >"$folder/files/old"
  for file in old new; do
    "$heist" "$@" "$folder/files/$file" >"$folder/out" 2>"$folder/err" &
    pid=$!
    for _ in $(seq 6000); do
      if "$when" || ! kill -0 $pid 2>/dev/null; then break; fi
      sleep 0.01
    done
    [ "$when" = has_begun_to_write ] || sleep 0.3 # it computes by then, most often
    kill -INT $pid
    wait $pid
    code=$?
    expect 130 0 "" "SIGINT of $1 $2, $when"
  done
  [ "$(cat "$folder/files/old")" = older ] || fail "SIGINT of $1 $2: the older file is gone"
  [ "$(ls "$folder/files")" = old ] || fail "SIGINT of $1 $2 leaves $(ls "$folder/files")"
  rm -r "$folder/files"
}
interrupt has_handler run mandelbrot --iterations 1000000000 --output
interrupt has_handler sim --dag fib:30 --engine step -P 1..1024 --seeds 1000 --html
interrupt has_handler sim --dag fib:30 --engine step -P 1..1024 --seeds 1000 --svg
interrupt has_handler theory recycling -M 10000000 --seeds 100000 --html
interrupt has_handler lab calibrate --repeat 1000 --output
interrupt has_begun_to_write run mandelbrot --width 12000 --height 12000 --iterations 1 --repeat 1 --output

# A disk that is full leaves the older file too; here it is a limit of the file's size.
mkdir "$folder/files"
echo older >"$folder/files/old"
(
  ulimit -f 1
  "$heist" theory bounds --dag fib:20 --html "$folder/files/old" >/dev/null 2>"$folder/err"
)
code=$?
expect 1 1 "cannot write '$folder/files/old': File too large" "limited file size"
[ "$(cat "$folder/files/old")" = older ] || fail "limited file size: the older file is gone"
[ "$(ls "$folder/files")" = old ] || fail "limited file size leaves $(ls "$folder/files")"

# A replaced file keeps its mode and the links to it; the output itself may be named, whatever it
# is.
chmod 640 "$folder/files/old"
ln -s old "$folder/files/link"
"$heist" theory bounds --dag figure1 --save "$folder/files/link" >/dev/null 2>"$folder/err"
code=$?
expect 0 0 "" "a file behind a link"
[ -L "$folder/files/link" ] || fail "the link is gone"
grep -q threads "$folder/files/old" || fail "the file behind the link is not written"
[ "$(stat -c %a "$folder/files/old")" = 640 ] || fail "the mode of the file is $(stat -c %a "$folder/files/old")"
"$heist" theory bounds --dag figure1 --save /dev/stdout >"$folder/out" 2>"$folder/err"
code=$?
expect 0 0 "" "the output by name"
{ grep -q '"threads"' "$folder/out" && grep -q '^Tinf ' "$folder/out"; } || fail "the output by name lost something"

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
