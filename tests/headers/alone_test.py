#!/usr/bin/env python3
"""Checks that every public header compiles alone, and that including it twice changes nothing.

    alone_test.py --stamps FILE --headers HEADER;... -- COMPILER FLAG...
    alone_test.py --self-test COMPILER        plants faults that the check must find

The compiler only reads (-fsyntax-only), on all processors. A header is left out if neither it nor
anything that it includes has changed since it passed, with the same compiler and flags; FILE keeps
what that was. The exit status is 1 if a header fails.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def state_of(path, known={}):
    """Of a file: for the system's headers the date and the size are enough."""
    if path not in known:
        try:
            if path.startswith("/usr/"):
                stat = os.stat(path)
                known[path] = f"{stat.st_mtime_ns} {stat.st_size}"
            else:
                known[path] = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
        except OSError:
            known[path] = "missing"
    return known[path]


def included_by(rule):
    """The files of a rule for make, whose names may contain spaces."""
    names = rule.replace("\\\n", " ").split(": ", 1)[1].replace("\\ ", "\0").split()
    return [name.replace("\0", " ") for name in names if name.startswith("/")]


def check(header, compiler):
    """What failed, or None; and the files that the header includes."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "alone.cpp")
        source.write_text(f"#include <{header}>\n#include <{header}>\n")
        rule = pathlib.Path(folder, "rule")
        done = subprocess.run([*compiler, "-fsyntax-only", "-MD", "-MF", rule, source], capture_output=True, text=True)
        if done.returncode != 0:
            return done.stderr, []
        return None, [name for name in included_by(rule.read_text()) if not name.startswith(folder)]


def run(stamps, headers, compiler):
    """Checks the headers that are due; returns how many those were, and how many failed."""
    try:
        before = json.loads(stamps.read_text())
    except (OSError, ValueError):
        before = {}
    if before.get("compiler") != compiler:
        before = {}
    passed = before.get("headers", {})
    due = [header for header in headers
           if header not in passed or any(state_of(path) != state for path, state in passed[header].items())]
    now = {header: files for header, files in passed.items() if header in headers and header not in due}
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for header, (failure, files) in zip(due, pool.map(lambda each: check(each, compiler), due)):
            if failure is None:
                now[header] = {path: state_of(path) for path in files}
            else:
                failures += 1
                print(f"{header} alone:\n{failure}")
    stamps.write_text(json.dumps({"compiler": compiler, "headers": now}))
    return len(due), failures


def self_test(compiler):
    with tempfile.TemporaryDirectory() as folder:
        place, stamps = pathlib.Path(folder), pathlib.Path(folder, "stamps")
        command = [compiler, f"-I{folder}"]

        def expect(what, due, failed):
            state_of.__defaults__[0].clear()
            found = run(stamps, ["a.hpp", "b.hpp"], command)
            if found != (due, failed):
                sys.exit(f"{what}: {found} due and failed, expected {(due, failed)}")
        (place / "c.hpp").write_text("#pragma once\nstruct c {};\n")
        (place / "a.hpp").write_text('#pragma once\n#include "c.hpp"\ninline c made() { return {}; }\n')
        (place / "b.hpp").write_text("#pragma once\ninline int b(c) { return 1; }\n")
        expect("a header without its include", 2, 1)
        expect("again: what failed is due", 1, 1)
        (place / "b.hpp").write_text('#include "c.hpp"\ninline int b(c) { return 1; }\n')
        expect("a header without #pragma once", 1, 1)
        (place / "b.hpp").write_text('#pragma once\n#include "c.hpp"\ninline int b(c) { return 1; }\n')
        expect("mended", 1, 0)
        expect("nothing has changed", 0, 0)
        (place / "c.hpp").write_text("#pragma once\nstruct d {};\n")
        expect("what both include has changed", 2, 2)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--self-test":
        self_test(sys.argv[2])
        return
    if len(sys.argv) < 7 or sys.argv[1] != "--stamps" or sys.argv[3] != "--headers" or sys.argv[5] != "--":
        sys.exit(__doc__)
    headers = sys.argv[4].split(";")
    due, failures = run(pathlib.Path(sys.argv[2]), headers, sys.argv[6:])
    print(f"{len(headers)} headers, {due} of them new or changed, {failures} failed")
    sys.exit(1 if failures else 0)


main()
