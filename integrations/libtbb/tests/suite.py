#!/usr/bin/env python3
"""oneTBB's own test suite on heist's libtbb.so.12: suite.py [--build FOLDER] [--quick] HEIST_TBB_FOLDER [TEST...]

Takes Debian's source package of oneTBB (apt-get source, into FOLDER, build/tbb-suite by default),
builds the programs of its test/tbb and test/conformance, and runs each on the original library and
on heist's: with 2, 4 and 8 workers, quiet and beside a competing load of twice the processors, three
times each (--quick: once, quiet). A program that the original passes and heist doesn't is a failure,
except for what is left out or excused below. Prints a table; exit code 1 where a program failed.
"""
import argparse
import os
import pathlib
import signal
import subprocess
import sys
import time

SECONDS = 120
JOBS = str(os.cpu_count() or 1)
# Test cases that can't count, on either library, and why.
LEFT_OUT = {
    "test_mutex": ("Transaction test", "asks that speculative mutexes speculate, which heist's never do"),
    "test_task_arena": ("Default workers limit*,task_arena initialize soft limit ignoring affinity mask",
                        "asks which threads have run something: besides the program's each of heist's pool may, P + 1 in all, P at a time"),
    "test_flow_graph_priorities": ("Many successors", "a node may begin, in another thread, before one of higher priority has been spawned"),
}
# Programs that may fail, and why.
EXCUSED = {
    "test_tbb_fork": "awaits a signal that it blocks after the first use, when the pool's threads exist, which finalize() doesn't end",
}
# These compare with the number of processors, which HEIST_WORKERS overrides.
ANY_PROCESSORS = {"test_arena_constraints", "test_hw_concurrency"}


def run(words, **more):
    return subprocess.run(words, check=True, **more)


def fetch(folder):
    """The source package of the archive from which the system's packages come."""
    sources = sorted(folder.glob("onetbb_*.orig.tar.*"))
    if not sources:
        lists, parts = folder / "lists", folder / "parts"
        (lists / "partial").mkdir(parents=True, exist_ok=True)
        parts.mkdir(exist_ok=True)
        for path in pathlib.Path("/etc/apt/sources.list.d").glob("*.sources"):
            (parts / path.name).write_text(path.read_text().replace("Types: deb\n", "Types: deb-src\n"))
        listed = pathlib.Path("/etc/apt/sources.list")
        text = listed.read_text() if listed.exists() else ""
        (folder / "sources.list").write_text("\n".join("deb-src " + line[4:] for line in text.splitlines() if line.startswith("deb ")))
        apt = ["apt-get", "-o", f"Dir::Etc::sourcelist={folder}/sources.list", "-o", f"Dir::Etc::sourceparts={parts}",
               "-o", f"Dir::State::lists={lists}", "-q"]
        run(apt + ["update"], cwd=folder, stdout=subprocess.DEVNULL)
        run(apt + ["source", "--download-only", "onetbb"], cwd=folder, stdout=subprocess.DEVNULL)
        sources = sorted(folder.glob("onetbb_*.orig.tar.*"))
    unpacked = folder / "source"
    if not unpacked.exists():
        unpacked.mkdir()
        run(["tar", "-xf", sources[0], "-C", unpacked, "--strip-components=1"])
    return unpacked


def build(folder):
    source = fetch(folder)
    out = folder / "build"
    if not (out / "build.ninja").exists():
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if subprocess.run(["which", "ccache"], stdout=subprocess.DEVNULL).returncode == 0 else []
        # Without a path of its own a program finds the system's library, or the one that stands before it.
        run(["cmake", "-S", source, "-B", out, "-G", "Ninja", "-DTBB_STRICT=OFF", "-DCMAKE_BUILD_TYPE=Release",
             "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG", "-DCMAKE_SKIP_RPATH=ON"] + launcher, stdout=subprocess.DEVNULL)
    listed = subprocess.run(["ninja", "-C", out, "-t", "targets", "all"], check=True, capture_output=True, text=True).stdout
    names = sorted({line.split(":")[0] for line in listed.splitlines()
                    if line.endswith(": phony") and line.startswith(("test_", "conformance_")) and "malloc" not in line
                    and "/" not in line})
    print(f"building {len(names)} programs in {out}", flush=True)
    subprocess.run(["ninja", "-C", out, "-k", "0", "-j", JOBS] + names, stdout=subprocess.DEVNULL)  # some need what Debian lacks
    return {p.name: p for p in out.glob("*_release/*") if p.name in names and os.access(p, os.X_OK)}


def outcome(program, library, workers):
    """How it ended: 'ok', 'hangs' or 'fails CODE'; and the seconds that it took."""
    environment = dict(os.environ)
    if library:
        environment["LD_LIBRARY_PATH"] = str(library)
        if program.name not in ANY_PROCESSORS:
            environment["HEIST_WORKERS"] = str(workers)
    words = [program]
    if program.name in LEFT_OUT:
        words.append("--test-case-exclude=" + LEFT_OUT[program.name][0])
    start = time.monotonic()
    process = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        code = process.wait(SECONDS)
        how = "ok" if code == 0 else f"fails {code}"
    except subprocess.TimeoutExpired:
        how = "hangs"
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return how, time.monotonic() - start


class Load:
    """A competing load of twice the processors."""

    def __enter__(self):
        self.burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * int(JOBS))]

    def __exit__(self, *_):
        for burner in self.burners:
            burner.kill()
            burner.wait()


def column(program, library, workers, repeats):
    """The worst of the outcomes: 'ok 1.2', or what went wrong and how often."""
    outcomes = [outcome(program, library, workers) for _ in range(repeats)]
    bad = [how for how, _ in outcomes if how != "ok"]
    if bad:
        return f"{bad[0]} {len(bad)}/{repeats}"
    return f"ok {max(seconds for _, seconds in outcomes):.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/tbb-suite"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("tests", nargs="*")
    arguments = parser.parse_args()
    library = arguments.library.resolve()
    if not (library / "libtbb.so.12").exists():
        sys.exit(f"suite.py: there is no {library}/libtbb.so.12")
    arguments.build.mkdir(parents=True, exist_ok=True)
    programs = build(arguments.build.resolve())
    unknown = [name for name in arguments.tests if name not in programs]
    if unknown:
        sys.exit(f"suite.py: no program {unknown[0]}")
    chosen = arguments.tests or sorted(programs)
    repeats = 1 if arguments.quick else 3
    failed = 0
    headings = ["original"] + [f"heist {w}" for w in (2, 4, 8)] + ([] if arguments.quick else [f"loaded {w}" for w in (2, 4, 8)])
    print("| program | " + " | ".join(headings) + " | |\n|" + " --- |" * (len(headings) + 2), flush=True)
    for name in chosen:
        cells = [column(programs[name], None, 0, 1)]
        if cells[0].startswith("ok"):
            cells += [column(programs[name], library, w, repeats) for w in (2, 4, 8)]
            if not arguments.quick:
                with Load():
                    cells += [column(programs[name], library, w, repeats) for w in (2, 4, 8)]
        is_bad = cells[0].startswith("ok") and not all(c.startswith("ok") for c in cells)
        note = EXCUSED.get(name, "FAILED") if is_bad else "" if cells[0].startswith("ok") else "the original fails"
        failed += is_bad and name not in EXCUSED
        cells += [""] * (len(headings) - len(cells))
        print(f"| {name} | " + " | ".join(cells) + f" | {note} |", flush=True)
    for name in chosen:
        if name in LEFT_OUT:
            print(f"{name}: without '{LEFT_OUT[name][0]}', which {LEFT_OUT[name][1]}")
    print(f"{len(chosen)} programs, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
