"""Runs the suites quickly, and with rivals that are made up: suite_test.py HEIST FEW-RIVALS [RIVAL...] [--all]

FEW-RIVALS is the folder of real ones that have the programs of the suite multiprogramming only; each RIVAL is one of them.
Without --all it runs two suites: the others differ in their programs, which have tests of their own.

The made-up rivals are scripts that speak the protocol of workloads/side.hpp.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

SECONDS = 600  # a sanitizer's build is slow


def heist(command, *arguments):
    return subprocess.run([command, *arguments], capture_output=True, text=True, timeout=SECONDS)


def check(condition, message):
    if not condition:
        print(f"FAILED: {message}")
        sys.exit(1)


def make_rivals(folder, answer):
    """All rivals answer each run so; 'CHECKSUM' stands for the right one."""
    for name in ("onetbb", "openmp", "openmp_clang"):
        script = pathlib.Path(folder, f"heist-rival-{name}")
        script.write_text(f"""#!/bin/sh
echo ready
while read -r command; do
  case $command in
    run|serial) echo "{answer}" ;;
    result) echo "result made up" ;;
    steals) echo "steals 0" ;;
    peak) echo "peak 1000000" ;;
  esac
done
""")
        script.chmod(0o755)


def check_suite(command, name, folder):
    page = pathlib.Path(folder, "page.html")
    done = heist(command, "bench", "--suite", name, "--quick", "--json", "--html", str(page), "--preset", "heist", "--preset", "cilk",
                 "-P", "2")
    check(done.returncode == 0, f"{name}: exit code {done.returncode}: {done.stderr}")
    results = json.loads(done.stdout)
    groups = {row["group"] for row in results["rows"]}
    check(len(groups) >= 1 and results["benchmark"] == name, f"{name}: {results['title']}")
    for group in groups:
        rows = {row["name"]: row for row in results["rows"] if row["group"] == group}
        for side in ("serial", "heist, P = 1", "heist, P = 2", "heist: cilk, P = 2"):
            measures = {each["name"]: each for each in rows[side]["measures"]}
            check(measures["time"]["median"] > 0 and measures["to serial"]["median"] > 0, f"{name}: {group}: {side}: {measures}")
            check(measures["peak"]["median"] > 0.5, f"{name}: {group}: {side}: {measures}")
        for row in rows.values():
            check(row["measures"] or row["note"].startswith("not built: scripts/build"), f"{name}: {group}: {row}")
    check(page.read_text().count("<svg") >= 2 * len(groups), f"{name}: the page has no plots")


def check_curve(command):
    """The suite field has heist alone, on powers of two and the number that is asked for."""
    done = heist(command, "bench", "--suite", "field", "--quick", "--json", "-P", "6")
    check(done.returncode == 0, f"field: exit code {done.returncode}: {done.stderr}")
    results = json.loads(done.stdout)
    names = [row["name"] for row in results["rows"] if row["group"].startswith("fib")]
    check(names == ["serial", "heist, P = 1", "heist, P = 2", "heist, P = 4", "heist, P = 6"], f"field: {names}")
    curve = results["charts"][0]["series"]
    check([each["name"] for each in curve] == ["fib", "skynet", "nqueens", "matmul", "uts"], f"field: {curve}")
    check(all([point["x"] for point in each["points"]] == [1, 2, 4, 6] for each in curve), f"field: {curve}")


def check_wrong_results(command, folder):
    make_rivals(folder, "time 0.001 0123456789abcdef")
    done = heist(command, "bench", "--suite", "sorting", "--quick", "--rivals", folder, "-P", "1")
    check(done.returncode == 3 and done.stderr.count("\n") == 1 and "oneTBB" in done.stderr and "made up" in done.stderr,
          f"a wrong checksum: {done}")
    make_rivals(folder, "wrong 7 is no answer")
    done = heist(command, "bench", "--suite", "sorting", "--quick", "--rivals", folder, "-P", "1")
    check(done.returncode == 3 and "7 is no answer" in done.stderr, f"a result wrong in itself: {done}")
    make_rivals(folder, 'x"; exit 0; echo "')
    done = heist(command, "bench", "--suite", "sorting", "--quick", "--rivals", folder, "-P", "1")
    check(done.returncode == 1 and "heist-rival-onetbb" in done.stderr and done.stderr.count("\n") == 1, f"a rival that ends: {done}")
    for name in ("onetbb", "openmp", "openmp_clang"):
        pathlib.Path(folder, f"heist-rival-{name}").write_text("#!/bin/sh\necho ready\n")
    done = heist(command, "bench", "--suite", "sorting", "--quick", "--rivals", folder, "-P", "1")
    check(done.returncode == 1 and "ended" in done.stderr and done.stderr.count("\n") == 1, f"a rival that ends at once: {done}")
    make_rivals(folder, "nonsense")
    done = heist(command, "bench", "--suite", "sorting", "--quick", "--rivals", folder, "-P", "1")
    check(done.returncode == 1 and "nonsense" in done.stderr and done.stderr.count("\n") == 1, f"a broken rival: {done}")


def check_baseline(command, folder):
    empty = pathlib.Path(folder, "none")
    empty.mkdir()
    run = (command, "bench", "--suite", "sorting", "--quick", "--rivals", str(empty), "-P", "1")
    written = heist(*run, "--json")
    check(written.returncode == 0 and "not built" in written.stdout, f"without rivals: {written}")
    file = pathlib.Path(folder, "baseline.json")
    file.write_text(written.stdout)
    done = heist(*run, "--check", str(file), "--tolerance", "1000")
    check(done.returncode == 0, f"against itself: {done}")

    baseline = json.loads(written.stdout)
    for row in baseline["rows"]:
        for measure in row["measures"]:
            measure["median"] /= 1e6
    file.write_text(json.dumps(baseline))
    done = heist(*run, "--check", str(file))
    check(done.returncode == 4 and "quicksort" in done.stderr, f"against a much faster one: {done}")

    baseline["machine"]["processors"] += 1
    file.write_text(json.dumps(baseline))
    done = heist(*run, "--check", str(file))
    check(done.returncode == 2 and "processors" in done.stderr and done.stderr.count("\n") == 1, f"of another machine: {done}")
    baseline["machine"]["processors"] -= 1
    baseline["rows"] = []
    file.write_text(json.dumps(baseline))
    done = heist(*run, "--check", str(file))
    check(done.returncode == 2 and "no row" in done.stderr, f"without a common row: {done}")


def check_benchmarks_baseline(command, folder):
    """A benchmark by name is held against earlier results, too."""
    run = (command, "bench", "fork_join", "--quick", "-P", "1")
    written = heist(*run, "--json").stdout
    file = pathlib.Path(folder, "benchmark.json")
    file.write_text(written)
    done = heist(*run, "--check", str(file), "--tolerance", "1000")
    check(done.returncode == 0, f"a benchmark against itself: {done}")
    faster = json.loads(written)
    for row in faster["rows"]:
        for measure in row["measures"]:
            measure["median"] /= 1e6
    file.write_text(json.dumps(faster))
    done = heist(*run, "--check", str(file))
    check(done.returncode == 4 and "heist, locked deque" in done.stderr, f"against a much faster one: {done}")


def check_interrupt(command, folder):
    """Ctrl-C ends the suite with what has finished."""
    make_rivals(folder, "time 0.001 0123456789abcdef")
    empty = pathlib.Path(folder, "empty")
    empty.mkdir()
    page = pathlib.Path(folder, "interrupted.html")
    process = subprocess.Popen([command, "bench", "--suite", "sorting", "--rivals", str(empty), "--repeat", "1000", "-P", "1", "--html",
                                str(page)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=SECONDS)
    check(process.returncode == 130 and "interrupted" in out and page.exists(), f"interrupted: {process.returncode}: {out} {err}")


def check_refusals(command):
    for arguments, code, word in ([["--suite", "clasic"], 2, "'classic'"], [["--suite", "classic", "--preset", "silk"], 2, "'cilk'"],
                                  [["--suite", "classic", "--preset", "static"], 2, "fib forks"],
                                  [["--suite", "classic", "wake"], 2, "wake"], [["--preset", "cilk", "wake"], 2, "--suite"],
                                  [["--suite", "classic", "--tolerance", "2"], 2, "--check"],
                                  [["--suite", "classic", "--check", "/nonexistent"], 1, "/nonexistent"],
                                  [["--suite", "classic", "--check", "/etc/passwd"], 2, "JSON"],
                                  [["--suite", "classic", "--check", "x", "--tolerance", "0"], 2, "--tolerance"],
                                  [["wake", "--quick", "--tolerance", "2"], 2, "--check"],
                                  [["wake", "--quick", "--check", "/nonexistent"], 1, "/nonexistent"],
                                  [["wake", "--quick", "--tolerance", "3"], 2, "--check"],
                                  [["show", "x", "--check", "y"], 2, "--check"], [["list", "--check", "y"], 2, "--check"],
                                  [["--suite", "classic", "--html", "/nonexistent/x"], 1, "/nonexistent/x"]):
        done = heist(command, "bench", *arguments)
        check(done.returncode == code and done.stderr.count("\n") == 1 and word in done.stderr and done.stdout == "",
              f"bench {arguments}: {done}")
    for arguments, word in ([["nothing", "1", "heist"], "nothing"], [["fib", "1", "silk"], "silk"], [["fib", "1", "heist", "n"], "'n'"]):
        done = heist(os.path.join(os.path.dirname(command), "heist-bench"), "side", *arguments)
        check(done.returncode == 2 and word in done.stderr, f"side {arguments}: {done}")


def check_real_rivals(command, folder, rivals):
    """Real rivals run the programs of a suite and agree with heist about the results."""
    titles = {"heist_rival_few_onetbb": "oneTBB, P = 2", "heist_rival_few_openmp": "OpenMP, P = 2"}
    done = heist(command, "bench", "--suite", "multiprogramming", "--quick", "--json", "--rivals", folder, "-P", "2")
    check(done.returncode == 0, f"real rivals: {done}")
    rows = json.loads(done.stdout)["rows"]
    for rival in rivals:
        if rival in titles:
            found = [row for row in rows if row["name"] == titles[rival] and row["measures"]]
            check(len(found) == 3, f"{rival}: {len(found)} of 3 programs: {[row['name'] for row in rows]}")


def main():
    command = os.path.abspath(sys.argv[1])
    check_refusals(command)
    check_curve(command)
    check_real_rivals(command, sys.argv[2], [each for each in sys.argv[3:] if each != "--all"])
    with tempfile.TemporaryDirectory() as folder:
        for line in heist(command, "bench", "list", "--json").stdout.splitlines():
            if json.loads(line).get("suite") in ("graphs", "check") or ("--all" in sys.argv and "suite" in json.loads(line)):
                check_suite(command, json.loads(line)["suite"], folder)
        check_wrong_results(command, folder)
        check_baseline(command, folder)
        check_benchmarks_baseline(command, folder)
        check_interrupt(command, folder)


main()
