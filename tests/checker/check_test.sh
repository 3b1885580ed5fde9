#!/usr/bin/env bash
# heist check: what it reports of tests/checker/misuse.cpp, and where. check_test.sh HEIST MISUSE
set -u
heist=$1
misuse=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

fail() {
  echo "FAILED: $*"
  sed 's/^/  | /' "$folder/err"
  failed=1
}

# reports NAME COUNT PATTERN OPTIONS...: NAME ends well, with so many lines on stderr that match.
reports() {
  local name=$1 count=$2 pattern=$3
  shift 3
  timeout 60 "$heist" check "$@" "$misuse" "$name" >"$folder/out" 2>"$folder/err" || fail "$name: exit code $?"
  local found
  found=$(grep -cE "$pattern" "$folder/err")
  [ "$found" = "$count" ] || fail "$name: $found lines match '$pattern', not $count"
}
# Each at the line of misuse.cpp where the lock was taken, and the one where it is held: once, though
# it happens three times.
place() { grep -n "$1" "$(dirname "$0")/misuse.cpp" | cut -d: -f1 | sed -n "${2}p"; }
also() {
  grep -qE "$1" "$folder/err" || fail "no line with '$1'"
}

reports fork 1 'a std::mutex .* is held across a fork:$'
also "locked at misuse.cpp:$(place 'lock_guard hold(lock)' 1) in .*fork_under_lock"
also "held at   misuse.cpp:$(place 'fork_join(\[\] { ++sum' 1) in .*fork_under_lock"
reports spawn 1 'a std::shared_mutex .* is held across a spawn:$'
also "locked at misuse.cpp:.* in .*spawn_under_lock"
reports child 1 'a std::shared_mutex .* is held across a spawn:$'
reports loop 1 'a std::mutex .* is held across a loop:$'
also "held at   misuse.cpp:$(place 'parallel_for' 1) in .*loop_under_lock"
reports wait 1 'a std::mutex .* is held by a function that waits at latch:$'
reports tried 1 'a std::mutex .* is held across a fork:$'
reports clean 0 .
reports outside 0 . --block 10ms
reports sleep 0 .
reports sleep 1 'blocked a worker for [4-9][0-9]*\.[0-9] ms:$' --block 10ms
also 'called at misuse.cpp:.* in .*sleep'
reports sleep 0 . --block 10s
reports sleep_long 1 'blocked a worker for more than' --block 10ms
reports lose_a_lock 1 'pthread_mutex_lock blocked a worker' --block 10ms
reports thread 1 'pthread_cond_wait blocked a worker' --block 10ms
reports elsewhere 0 . --block 10ms
reports starve 0 . --starve 10s
reports starve 1 'priority normal have waited for 1?[0-9][0-9] ms, and none was begun' --starve 80ms
also '1 of 1 workers run functions that neither end nor wait'
reports fork 1 'is held across a fork:$' --moves

# refuses CODE PATTERN WORDS...
refuses() {
  local code=$1 pattern=$2
  shift 2
  { "$@" >"$folder/out" 2>"$folder/err"; } 2>/dev/null # bash tells of a program that ended by a signal
  local found=$?
  [ "$found" = "$code" ] || fail "$*: exit code $found, not $code"
  grep -qE -- "$pattern" "$folder/err" || fail "$*: no '$pattern'"
}
refuses 2 'name a program' "$heist" check
refuses 2 'no option --hope' "$heist" check --hope "$misuse" fork
refuses 2 '--block takes a time, as 10ms' "$heist" check --block
refuses 2 "--block takes a number of ns, us, ms or s, from 1us to 1h, not '3x'" "$heist" check --block 3x "$misuse" clean
refuses 2 "--starve takes a number of .* not '1ms,moves'" "$heist" check --starve 1ms,moves "$misuse" clean
refuses 1 '/nowhere: No such file' "$heist" check /nowhere
# The program's own first pool refuses these.
export HEIST_CHECK
for bad in block block: block:10 block:-1ms block:0ms block:10h block:2h starve:1 hope 1,,hope; do
  HEIST_CHECK=$bad
  refuses 134 'must be 0, or any of 1, moves, locks, block:TIME' "$misuse" clean
done
HEIST_CHECK=locks
refuses 134 'need libheist-check.so: start the program by heist check' "$misuse" clean
exit $failed
