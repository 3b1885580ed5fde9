"""Runs benchmarks quickly and checks what they print: quick_test.py HEIST NAME... [--listed] [--with=OPTION]

--with=OPTION is given to the benchmark too. With --listed it checks that these are all benchmarks, that each describes itself, and that any other
name is refused in one line.
"""
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

SECONDS = 240  # a sanitizer's build is slow


def heist(command, *arguments):
    return subprocess.run([command, *arguments], capture_output=True, text=True, timeout=SECONDS)


def check(condition, message):
    if not condition:
        print(f"FAILED: {message}")
        sys.exit(1)


def check_measure(where, measure):
    where = f"{where}, {measure['name']}"
    check(set(measure) >= {"name", "unit", "samples"}, f"{where}: incomplete")
    if measure["samples"] == 0:
        return
    values = [measure[key] for key in ("least", "median", "greatest")]
    check(all(math.isfinite(v) for v in values), f"{where}: {values}")
    check(values == sorted(values), f"{where}: the median is not between the least and the greatest: {values}")


def check_benchmark(command, name, *more):
    done = heist(command, "bench", name, "--quick", "--json", *more)
    check(done.returncode == 0, f"{name}: exit code {done.returncode}: {done.stderr}")
    check(done.stdout.count("\n") == 1, f"{name}: not one line")
    report = json.loads(done.stdout)
    check(report["benchmark"] == name and report["quick"] is True, f"{name}: {report}")
    machine = report["machine"]
    check(machine["cpu"] and machine["processors"] >= 1 and machine["compiler"] and machine["kernel"], f"{name}: {machine}")
    check(report["rows"], f"{name}: no rows")
    if more:
        marked = {row["name"].split()[1] for row in report["rows"] if row["name"].startswith("workload ")}
        check(marked == {"fib", "nqueens", "uts"}, f"{name} {more}: {marked}")
    for row in report["rows"]:
        check(row["measures"] or row["note"], f"{name}: {row['name']}: neither figures nor a reason")
        for measure in row["measures"]:
            check_measure(f"{name}: {row['name']}", measure)
    for target in report["targets"]:
        if target["measured"] is None:
            check(target["met"] is None and target["note"], f"{name}: {target}")
        else:
            below = target["measured"] <= target["limit"]
            above = target["measured"] >= target["limit"]
            check(target["met"] == (below if target["bound"] == "at most" else above), f"{name}: {target}")

    check_file(command, name, done.stdout)

    text = heist(command, "bench", name, "--quick", "--repeat", "1", *more)
    check(text.returncode == 0 and text.stderr == "", f"{name}: {text.stderr}")
    for target in report["targets"]:
        check(target["what"] in text.stdout, f"{name}: no '{target['what']}' in the table")


def check_file(command, name, written):
    """The results are read back from their file, and shown in every form."""
    with tempfile.TemporaryDirectory() as folder:
        results, page = pathlib.Path(folder, "results.json"), pathlib.Path(folder, "page.html")
        results.write_text(written)
        again = heist(command, "bench", "show", str(results), "--json", "--html", str(page))
        check(again.returncode == 0 and again.stdout == written, f"{name}: not read back as written: {again}")
        html = page.read_text()
        document = pathlib.Path(folder, "page.md")
        again = heist(command, "bench", "show", str(results), "--markdown", str(document))
        check(again.returncode == 0, f"{name}: no document: {again}")
        check_document(name, document, json.loads(written))
        check("<table>" in html and "</html>" in html and str(results) in html, f"{name}: the page: {html[:400]}")
        lines = heist(command, "bench", "show", str(results), "--csv").stdout.splitlines()
        check(len(lines) > 1 and lines[0].removeprefix("group,").startswith("row,measure,unit"), f"{name}: as CSV: {lines}")


def check_document(name, document, report):
    """It shows the machine, every row, and every picture that lies beside it."""
    text = document.read_text()
    check(report["machine"]["cpu"] in text and "heist bench show" in text, f"{name}: the document: {text[:400]}")
    check(all(row["name"] in text for row in report["rows"]), f"{name}: the document lacks a row: {text}")
    pictures = sorted(path.name for path in document.parent.glob("*.svg"))
    named = re.findall(r"\]\((.*?)\)", text)
    check(sorted(named) == pictures, f"{name}: the document shows {named}, and there are {pictures}")
    check(len(pictures) >= len(report.get("charts", [])), f"{name}: {pictures}")


def check_list(command, names):
    listed = [json.loads(line) for line in heist(command, "bench", "list", "--json").stdout.splitlines()]
    suites = [each for each in listed if "suite" in each]
    check(suites and all(each["summary"] and each["programs"] for each in suites), f"the list of suites: {suites}")
    listed = [each for each in listed if "suite" not in each]
    found = [each["name"] for each in listed]
    check(sorted(found) == sorted(names), f"listed, but not tested, or the other way round: {set(found) ^ set(names)}")
    check(all(each["summary"] and each["options"] for each in listed), f"the list: {listed}")
    check(heist(command, "bench", "list").stdout.count("\n") == len(names) + len(suites), "the list as text")


def check_refusals(command):
    for arguments, code, word in ([[], 2, "list"], [["fork_joint"], 2, "'fork_join'"], [["wake", "--samples", "0"], 2, "samples"],
                                  [["wake", "--nonsense"], 2, "nonsense"], [["list", "more"], 2, "more"],
                                  [["--json"], 2, "list"], [["show"], 2, "file"], [["show", "/nonexistent"], 1, "/nonexistent"],
                                  [["show", "/etc/passwd"], 2, "JSON"], [["show", "x", "--quick"], 2, "--quick"],
                                  [["wake", "--quick", "--html", "/nonexistent/x"], 1, "/nonexistent/x"],
                                  [["wake", "--quick", "--markdown", "/nonexistent/x.md"], 1, "/nonexistent/x.md"],
                                  [["wake", "--quick", "--markdown", "x.txt"], 2, ".md"], [["list", "--markdown", "x.md"], 2, "--markdown"],
                                  [["wake", "--quick", "--csv", "--json"], 2, "--csv"], [["wake", "--workers", "0"], 2, "workers"],
                                  [["memory", "--quick", "--probe", "/nonexistent"], 1, "/nonexistent"],
                                  [["memory", "--quick", "--probe", "/bin/false"], 1, "/bin/false"],
                                  [["multiprogrammed", "--workload", "nqueens", "--n", "40"], 2, "nqueens"]):
        done = heist(command, "bench", *arguments)
        check(done.returncode == code and done.stderr.count("\n") == 1 and word in done.stderr and done.stdout == "",
              f"bench {arguments}: {done}")


def main():
    command, *names = [each for each in sys.argv[1:] if not each.startswith("--with=")]
    more = [each.removeprefix("--with=") for each in sys.argv[1:] if each.startswith("--with=")]
    if names[-1] == "--listed":
        check_list(command, names[:-1])
        check_refusals(command)
    else:
        for name in names:
            check_benchmark(command, name, *more)


main()
