#!/usr/bin/env bash
# Compiles moves.cpp and runs it: moves_test.sh PLACE LIBRARY INCLUDES LIBRARIES -- COMPILER OPTION...
# With -shared among the options the program's code lies in a shared object.
set -euo pipefail
place=$1 library=$2 includes=$3 libraries=$4
shift 5
source=$(dirname "$0")/moves.cpp
work=$(mktemp -d "$place/moves.XXXXXX")
trap 'rm -rf "$work"' EXIT
read -ra include <<<"$includes"
read -ra more <<<"$libraries"
if [[ " $* " == *" -shared "* ]]; then
  "$@" -std=c++20 "${include[@]}" -Dmain=run_moves "$source" -Wl,--whole-archive "$library" -Wl,--no-whole-archive \
    "${more[@]}" -pthread -ldl -o "$work/libmoves.so"
  printf 'int run_moves(int, char**);\nint main(int c, char** v) { return run_moves(c, v); }\n' >"$work/main.cpp"
  "$1" "$work/main.cpp" -o "$work/moves" "$work/libmoves.so" -Wl,-rpath,"$work"
else
  "$@" -std=c++20 "${include[@]}" "$source" "$library" "${more[@]}" -pthread -ldl -o "$work/moves"
fi
"$work/moves" ${HEIST_MOVES_TABLE:+--table}
