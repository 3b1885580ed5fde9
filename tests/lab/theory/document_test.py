"""Runs the commands that docs/lab.md shows and looks for each line that it shows of their output.

document_test.py HEIST DOCUMENT FOLDER [--all]: FOLDER is where the commands run. Commands behind a line
<!-- takes seconds --> are left out without --all.
"""

import re
import shlex
import subprocess
import sys

BLOCK = re.compile(r"(?P<slow>^<!-- takes seconds -->\n\n)?(?P<body>(?:^    .*\n|^\n(?=    ))+)", re.MULTILINE)


def commands_of(text):
    """What is shown: (command, lines of output, whether it takes long)."""
    for block in BLOCK.finditer(text):
        for part in re.split(r"^    \$ ", block["body"], flags=re.MULTILINE)[1:]:
            command, *shown = [line.strip() for line in part.splitlines()]
            yield command, [line for line in shown if line], block["slow"] is not None


def main(heist, document, folder, *options):
    with open(document, encoding="utf-8") as file:
        commands = list(commands_of(file.read()))
    ran = missing = 0
    for command, shown, slow in commands:
        if slow and "--all" not in options:
            continue
        name, *arguments = shlex.split(command)
        assert name == "heist", command
        # Not the files that a reader would want to keep.
        for option in ("--svg", "--html"):
            if option in arguments:
                at = arguments.index(option)
                del arguments[at:at + 2]
        result = subprocess.run([heist] + arguments, cwd=folder, capture_output=True, text=True, check=False)
        printed = {line.strip() for line in (result.stdout + result.stderr).splitlines()}
        ran += 1
        for line in shown:
            if line not in printed:
                missing += 1
                print(f"{command}\n  doesn't print\n  {line}")
    print(f"{ran} of {len(commands)} commands, {missing} lines missing")
    return 0 if ran >= 10 and missing == 0 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
