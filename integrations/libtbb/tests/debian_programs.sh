#!/usr/bin/env bash
# Programs of Debian that are linked with oneTBB, on its own library and on heist's: the results
# must be equal. debian_programs.sh HEIST
#
# Packages: flexbar mathicgb salmon libopenvdb-tools embree-tools. What isn't installed is a
# failure.
set -euo pipefail
heist=$(realpath "$1")
unset HEIST_STATS LD_LIBRARY_PATH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

python3 - <<'END'
import random
random.seed(1)
letters = lambda n: "".join(random.choice("ACGT") for _ in range(n))
adapter = "ACGTTGCAAGGCTT"
with open("reads.fq", "w") as file:
    for i in range(40000):
        text = letters(random.randint(40, 100)) + (adapter if i % 2 else "")
        file.write(f"@r{i}\n{text}\n+\n{'I' * len(text)}\n")
with open("adapter.fa", "w") as file:
    file.write(f">a\n{adapter}\n")
transcripts = [letters(2000) for _ in range(200)]
with open("transcripts.fa", "w") as file:
    file.writelines(f">t{i}\n{text}\n" for i, text in enumerate(transcripts))
with open("rna.fq", "w") as file:
    for i in range(50000):
        at = random.randint(0, 1900)
        file.write(f"@r{i}\n{random.choice(transcripts)[at:at + 80]}\n+\n{'I' * 80}\n")
END
cat >cyclic.ideal <<'END'
101 6
1 1 1 1 1 1 1
6
a+b+c+d+e+f
ab+bc+cd+de+ef+fa
abc+bcd+cde+def+efa+fab
abcd+bcde+cdef+defa+efab+fabc
abcde+bcdef+cdefa+defab+efabc+fabcd
abcdef-1
END

# run NAME COMMAND...: each command leaves its result in ./result.
run() {
  local name=$1 status=0 library line
  shift
  for library in original heist; do
    rm -f result
    if [ "$library" = original ]; then
      "$@" >log 2>&1 || status=$?
    else
      HEIST_STATS=1 "$heist" tbb "$@" >log 2>&1 || status=$?
    fi
    [ "$status" = 0 ] || { cat log; echo "debian_programs.sh: $name: status $status with the $library's library" >&2; exit 1; }
    finish_"$name" >"$name.$library"
  done
  cmp "$name.original" "$name.heist" || { echo "debian_programs.sh: $name: the results differ" >&2; exit 1; }
  line=$(grep heist-tbb: log) || { echo "debian_programs.sh: $name did not load heist's library" >&2; exit 1; }
  echo "$name: equal; $line"
}

finish_flexbar() { cat trimmed.fastq; }
# The order of the polynomials, and what follows their leading terms, are different in each run with
# the original, too; the leading terms are what a Groebner basis is known by.
finish_mathicgb() { grep -oE '^ ?[^-+]*' cyclic.gb | sort; }
finish_salmon() { sort quantities/quant.sf; }
finish_openvdb() { md5sum <sphere.ply; }
# The quality of the tree, without the times.
finish_embree() { grep -o 'primitives.*sah = [0-9.]*' log | sed 's/primitives.*sah/sah/' | sort -u; }

salmon index -t transcripts.fa -i index -p 2 >log 2>&1 || { cat log; exit 1; }
run flexbar flexbar -r reads.fq -a adapter.fa -n 4 -t trimmed
run mathicgb mgb gb cyclic -reducer 26 -outputResult on
run salmon salmon quant -i index -l U -r rna.fq -p 2 -o quantities
run openvdb vdb_tool -sphere dim=256 -ls2mesh -write sphere.ply
run embree bvh_builder
