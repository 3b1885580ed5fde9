#!/usr/bin/env bash
# Runs a program of the tests under a debugger or a checker: tool_test.sh gdb|valgrind PROGRAM
#
# The exit status is 77, with the reason, if this is not possible here.
set -euo pipefail
tool=$1
program=$2

skip() {
  echo "tool_test.sh: skipped: $*"
  exit 77
}
fail() {
  echo "tool_test.sh: $*" >&2
  exit 1
}

command -v "$tool" >/dev/null || skip "$tool isn't installed (scripts/setup test inspect)"

# Prints gdb's output for a run of the program after the given commands.
gdb_tells() {
  local commands=()
  for command in "$@"; do commands+=(-ex "$command"); done
  gdb -nx -batch -iex 'set debuginfod enabled off' "${commands[@]}" -ex run "$program" 2>&1 </dev/null || true
}

under_gdb() {
  local told
  unset HEIST_BARRIER
  HEIST_BARRIER=membarrier "$program" || skip "membarrier(2) is refused here, so there are signals"
  told=$(gdb_tells)
  echo "$told"
  if grep -qiE 'ptrace|during startup program|could not trace' <<<"$told"; then skip "gdb may not trace here"; fi
  if ! grep -q 'exited normally' <<<"$told" || grep -q 'received signal' <<<"$told"; then
    fail "gdb stopped, though no signal is needed"
  fi
  # With signals in place of membarrier gdb stops, unless it gets the command that the guide names.
  told=$(HEIST_BARRIER=signal gdb_tells)
  grep -q 'received signal SIG63' <<<"$told" || fail "no SIG63 was seen, so this test would see none: $told"
  told=$(HEIST_BARRIER=signal gdb_tells 'handle SIG63 nostop noprint pass')
  if ! grep -q 'exited normally' <<<"$told" || grep -q 'received signal' <<<"$told"; then
    fail "gdb stopped in spite of handle SIG63: $told"
  fi
}

case $tool in
  gdb) under_gdb ;;
  valgrind) valgrind -q --error-exitcode=1 "$program" ;;
  *) fail "no tool '$tool': gdb or valgrind" ;;
esac
