"""Runs scripts/results quickly and checks its pages, two of them or all: results_test.py HEIST [--all]"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts/results"
SECONDS = 900  # a sanitizer's build is slow


def results(*arguments):
    return subprocess.run([SCRIPT, *arguments], capture_output=True, text=True, timeout=SECONDS)


def check(condition, message):
    if not condition:
        print(f"FAILED: {message}")
        sys.exit(1)


def check_rows():
    """Each row of the documents is there once, with a command and what was found."""
    rows = [row for part in json.loads((SCRIPT.parent.parent / "docs/results/rows.json").read_text()) for row in part["rows"]]
    wanted = [f"{letter}{i}" for letter, last in zip("ABCDEF", (8, 5, 8, 5, 10, 15)) for i in range(1, last + 1)]
    check([row[0] for row in rows] == wanted, f"rows: {[row[0] for row in rows]}")
    names = re.findall(r'^        "(\w+)",$', SCRIPT.read_text(), re.MULTILINE)
    for row in rows:
        check(len(row) == 4 and all(row), f"row {row[0]} lacks something")
        for page in re.findall(r"@(\w+)", row[3]):
            check(page in names, f"row {row[0]} names a page {page}")


def check_page(folder, name, cpu):
    text = (folder / f"{name}.md").read_text()
    check(re.match(rf"# {name}\n\n\*\*[^\[\]]+\.\*\*\n", text), f"{name}: no headline: {text[:400]}")
    check("Source: " in text and cpu in text and "a quick run" in text, f"{name}: {text[:2000]}")
    check(re.search(r"^heist bench .*--markdown", text, re.MULTILINE), f"{name}: no command")
    pictures = re.findall(r"!\[.*?\]\((.*?)\)", text)
    check(pictures, f"{name}: no pictures")
    for picture in pictures:
        svg = (folder / picture).read_text()
        check("</svg>" in svg and "no data" not in svg, f"{name}: {picture} shows nothing")
    return pictures


def main():
    check_rows()
    heist = sys.argv[1]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary, "results")
        stale = folder / "joins-99.svg"
        folder.mkdir()
        stale.write_text("of an earlier run")
        some = [] if "--all" in sys.argv else ["joins", "steal_size"]
        done = results("--quick", "--into", folder, "--heist", heist, *some)
        check(done.returncode == 0, f"exit code {done.returncode}: {done.stdout} {done.stderr}")
        check(not stale.exists(), "a picture that no page shows is still there")
        machine = json.loads(subprocess.run([heist, "bench", "wake", "--quick", "--json"], capture_output=True, text=True,
                                            timeout=SECONDS, check=True).stdout)["machine"]
        names = re.findall(r"^\| \[(\w+)\]\(\1\.md\) \| .+ \| .+ \| .+ \|$", (folder / "README.md").read_text(), re.MULTILINE)
        check(names, "the list of pages is empty")
        shown = [picture for name in names for picture in check_page(folder, name, machine["cpu"])]
        there = sorted(path.name for path in folder.iterdir())
        check(there == sorted(shown + [f"{name}.md" for name in names] + ["README.md"]), f"the folder holds {there}")

        for program, into, named in ((heist, folder / "README.md", "README.md"), (folder / "absent", folder, "absent")):
            refused = results("--quick", "--into", into, "--heist", program)
            check(refused.returncode == 1 and refused.stderr.count("\n") == 1 and named in refused.stderr, f"{refused}")
        refused = results("--heist", heist, "--quick", "--into", folder, "nonsense")
        check(refused.returncode == 2 and refused.stderr.count("\n") == 1 and "'nonsense'" in refused.stderr, f"{refused}")
        check(all(name in refused.stderr for name in names), f"an experiment has no page: {refused.stderr}")
    refused = results("--heist", heist, "--quick")
    check(refused.returncode == 2 and refused.stderr.count("\n") == 1 and "--into" in refused.stderr, f"{refused}")


main()
