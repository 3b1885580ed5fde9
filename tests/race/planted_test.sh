#!/bin/sh
# planted_test.sh PROGRAM: the workloads, each with the race of plant.py, and each race is found.
set -u
program=$1
found=0
failed=0
while read -r name file; do
  "$program" "$name" >"$name.out" 2>&1
  if grep -q 'heist: race: a' "$name.out" && grep -q "[ /]$file\.[ch]pp:" "$name.out"; then
    found=$((found + 1))
    rm "$name.out"
  else
    echo "planted_test: no race in $file was found of $name: $(head -c 500 "$name.out")"
    failed=1
  fi
done <<END
$(python3 -B "$(dirname "$0")/plant.py" --names)
END
echo "planted_test: $found races found"
[ "$failed" = 0 ]
