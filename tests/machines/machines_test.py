"""Runs heist on the emulated machines of scripts/machine: machines_test.py BUILD-FOLDER [SHAPE...]

On each: what `heist info` says is what was asked for; the tests of the topology and of sleepers pass, and
those of libtbb's constraints; a soak of some seconds is clean, with as many workers as the pool of a
program has there, and on 64 processors with 256. Minutes for each shape. A build for AArch64, which has no
command, says in a test what the topology is.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOAK_SECONDS = 10
PLATFORM_TESTS = "Topology*:Synthetic*:Pin*:Affinity*:CpuCount*:AffinityCpus*"
RUNTIME_TESTS = "Sleepers*:SleepingPlace*:WakeCost*:*Places*:UsableNodes*:PoolsOfANode*"

# This compares masks with the one at its beginning, which changes where processors come and go.
# The first move a thread, and none is moved while a processor is offline; the others look at them twice.
NOT_UNDER_HOTPLUG = "SleepingPlaces.ASleeperIs*:SleepingPlaces.WhoeverIs*:SleepingPlaces.TwoWakers*:Affinity*:CpuCount*:Topology.OfThis*"

# The processors of the mask, the workers, and what `heist info` says of the topology. Where processors come and go, how
# many there are is not known.
EXPECTED = {
    "small": (4, 4, ["1 package", "4 cores, 4 PUs", "L3 16 MiB x1"]),
    "nodes": (64, 64, ["8 packages, 4 NUMA nodes", "64 cores, 64 PUs", "L3 16 MiB x8"]),
    "many": (128, 128, ["16 packages, 4 NUMA nodes", "128 cores, 128 PUs", "L3 16 MiB x16"]),
    "threads": (16, 16, ["2 packages, 2 NUMA nodes", "8 cores, 16 PUs", "L3 16 MiB x2"]),
    "holes": (7, 7, ["2 packages, 2 NUMA nodes", "16 cores, 16 PUs"]),
    "hotplug": (None, None, ["1 package"]),
    "gone": (10, 10, ["2 packages, 2 NUMA nodes", "10 cores, 10 PUs", "L3 16 MiB x2"]),
    "two-nodes": (4, 4, ["2 packages, 2 NUMA nodes", "4 cores, 4 PUs", "L3 16 MiB x2"]),
    "memoryless": (8, 8, ["2 packages", "8 cores, 8 PUs", "L3 16 MiB x2"]),
    "memory-node": (4, 4, ["1 package, 2 NUMA nodes", "4 cores, 4 PUs"]),
    "quota": (8, 2, ["8 cores, 8 PUs"]),
    "cpuset": (4, 4, ["1 package"]),
}
EXPECTED_OF_AARCH64 = {
    "small": ["1 package", "4 cores, 4 PUs"],
    "threads": ["2 packages, 2 NUMA nodes", "8 cores, 16 PUs"],
    "capacities": ["1 package", "8 cores, 8 PUs (4 slower, 4 faster)"],
}


def machine(shape, libraries, *commands):
    words = [word for command in commands for word in ["--", *map(str, command)]]
    given = [word for library in libraries for word in ["--library", library]]
    return subprocess.run([ROOT / "scripts" / "machine", "--shape", shape, "--seconds", "1800", *given, *words], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def complaints_of_info(shape, told):
    processors, workers, parts = EXPECTED[shape]
    info = json.loads(told)
    for what, wanted in (("affinity_cpus", processors), ("workers", workers)):
        if wanted is not None and info[what] != wanted:
            yield f"{what} is {info[what]}, not {wanted}"
    for part in parts:
        if part not in info["topology"]:
            yield f"the topology is {info['topology']}, without {part}"


def soaks(shape, program):
    # The pools that it draws have up to 32 workers. More that spin take minutes for a round.
    workers = EXPECTED[shape][1] if shape in EXPECTED else 8  # AArch64's capacities
    for some in [workers, 256] if shape == "nodes" else [workers]:
        config = ["--config", f"workers={some},idle=park,yield=paced"] if some else []
        yield [program, "--seconds", SOAK_SECONDS, "--patience", 300, *config]


def complaints(shape, build):
    unit = build / "tests" / "unit"
    without = "-" + NOT_UNDER_HOTPLUG if shape == "hotplug" else ""
    command = build / "heist"
    has_command = command.exists()
    infos = [[command, "info", "--json"], [command, "info", "--latency"]] if has_command else []
    libtbb, its_tests = [], []
    programs = build / "integrations" / "libtbb" / "tests"
    if (programs / "heist_tbb_programs").exists() and shape != "hotplug":  # where the mask changes meanwhile
        libtbb = [build / "lib" / "heist-tbb" / "libtbb.so.12", *(build / "src").glob("libheist.so.?.?"), "libtbbbind_2_5.so.3"]
        its_tests = [[programs / "heist_tbb_programs", "--gtest_filter=Constraints*", "--gtest_brief=1"],
                     [programs / "heist_tbb_later_programs", "--gtest_filter=InterleavedMemory*", "--gtest_brief=1"]]
    ran = machine(shape, libtbb, *infos, *its_tests,
                  [unit / "platform" / "heist_platform_test", f"--gtest_filter={PLATFORM_TESTS}{without}", "--gtest_brief=1"],
                  [unit / "runtime" / "heist_runtime_test", f"--gtest_filter={RUNTIME_TESTS}{without}", "--gtest_brief=1"],
                  *soaks(shape, build / "tests" / "soak" / "heist_soak"))
    lines = ran.stdout.splitlines()
    info = [line for line in lines if line.startswith("{" if has_command else "    ") and "package" in line]
    if not info:
        yield "nothing says what the topology is"
    elif has_command:
        yield from complaints_of_info(shape, info[0])
    else:
        yield from (f"the topology is {info[0].strip()}, without {part}" for part in EXPECTED_OF_AARCH64[shape] if part not in info[0])
    if any("hwloc" in line for line in lines):
        yield "hwloc has written lines of its own"
    if ran.returncode != 0:
        yield f"exit status {ran.returncode}"
    if ran.returncode != 0 or not info:
        print(ran.stdout)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    failed = []
    for shape in sys.argv[2:] or (EXPECTED if (build / "heist").exists() else EXPECTED_OF_AARCH64):
        found = list(complaints(shape, build))
        print(f"{shape}: {'; '.join(found) if found else 'passed'}", flush=True)
        failed += [shape] if found else []
    return 1 if failed else 0


sys.exit(main())
