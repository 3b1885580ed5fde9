"""Sources that are compiled together mean what each means alone: groups.py BUILD-FOLDER TARGET...

A source in a group sees what the sources before it include. So an overload that it doesn't know may fit
its call better, and no compiler says a word. For each group of the targets this compiles the group, and
each of its sources alone, without optimization, and compares which functions of heist each function calls.
Needs Ninja, g++ and a release build that has been configured. Half a minute for a group of five.
"""
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

# Each function has a section of its own.
SECTION = re.compile(r"^RELOCATION RECORDS FOR \[(.*)\]:$")
# Whether a thread's variable has an initializer (_ZTH), only the source that defines it knows.
CALL = re.compile(r"R_X86_64_(?:PLT32|PC32|64|\w*GOTPCREL\w*)\s+(_Z(?!TH)\w*5heist\w*)")
# heist::detail::errno_now(): a macro of heist's errno, where a header of ours has made it.
SAME = "_ZN5heist2v06detail9errno_nowEv"


def groups_of(build, targets):
    """(the group's file, its sources, the command that compiles one of them, without the file)"""
    told = subprocess.run(["ninja", "-C", build, "-t", "commands", *targets], check=True, capture_output=True, text=True).stdout
    for line in sorted(set(told.splitlines())):
        *words, source = shlex.split(line)
        if "/Unity/" not in source:
            continue
        compiler = next(i for i, word in enumerate(words) if word.endswith("++"))
        words, options = iter(words[compiler + 1:]), []
        for word in words:
            if word in ("-MF", "-MT", "-o", "-include"):
                next(words)
            elif word not in ("-MD", "-Winvalid-pch", "-c"):
                options.append(word)
        group = pathlib.Path(build, source)
        sources = re.findall(r'#include "(.*)"', group.read_text())
        yield group, sources, ["g++", *options, "-O0", "-g0", "-w", "-ffunction-sections"]


def calls_of(command, source, build):
    """For each function that the source makes, the functions of heist that it names."""
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "o")
        subprocess.run([*command, "-c", source, "-o", made], check=True, cwd=build)
        listing = subprocess.run(["objdump", "-r", made], check=True, capture_output=True, text=True).stdout
    calls, here = {}, set()
    for line in listing.splitlines():
        if found := SECTION.match(line):
            kind, _, function = found[1].rpartition(".")
            here = calls.setdefault(function, set()) if kind == ".text" else set()
        elif (found := CALL.search(line)) and found[1] != SAME:
            here.add(found[1])
    return calls


def complaints(group, sources, command, build):
    alone = {}
    for source in sources:
        for function, calls in calls_of(command, source, build).items():
            alone.setdefault(function, set()).update(calls)
    grouped = calls_of(command, group, build)
    if not any(grouped.values()):
        yield f"{group.name}: no function of it calls one of heist"
    for function, calls in grouped.items():
        for other in sorted(calls ^ alone.get(function, calls)):
            where = "in the group only" if other in calls else "alone only"
            yield f"{group.name}: {function} calls {other} {where}"


def main():
    build, targets = os.path.abspath(sys.argv[1]), sys.argv[2:]
    groups = list(groups_of(build, targets))
    if not groups:
        sys.exit(f"{build}: no groups of sources for {' '.join(targets)}")
    failed = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        for (group, sources, _), found in zip(groups, threads.map(lambda g: list(complaints(*g, build)), groups)):
            told = subprocess.run(["c++filt"], input="\n".join(found), check=True, capture_output=True, text=True).stdout
            print(told or f"{group.parent.parent.name}/{group.name}: {len(sources)} sources", flush=True)
            failed |= bool(found)
    return 1 if failed else 0


sys.exit(main())
