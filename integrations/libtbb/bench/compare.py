#!/usr/bin/env python3
"""Times programs for oneTBB with its own library and with heist's, in turns.

    compare.py PROGRAM HEIST-LIBRARY-FOLDER [--rounds N] [--threads T] [--competitor] [NAME...]

PROGRAM is heist_tbb_bench. Each round runs each program once with either library, five times in a
process; the figures are medians over all of it. --competitor keeps one more thread busy meanwhile.
"""

import argparse
import math
import os
import statistics
import subprocess
import sys


def times(program, name, threads, library):
    environment = dict(os.environ)
    if library:
        environment["LD_LIBRARY_PATH"] = library
    else:
        environment.pop("LD_LIBRARY_PATH", None)
    command = [program, name] + ([str(threads)] if threads else [])
    done = subprocess.run(command, env=environment, check=True, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    return [float(line) for line in done.stdout.split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("library")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--competitor", action="store_true")
    given = parser.parse_intermixed_args()
    if not os.path.exists(os.path.join(given.library, "libtbb.so.12")):
        parser.error(f"{given.library} holds no libtbb.so.12")
    names = given.names or subprocess.run([given.program], check=True, text=True,
                                          stdout=subprocess.PIPE).stdout.split()
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if given.competitor else None
    try:
        print(f"{'program':14}{'oneTBB, s':>12}{'heist-tbb, s':>14}{'heist/oneTBB':>14}")
        ratios = []
        for name in names:
            original, ours = [], []
            for _ in range(given.rounds):
                original += times(given.program, name, given.threads, None)
                ours += times(given.program, name, given.threads, given.library)
            a, b = statistics.median(original), statistics.median(ours)
            ratios.append(b / a)
            print(f"{name:14}{a:12.4f}{b:14.4f}{b / a:14.2f}", flush=True)
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{'geometric mean':40}{mean:14.2f}")
    finally:
        if busy:
            busy.kill()


if __name__ == "__main__":
    main()
