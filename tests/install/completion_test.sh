#!/usr/bin/env bash
# The completions and the man page against the help of every command: completion_test.sh HEIST PAGES
#
# Bash's completions are asked in this shell; fish's and zsh's by those shells where they are
# installed.
set -uo pipefail
heist=$1
pages=$2
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# shellcheck disable=SC1091 # made by the build
source "$pages/heist.bash"

man=$(<"$pages/heist.1")
fish=$(<"$pages/heist.fish")
zsh=$(<"$pages/_heist")

# complete_words WORD...: what bash offers for the last of these words, in order, in one line.
complete_words() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  _heist 2>/dev/null
  ((${#COMPREPLY[@]})) && printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort -u | tr '\n' ' '
}

# The names that one part of a command's help lists, in order: part HEADING COMMAND...
part() {
  local heading=$1
  awk -v heading="$heading" '
    $0 == heading { inside = 1; next }
    inside && /^[^ ]/ { exit }
    inside && /^  [^ ]/ { print }' <<<"$help"
}
options_in_help() { # those of --help's first column, which ends where the text begins
  part Options: | sed -E 's/^  //; s/(  | [A-Z]| \.\.\.).*//' | grep -oE -- '--?[A-Za-z][A-Za-z-]*' | LC_ALL=C sort -u | tr '\n' ' '
}
commands_in_help() { part Subcommands: | awk '{ print $1 }' | LC_ALL=C sort -u | tr '\n' ' '; }

# check COMMAND...: it and all below it.
asked=0
check() {
  local each offered help commands
  asked=$((asked + 1))
  [ "${1:-}" != tbb ] && [ "${1:-}" != cluster ] && [ "${1:-}" != help ] || return
  help=$("$heist" "$@" --help)
  offered=$(complete_words heist "$@" -)
  for each in $(options_in_help); do
    [[ " $offered" == *" $each "* ]] || fail "heist $* --help has $each; bash offers: $offered"
    [[ $man == *"${each//-/\\-}"* ]] || fail "the man page lacks $each of heist $*"
    [[ $each != --* || $fish == *" ${each#--}"* ]] || fail "fish lacks $each of heist $*"
    [[ $zsh == *"'$each:"* ]] || fail "zsh lacks $each of heist $*"
  done
  commands=$(commands_in_help)
  [ -n "$commands" ] || return
  offered=$(complete_words heist "$@" '')
  [ "$offered" = "$commands" ] || fail "heist $*: bash offers $offered, the help $commands"
  for each in $commands; do check "$@" "$each"; done
}
check
[ "$asked" -gt 40 ] || fail "only $asked commands were found in the help"

# expect OFFERED WORD...
expect() {
  local expected=$1 offered
  shift
  offered=$(complete_words "$@")
  [ "$offered" = "$expected" ] || fail "'$*': bash offers '$offered', not '$expected'"
}
expect 'run ' heist ru
expect 'nqueens ' heist run nq
expect 'abp ' heist run fib --deque ab
expect 'abp ' heist run fib --deque = ab
expect 'continuation ' heist run --spawn cont
expect '--steal-batch --steal-rule ' heist run --deque abp fib --steal
expect 'nqueens ' heist run --preset cilk nq
expect 'nqueens ' heist help run nq
expect 'work-stealing ' heist sim --scheduler work-st
expect '' heist run fib --n 3
expect '--workers ' heist tbb --w
[ "$(complete_words heist tbb tes | tr ' ' '\n' | grep -cx test)" = 1 ] || fail "heist tbb offers no programs"

if command -v fish >/dev/null; then
  # offered_by_fish LINE: the first column of what fish offers.
  offered_by_fish() {
    fish --no-config -c "source $pages/heist.fish; complete -C '$1'" | cut -f 1 | LC_ALL=C sort -u | tr '\n' ' '
  }
  [ "$(offered_by_fish 'heist run nq')" = 'nqueens ' ] || fail "fish: $(offered_by_fish 'heist run nq')"
  [ "$(offered_by_fish 'heist run fib --deque ab')" = 'abp ' ] || fail "fish: $(offered_by_fish 'heist run fib --deque ab')"
  [[ " $(offered_by_fish 'heist run fib --')" == *" --steal-batch "* ]] || fail "fish offers no --steal-batch"
fi
if command -v zsh >/dev/null; then
  zsh -n "$pages/_heist" || fail "zsh can't read its completions"
fi
if command -v groff >/dev/null; then
  complaints=$(groff -man -Tutf8 -ww "$pages/heist.1" 2>&1 >/dev/null)
  [ -z "$complaints" ] || fail "the man page: $complaints"
fi
for section in NAME SYNOPSIS COMMANDS ENVIRONMENT 'EXIT STATUS'; do
  grep -A 1 "^.SH $section\$" "$pages/heist.1" | tail -n 1 | grep -q . || fail "the man page says nothing under $section"
done

[ "$failures" = 0 ] && echo "$asked commands: the completions and the man page say what the help says"
exit "$failures"
