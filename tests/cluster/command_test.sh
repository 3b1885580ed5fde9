#!/usr/bin/env bash
# heist-cluster under a real MPI: command_test.sh counts|faults|bad_input HEIST_CLUSTER LAUNCHER...
set -uo pipefail
part=$1 heist=$2
shift 2
launcher=("$@")
scratch=$(mktemp -d)
journal=$scratch/journal/heist.journal
mkdir "$scratch/journal"
failures=0

fail() {
  echo "FAILED: $*"
  sed 's/^/    | /' "$scratch/out" "$scratch/err" 2>/dev/null
  failures=$((failures + 1))
}

command -v pgrep >/dev/null || { echo "no pgrep (Debian: procps)"; exit 1; }
left_behind() { pgrep -f "^$heist" || true; }

finish() {
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ -n "$(left_behind)" ] || break
    sleep 0.2
  done
  local left
  left=$(left_behind)
  if [ -n "$left" ]; then
    echo "FAILED: these processes were left behind: $left"
    failures=$((failures + 1))
    # shellcheck disable=SC2086 # numbers
    kill -9 $left
  fi
  rm -rf "$scratch"
  [ "$failures" -eq 0 ] || exit 1
}

# ranks N argument... runs the command; its exit status is in $status.
ranks() {
  local n=$1
  shift
  timeout -k 5 150 "${launcher[@]}" -n "$n" "$heist" "$@" >"$scratch/out" 2>"$scratch/err"
  status=$?
}

# expect WHAT STATUS LINE: that exit status, and that line of output.
expect() {
  [ "$status" -eq "$2" ] || fail "$1: exit status $status, not $2"
  grep -qxF -- "$3" "$scratch/out" || fail "$1: no line '$3'"
}

# complains WHAT PATTERN: it failed, with one line of heist's, which matches.
complains() {
  [ "$status" -ne 0 ] || fail "$1: exit status 0"
  local lines
  lines=$(grep -c '^heist: ' "$scratch/err")
  [ "$lines" -eq 1 ] || fail "$1: $lines lines of heist's, not 1"
  grep -qE "^heist: $2" "$scratch/err" || fail "$1: no line 'heist: $2'"
}

readonly t1="uts T1: 4130071 nodes, 3305118 leaves, depth 10"
readonly t3="uts T3: 4112897 nodes, 3599034 leaves, depth 1572"
readonly t1l="uts T1L: 102181082 nodes, 81746377 leaves, depth 13"

counts() {
  "$heist" uts --tree T1 --workers 1 >"$scratch/out" 2>"$scratch/err"
  status=$?
  expect "without a launcher" 0 "$t1"
  for n in 1 2 3 4; do
    ranks "$n" uts --tree T1
    expect "T1 on $n ranks" 0 "$t1"
    ranks "$n" uts --tree T3
    expect "T3 on $n ranks" 0 "$t3"
  done
  ranks 8 uts --tree T3 --silence 0
  expect "T3 on 8 ranks" 0 "$t3"
  ranks 2 uts --tree T1 --workers 2
  expect "T1 on 2 ranks with 2 workers" 0 "$t1"
  ranks 3 nqueens --n 13
  expect "nqueens" 0 "nqueens 13: 73712 boards"
  ranks 3 knapsack --items 26
  [ "$status" -eq 0 ] || fail "knapsack: exit status $status"

  # 3 MB in three files, one of them empty; words lie across the borders of blocks.
  : >"$scratch/empty"
  for i in $(seq 1 20000); do echo "some words of line $i, and a longer-one"; done >"$scratch/a"
  head -c 1200000 /dev/zero | tr '\0' 'x' | fold -w 997 >"$scratch/b"
  "$heist" wordcount --workers 1 "$scratch/a" "$scratch/empty" "$scratch/b" >"$scratch/alone"
  ranks 3 wordcount "$scratch/a" "$scratch/empty" "$scratch/b"
  expect "wordcount" 0 "$(head -n 1 "$scratch/alone")"
  local words
  words=$(cat "$scratch/a" "$scratch/b" | tr -cs '[:alnum:]' '\n' | grep -c .)
  grep -q "^wordcount: $words words" "$scratch/out" || fail "wordcount: not $words words"
}

# Tells one writing of the journal from another; empty without a journal.
journal_now() { stat -c '%i %y' "$journal" 2>/dev/null; }

# start N argument... runs the command in the background.
start() {
  local n=$1
  shift
  journal_before=$(journal_now)
  timeout -k 5 150 "${launcher[@]}" -n "$n" "$heist" "$@" >"$scratch/out" 2>"$scratch/err" &
  started=$!
}

process_of_rank() {
  local each
  for each in $(left_behind); do
    tr '\0' '\n' <"/proc/$each/environ" | grep -qxE "(OMPI_COMM_WORLD_RANK|PMI_RANK)=$1" && echo "$each"
  done
}

# Waits until the command that was started has written a journal.
await_journal() {
  local now
  for _ in $(seq 1 400); do
    now=$(journal_now)
    if [ -n "$now" ] && [ "$now" != "$journal_before" ]; then
      return
    fi
    sleep 0.05
  done
  fail "no journal was written"
}

# disturb SIGNAL RANK SECONDS: the job must end within that time.
disturb() {
  local victim before
  victim=$(process_of_rank "$2")
  [ -n "$victim" ] || fail "no process of rank $2"
  before=$SECONDS
  kill "-$1" "$victim"
  wait "$started"
  status=$?
  [ $((SECONDS - before)) -le "$3" ] || fail "the job ended only $((SECONDS - before)) s after signal $1"
  [ -e "$journal" ] || fail "there is no journal after signal $1"
}

# A rank is killed, one hangs, then rank 0 hangs: what is left goes on each time.
faults() {
  local options=(uts --tree T1L --checkpoint "$scratch/journal" --interval 0.2 --silence 5)
  start 4 "${options[@]}"
  await_journal
  disturb KILL 2 15
  ! grep -q nodes "$scratch/out" || fail "a result without all ranks"

  start 3 "${options[@]}" --resume
  await_journal
  disturb STOP 1 15
  complains "a rank that hangs" 'cluster: rank 1 \(.+\): nothing was heard of it for 5000 ms'

  start 3 "${options[@]}" --resume
  await_journal
  disturb STOP 0 15
  complains "rank 0 hangs" 'cluster: rank 0 \(.+\): nothing was heard of it for 5000 ms'

  ranks 2 "${options[@]}" --resume
  expect "on two ranks" 0 "$t1l"
  [ ! -e "$journal" ] || fail "the journal of a run that has ended"
}

# together ARGUMENTS -- ARGUMENTS: rank 0 and rank 1 with their own ones.
together() {
  local first=()
  while [ "$1" != -- ]; do
    first+=("$1")
    shift
  done
  shift
  timeout -k 5 60 "${launcher[@]}" -n 1 "$heist" "${first[@]}" : -n 1 "$heist" "$@" \
    >"$scratch/out" 2>"$scratch/err"
  status=$?
}

bad_input() {
  ranks 2 uts --tree T9
  complains "no such tree" "no tree 'T9'"
  ranks 2 uts --resume
  complains "resume from nowhere" '--resume needs --checkpoint DIR'
  together uts --tree T1 -- uts --tree T3
  complains "different arguments" 'cluster: rank 1 \(.+\): it runs another program, version or arguments'
  together uts --tree T1 -- uts --tree T9
  complains "a mistake on one rank" "cluster: rank 1 \\(.+\\): no tree 'T9'"
  echo "words" >"$scratch/words"
  together wordcount "$scratch/words" -- wordcount "$scratch/none"
  complains "a file that rank 1 can't read" 'cluster: rank 1 \(.+\): .*/none: No such file or directory'
  printf 'no\0text' >"$scratch/zeros"
  ranks 2 wordcount "$scratch/words" "$scratch/zeros"
  complains "no text" 'cluster: rank [01] \(.+\): .*/zeros: it has zero bytes'

  ranks 2 uts --checkpoint "$scratch/journal" --resume
  complains "no journal" "$journal: can't be read: No such file or directory"
  ranks 2 uts --checkpoint "$scratch/nowhere" --interval 0.001
  complains "no folder" ".*$scratch/nowhere.*: can't be written: No such file or directory"

  start 2 uts --tree T1L --checkpoint "$scratch/journal" --interval 0.1
  await_journal
  disturb KILL 1 15
  ranks 2 uts --tree T1 --checkpoint "$scratch/journal" --resume
  complains "another run's journal" "$journal: this is the journal of 'uts T1L', not of 'uts T1'"
  ranks 2 uts --tree T1L --checkpoint "$scratch/journal"
  complains "an unfinished run's journal" "$journal: an unfinished run's journal"
  printf 'x' | dd of="$journal" bs=1 seek=100 conv=notrunc status=none
  ranks 2 uts --tree T1L --checkpoint "$scratch/journal" --resume
  complains "a damaged journal" "$journal: the journal is damaged: its checksum differs"
  head -c 50 "$journal" >"$scratch/short" && cp "$scratch/short" "$journal"
  ranks 2 uts --tree T1L --checkpoint "$scratch/journal" --resume
  complains "a journal that was cut" "$journal: the journal is damaged"
}

case "$part" in
  counts) counts ;;
  faults) faults ;;
  bad_input) bad_input ;;
esac
finish
