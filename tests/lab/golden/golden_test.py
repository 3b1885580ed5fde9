"""Runs the commands of golden files and compares what they print byte by byte.

golden_test.py HEIST [--update] [FILE...]: a golden file holds commands, `$ heist ...`, each with what it prints. --update writes
the files anew: look at the difference before it is committed. Without FILE: all of this folder.
"""

import os
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SHOWN = 3  # lines of a difference, and differences: a change of a column is everywhere


def cases(text):
    """(command, what it prints) of a golden file."""
    for part in ("\n" + text).split("\n$ ")[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed


def run(heist, command):
    name, *arguments = shlex.split(command)
    assert name == "heist", command
    result = subprocess.run([heist] + arguments, cwd=HERE, capture_output=True, text=True, check=False)
    if result.returncode != 0 or result.stderr:
        return f"exit code {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout


def difference(expected, printed):
    expected, printed = expected.splitlines(), printed.splitlines()
    lines = []
    for i in range(max(len(expected), len(printed))):
        pair = [text[i] if i < len(text) else "(no line)" for text in (expected, printed)]
        if pair[0] != pair[1]:
            lines += [f"  line {i + 1}", f"    - {pair[0]}", f"    + {pair[1]}"]
    return lines[:3 * SHOWN]


def main(heist, *arguments):
    heist = os.path.abspath(heist)
    updates = "--update" in arguments
    files = [path for path in arguments if not path.startswith("--")]
    files = files or sorted(os.path.join(HERE, name) for name in os.listdir(HERE) if name.endswith(".golden"))
    ran = different = 0
    for path in files:
        with open(path, encoding="utf-8", newline="") as file:
            all_cases = list(cases(file.read()))
        written = []
        for i, (command, expected) in enumerate(all_cases):
            # The line end before the next "$ " belongs to what was printed.
            expected += "\n" if i + 1 < len(all_cases) else ""
            printed = run(heist, command)
            ran += 1
            written.append(f"$ {command}\n{printed}")
            if printed != expected and not updates:
                different += 1
                if different <= SHOWN:
                    print(f"{os.path.basename(path)}: {command}", *difference(expected, printed), sep="\n")
        if updates:
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write("".join(written))
    print(f"{ran} commands in {len(files)} files, {different} differ")
    return 0 if ran >= len(files) > 0 and different == 0 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
