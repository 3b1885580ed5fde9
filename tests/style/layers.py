"""Which folder may include what: the layers of docs/architecture.md, for check_style.py."""

# Plain data that every layer may name: they include nothing of heist but each other.
VALUES = ["include/heist/error.hpp", "include/heist/version.hpp", "include/heist/config.hpp", "include/heist/pool_kinds.hpp", "include/heist/priority.hpp", "include/heist/stats.hpp", "include/heist/log2_histogram.hpp",
          "include/heist/detail/export.hpp", "include/heist/detail/refusal.hpp", "include/heist/detail/requirements.hpp", "include/heist/detail/sanitizers.hpp",
          "include/heist/detail/visibility.hpp", "src/platform/utf8.hpp", "src/platform/json_text.hpp"]

# Trees that the lab walks, too: without threads, and without the library.
LAB_TREES = ["workloads/uts/sha1.hpp", "workloads/uts/tree.hpp", "workloads/nqueens/chessboard.hpp", "workloads/skynet/node.hpp"]
LAB_COMMANDS = ["src/cli/", "src/cluster/", "src/calibration/", "src/lab/", "src/report/", "src/runtime/", "src/platform/machine_load.hpp", "workloads/", "bench/",
                "include/heist/"] + VALUES
UNDER_OBSERVERS = ["src/runtime/", "src/trace/", "src/platform/", "include/heist/"]


def rooms(*names):
    return [f"src/runtime/{name}/" for name in names] + ["src/runtime/notes.hpp", "src/trace/", "src/platform/", "include/heist/"]


UNDER_LIBTBB = ["src/runtime/", "src/trace/", "src/platform/", "include/heist/"]

# What a layer may reach through its includes, however long the way. The longest prefix of a path is its layer.
# tests/ is not listed: a test may look at everything. All of src/ must be: a new folder says here where it belongs.
LAYERS = {
    "src/platform/": ["src/platform/", "include/heist/detail/"] + VALUES,
    "include/heist/deque/": ["include/heist/deque/", "include/heist/detail/"] + VALUES,
    "include/heist/detail/": ["include/heist/detail/", "include/heist/deque/"] + VALUES,
    "include/heist/detail/parallel/": ["include/heist/"],  # what loops and algorithms are made of: it forks
    "include/heist/": ["include/heist/"],
    "src/trace/": ["src/trace/", "src/platform/"] + VALUES,
    "src/recording/": ["src/recording/", "src/observe/stats/meanings.hpp", "src/trace/", "src/platform/"] + VALUES,
    # The scheduler: the lower rooms first. Those who observe it are behind one door, notes.hpp.
    "src/runtime/": ["include/heist/"],
    "src/runtime/core/": rooms("core"),
    "src/runtime/fibers/": rooms("core", "fibers"),
    "src/runtime/waits/": rooms("core", "fibers", "waits"),
    "src/runtime/work/": rooms("core", "fibers", "waits", "work"),
    "src/runtime/pool/": rooms("core", "fibers", "waits", "work", "pool"),
    "src/sync/": ["src/sync/", "src/runtime/notes.hpp", "src/platform/", "include/heist/"],
    "src/graph/": ["src/graph/", "src/tasks/", "src/observe/", "src/runtime/", "src/trace/", "src/platform/", "include/heist/"],
    "src/tasks/": ["src/tasks/", "src/observe/", "src/runtime/", "src/trace/", "src/platform/", "include/heist/"],
    "src/observe/": ["src/observe/"] + UNDER_OBSERVERS,
    "src/observe/stats/": ["src/observe/stats/"] + UNDER_OBSERVERS,
    "src/observe/checks/": ["src/observe/checks/", "src/observe/stats/"] + UNDER_OBSERVERS,
    "src/observe/span/": ["src/observe/span/", "src/observe/checks/", "src/observe/stats/"] + UNDER_OBSERVERS,
    "src/observe/trace/": ["src/observe/"] + UNDER_OBSERVERS,
    # The protocol takes random numbers whose sequence is the same everywhere, as the lab does.
    "src/cluster/": ["src/cluster/", "include/heist/cluster/", "src/platform/new_file.hpp", "src/lab/model/random.hpp"] + VALUES,
    # Over MPI a node is driven by a thread that enters the rank's pool.
    "src/cluster/mpi/": ["src/cluster/", "include/heist/", "src/platform/new_file.hpp", "src/platform/cpu_count.hpp", "src/lab/model/random.hpp"],
    "src/cluster/command/": ["src/cluster/command/", "include/heist/", "workloads/"],
    "include/heist/cluster/": ["include/heist/"],
    "src/report/": ["src/report/", "src/recording/", "src/trace/"] + VALUES,
    "src/lab/model/": ["src/lab/model/"] + VALUES,
    "src/lab/dag/": ["src/lab/dag/", "src/lab/model/", "src/report/"] + VALUES,
    "src/lab/programs/": ["src/lab/programs/", "src/lab/model/", *LAB_TREES] + VALUES,
    "src/lab/schedulers/": ["src/lab/schedulers/", "src/lab/model/"] + VALUES,
    "src/lab/engines/": ["src/lab/engines/", "src/lab/schedulers/", "src/lab/model/", "src/report/text_file.hpp",
                         "src/report/text_position.hpp", "src/report/json_part.hpp"] + VALUES,
    "src/lab/checks/": ["src/lab/checks/", "src/lab/engines/", "src/lab/schedulers/", "src/lab/dag/", "src/lab/model/",
                        "src/report/"] + VALUES,
    "src/lab/catalog/": ["src/lab/catalog/", "src/lab/checks/", "src/lab/engines/", "src/lab/schedulers/", "src/lab/programs/",
                         "src/lab/dag/", "src/lab/model/", "src/report/", *LAB_TREES] + VALUES,
    # No columns, charts and pages: rows of numbers. The table is that of a schedule, in src/lab/checks.
    "src/lab/experiments/": ["src/lab/", "src/report/statistics.hpp", "src/report/table.hpp", *LAB_TREES] + VALUES,
    "src/calibration/": ["src/calibration/", "src/lab/", "src/report/", "src/recording/", "src/trace/", "src/runtime/", "src/platform/", "include/heist/",
                         "workloads/", "bench/"],
    # The command itself is built in a minute: benchmarks, the lab and oneTBB are programs of their own.
    "src/cli/": ["src/cli/", "src/lab/engines/cost_model.hpp", "src/report/", "src/recording/", "src/trace/", "src/observe/", "src/runtime/", "src/platform/",
                 "workloads/", "include/heist/"],
    # Preloaded: of heist it knows one table of functions.
    "src/checker/": ["src/checker/", "src/runtime/core/check_library.hpp"],
    # In the user's program: of heist it knows the door that the headers call, and the lookup of places.
    "src/race/": ["src/race/", "src/checker/places.hpp", "src/checker/interpose.hpp", "src/checker/flow.hpp", "include/heist/detail/race.hpp"] + VALUES,
    "src/cli/bench/": ["src/cli/", "src/report/", "workloads/", "bench/", "include/heist/"],
    "src/cli/lab/": LAB_COMMANDS,
    "src/cli/sim/": LAB_COMMANDS,
    "src/cli/theory/": LAB_COMMANDS,
    "workloads/": ["workloads/", "include/heist/"],
    "bench/cluster/": ["src/cluster/", "include/heist/", "src/platform/new_file.hpp", "src/lab/model/random.hpp", "workloads/uts/"],
    "bench/": ["bench/", "workloads/", "src/report/", "src/recording/", "src/trace/", "src/runtime/", "src/platform/", "include/heist/"],
    "examples/": ["examples/", "include/heist/"],
    # Adapters are written against the interface, as a user's would be.
    "integrations/": ["integrations/", "include/heist/"],
    # A library of another's interface, made of the runtime's parts. Its rooms: the lower ones first.
    "integrations/libtbb/": ["integrations/libtbb/", "include/heist/"],
    "integrations/libtbb/parts/": ["integrations/libtbb/parts/"] + UNDER_LIBTBB,
    "integrations/libtbb/arenas/": ["integrations/libtbb/arenas/", "integrations/libtbb/parts/"] + UNDER_LIBTBB,
    "integrations/libtbb/market/": ["integrations/libtbb/market/", "integrations/libtbb/arenas/", "integrations/libtbb/parts/"] + UNDER_LIBTBB,
    "integrations/libtbb/interface/": ["integrations/libtbb/"] + UNDER_LIBTBB,
}
# These are written against the interface: what only the library's own headers need is not for them.
NO_DETAIL = ("workloads/", "examples/", "src/cli/")
