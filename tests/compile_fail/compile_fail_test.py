#!/usr/bin/env python3
"""Compiles wrong programs, and fails unless the compiler refuses each with the sentence it deserves.

    compile_fail_test.py --compiler CXX --include DIR... [--self-test] [NAME ...]

The programs and their sentences are in cases.txt. The error output of each may have at most 15
lines, those that say who includes whom among them; the line that says how many errors there were
doesn't count, nor do lines about the prelude, which a program doesn't have. right.cpp, which has programs of the same shapes, must compile. With --self-test the
checks are held against programs that they must not accept. The exit status is 0 or 1.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
MOST_LINES = 15
PLANTED = [
    ("right", "heist:", "heist::parallel_for(0, 10, [](int) {});"),
    ("other_sentence", "no such sentence", "heist::parallel_for(0, 10, [] {});"),
    ("long_output", "no matching function", "struct s { void operator()(std::string, int); }; "
     "s()(1); s()(2); s()(3); s()(4);"),
]


def cases():
    for line in (HERE / "cases.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            yield tuple(part.strip() for part in line.split(" | ", 2))


class compiler:
    """Compiles with the prelude precompiled in a folder of its own."""

    def __init__(self, command, include, folder):
        self.folder = pathlib.Path(folder)
        self.flags = [command, "-std=c++20", "-fsyntax-only", f"-I{HERE}", *(f"-I{i}" for i in include)]
        clang = "clang" in subprocess.run([command, "--version"], capture_output=True, text=True).stdout
        header = self.folder / "prelude.hpp"
        header.write_text('#include "%s"\n' % (HERE / "prelude.hpp"))
        made = self.folder / ("prelude.pch" if clang else "prelude.hpp.gch")
        flags = [f for f in self.flags if f != "-fsyntax-only"]
        subprocess.run([*flags, "-x", "c++-header", str(header), "-o", str(made)], check=True)
        self.flags += ["-include-pch", str(made)] if clang else ["-include", str(header)]

    def errors(self, statements):
        program = ("void wrong([[maybe_unused]] heist::pool& p, [[maybe_unused]] std::vector<int>& v,\n"
                   "           [[maybe_unused]] std::list<int>& l, [[maybe_unused]] std::vector<long>& out) {\n"
                   f"  {statements}\n}}\n")
        done = subprocess.run([*self.flags, "-x", "c++", "-"], input=program, capture_output=True, text=True,
                              env={**os.environ, "LC_ALL": "C"})
        lines = [line for line in done.stderr.splitlines() if not line.endswith("generated.") and "prelude.hpp:" not in line]
        return done.returncode != 0, lines

    def complaint(self, case):
        """What is wrong with the refusal of a case; empty if nothing."""
        name, sentence, statements = case
        refused, lines = self.errors(statements)
        if not refused:
            return f"{name}: the program compiles"
        if not any(sentence in line for line in lines if "error" in line or "demand(" in line):
            return f"{name}: nothing says \"{sentence}\":\n" + "\n".join(lines[:40])
        if len(lines) > MOST_LINES:
            return f"{name}: {len(lines)} lines, at most {MOST_LINES}:\n" + "\n".join(lines[:40])
        return ""

    def complaints(self, some):
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
            found = []
            for complaint in threads.map(self.complaint, some):
                if complaint:
                    print(complaint, flush=True)
                    found.append(complaint)
            return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", nargs="+", required=True, help="folders of headers")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--only", nargs="+", help="cases")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        compile_with = compiler(args.compiler, args.include, folder)
        if args.self_test:
            found = compile_with.complaints(PLANTED)
            sys.exit(0 if len(found) == len(PLANTED) else 1)
        some = [c for c in cases() if not args.only or c[0] in args.only]
        found = compile_with.complaints(some)
        right = subprocess.run([*compile_with.flags, str(HERE / "right.cpp")], capture_output=True, text=True)
        if right.returncode != 0:
            print("right.cpp doesn't compile:\n" + right.stderr[:4000])
            found.append("right.cpp")
    print(f"{args.compiler}: {len(some)} wrong programs, {len(found)} complaints")
    sys.exit(1 if found or not some else 0)


main()
