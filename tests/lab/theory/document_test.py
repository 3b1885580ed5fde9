"""Runs the commands that docs/lab.md shows in blocks of the kind console, looks for each line that it shows of their output, and compares the pictures.

document_test.py HEIST DOCUMENT FOLDER [--all] [--update]: FOLDER is where the commands run. Commands behind a line
<!-- takes seconds --> are left out without --all. --update writes the pictures anew, with all that they show.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"(?P<slow>^<!-- takes seconds -->\n\n)?^```console\n(?P<body>.*?)^```\n", re.MULTILINE | re.DOTALL)
EXPERIMENT = re.compile(r"^### (\d+)\. (.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"!\[[^\]]+\]\(pictures/([^)]+)\)")


def commands_of(text):
    """What is shown: (command, lines of output, whether it takes long)."""
    for block in BLOCK.finditer(text):
        for part in re.split(r"^\$ ", block["body"], flags=re.MULTILINE)[1:]:
            command, *shown = [line.strip() for line in part.splitlines()]
            yield command, [line for line in shown if line], block["slow"] is not None


def run(heist, command, folder, files):
    """What the command prints; the files that it writes go to another folder. Also their names, of pictures."""
    name, *arguments = shlex.split(command)
    assert name == "heist", command
    pictures = []
    for option in ("--svg", "--html"):
        if option in arguments:
            at = arguments.index(option) + 1
            if option == "--svg":
                pictures.append(arguments[at])
            arguments[at] = os.path.join(files, arguments[at])
    result = subprocess.run([heist] + arguments, cwd=folder, capture_output=True, text=True, check=False)
    return {line.strip() for line in (result.stdout + result.stderr).splitlines()}, pictures


def same_bytes(first, second):
    with open(first, "rb") as a:
        if not os.path.exists(second):
            return False
        with open(second, "rb") as b:
            return a.read() == b.read()


def main(heist, document, folder, *options):
    heist = os.path.abspath(heist)
    pictures = os.path.join(os.path.dirname(os.path.abspath(document)), "pictures")
    with open(document, encoding="utf-8") as file:
        text = file.read()
    wrong = []
    ran = 0
    commands = list(commands_of(text))
    with tempfile.TemporaryDirectory() as files:
        for command, shown, slow in commands:
            if slow and "--all" not in options and "--update" not in options:
                continue
            printed, written = run(heist, command, folder, files)
            ran += 1
            wrong += [f"{command}\n  doesn't print\n  {line}" for line in shown if line not in printed]
            for name in written:
                made, kept = os.path.join(files, name), os.path.join(pictures, name)
                if not os.path.exists(made):
                    wrong.append(f"{command}\n  doesn't write {name}")
                elif "--update" in options:
                    shutil.copyfile(made, kept)
                elif not same_bytes(made, kept):
                    wrong.append(f"{command}\n  doesn't write what docs/pictures/{name} is")
    made = {word for command, _, _ in commands for word in shlex.split(command) if word.endswith(".svg")}
    wrong += [f"pictures/{name}: no command here makes it" for name in PICTURE.findall(text) if name not in made]
    experiments = EXPERIMENT.findall(text)
    if len(experiments) < 10 or [number for number, _ in experiments] != [str(i + 1) for i in range(len(experiments))]:
        wrong.append("there aren't ten experiments or more, numbered in order")
    wrong += [f"experiment {number} shows no command" for number, body in experiments if "\n$ heist" not in body]
    for what in wrong:
        print(what)
    print(f"{ran} of {len(commands)} commands, {len(wrong)} faults")
    return 0 if ran >= 10 and not wrong else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
