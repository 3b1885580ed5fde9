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

# The pool on which a profile measures its costs isn't one of the program's.
run HEIST_TRACE="$folder/both.htrace" HEIST_PROFILE="workspan:$folder/both.json"
expect 0 0 "" "a trace beside a profile"
"$heist" report "$folder/both.htrace" --profile "$folder/both.json" >"$folder/out" 2>"$folder/err"
grep -q "measures/0" "$folder/out" && fail "the pool that measures is in the trace"

run HEIST_TRACE="$folder/t.txt"
expect 2 1 "HEIST_TRACE=.*must be a file name that ends in .json or .htrace" "another ending"
run HEIST_TRACE="$folder/t.json" HEIST_TRACE_EVENTS=many
expect 2 1 "HEIST_TRACE_EVENTS=many: must be a number from 1024 to 16777216" "events that are no number"
run HEIST_TRACE="$folder/t.json" HEIST_TRACE_MEMORY=2
expect 2 1 "HEIST_TRACE_MEMORY=2: must be 0 or 1" "a flag that is none"
run HEIST_TRACE="$folder/m.htrace" HEIST_TRACE_MEMORY=1
expect 0 0 "" "a trace in memory"
run HEIST_TRACE="$folder/t.json" HEIST_TRACE_EVENTS=16
expect 2 1 "must be a number from 1024" "too few events"
# The program's result stands, and one line says that the trace is lost.
run HEIST_TRACE="$folder/none/t.json"
expect 0 1 "HEIST_TRACE: can't write .*/none/t.json: No such file" "a folder that isn't there"
grep -q "every result as in serial" "$folder/out" || fail "the program's result is gone"

# A full disk ends the trace, and not the program; what was recorded until then can be read.
mkdir "$folder/full"
if mount -t tmpfs -o size=16k none "$folder/full" 2>/dev/null; then
  run HEIST_TRACE="$folder/full/t.htrace"
  expect 0 1 "t.htrace ends here, and the program goes on: No space left on device" "a full disk"
  grep -q "every result as in serial" "$folder/out" || fail "the full disk: the program's result is gone"
  "$heist" report "$folder/full/t.htrace" >"$folder/out" 2>"$folder/err" ||
    fail "the full disk: no report of what is left"
  grep -q "The disk was full before the program ended" "$folder/out" ||
    fail "the full disk: the report doesn't say that it was full"
  umount "$folder/full"
fi
# So does the limit of a file's size, beyond which the system would send a signal.
(
  ulimit -f 20
  HEIST_TRACE="$folder/limited.htrace" exec "$heist" run fib --n 18 --workers 2 --repeat 1
) >"$folder/out" 2>"$folder/err"
code=$?
expect 0 1 "limited.htrace ends here, and the program goes on: File too large" "a limit of the file's size"

# JSON is made at the end: an older file stays until then, and what can't be made is named.
if mount -t tmpfs -o size=32k none "$folder/full" 2>/dev/null; then
  echo older >"$folder/full/t.json"
  run HEIST_TRACE="$folder/full/t.json"
  expect 0 1 "No space left on device; the recording is in .*t.json.partial-" "a full disk, JSON"
  [ "$(cat "$folder/full/t.json")" = older ] || fail "the full disk: the older trace is gone"
  umount "$folder/full"
fi

# A program that is killed leaves its trace under another name, which the report reads.
HEIST_TRACE="$folder/killed.htrace" timeout -s KILL 0.5 "$heist" run fib --n 45 --workers 2 \
  >"$folder/out" 2>"$folder/err"
"$heist" report "$folder"/killed.htrace.partial-* >"$folder/out" 2>"$folder/err"
code=$?
expect 0 0 "" "the report of a killed program's trace"
grep -q "The recording has no end" "$folder/out" || fail "killed: the report doesn't say so"
"$heist" report "$folder/killed.htrace" >"$folder/out" 2>"$folder/err"
code=$?
expect 1 1 "killed.htrace.partial-[0-9]*, which has no end, is there" "a name that only has an unfinished trace"

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

# Statistics for scripts: an object for each pool, a line each.
run HEIST_STATS="json:$folder/s-%p.json"
expect 0 0 "" "statistics as JSON"
run HEIST_STATS="timed,json:$folder/timed.json"
expect 0 0 "" "statistics as JSON, with times"
cat "$folder"/s-[0-9]*.json "$folder/timed.json" | /usr/bin/env python3 -c '
import json, sys
pools = [json.loads(line) for line in sys.stdin]
assert len(pools) >= 4, len(pools)
assert all(p["total"]["steals"] >= 0 and p["judgement"] and p["processor_ns"] > 0 for p in pools)
assert "histograms" not in pools[0] and pools[-1]["histograms"]["steal_ns"]["count"] >= 0
' || fail "statistics as JSON aren't what they should be"
run HEIST_STATS=json:
expect 2 1 "HEIST_STATS=json:: must be 0, 1, timed or full, and for a file json:FILE" "statistics without a file"
run HEIST_STATS=timed,jsn:s
expect 2 1 "HEIST_STATS=timed,jsn:s: must be" "statistics of another form"
run HEIST_STATS="json:$folder/none/s.json"
[ "$code" = 0 ] || fail "statistics that can't be written change the exit code"
grep -q "HEIST_STATS: can't write .*/none/s.json: No such file" "$folder/err" || fail "no word about statistics that can't be written"

# A part of a trace, and what a change did.
"$heist" report "$folder/t.json" --from 0ms --to +1s >"$folder/out" 2>"$folder/err"
code=$?
expect 0 0 "" "a part of a trace"
for bad in "--from 1" "--from -1ms" "--to 0ms" "--from 2h" "--from 100s"; do
  "$heist" report "$folder/t.json" $bad >"$folder/out" 2>"$folder/err"
  code=$?
  expect 2 1 "report: --" "a part of a trace: $bad"
done
"$heist" report "$folder/t.json" "$folder/m.htrace" >"$folder/out" 2>"$folder/err"
code=$?
expect 0 0 "" "the difference of two traces"
grep -q "^duration" "$folder/out" || fail "the difference has no duration"
"$heist" report "$folder/t.json" "$folder/m.htrace" -o "$folder/p.html" >"$folder/out" 2>"$folder/err"
code=$?
expect 2 1 "of two traces there is text or --json" "a page of two traces"

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
