"""What the site has, in the order of its menu. A document that isn't there is left out."""

# The titles of the menu's parts, and their documents: the file, and its title in the menu.
DOCUMENTS = (
    ("Learn", (
        ("docs/guide.md", "Guide"),
        ("docs/cookbook.md", "Cookbook"),
        ("docs/coming-from.md", "Coming from …"),
        ("docs/adopting.md", "Programs that exist"),
        ("docs/adopting-libraries.md", "Other libraries"),
        ("docs/command.md", "The command"),
        ("docs/versioning.md", "Versions"),
    )),
    ("Look into a run", (
        ("docs/observing.md", "Observing"),
        ("docs/work_and_span.md", "Work and span"),
        ("docs/debugging.md", "Debugging"),
        ("docs/trace_format.md", "Traces"),
    )),
    ("Many machines", (
        ("docs/cluster.md", "Cluster"),
        ("src/cluster/README.md", "Its protocol"),
    )),
    ("Measurements", (
        ("docs/results/README.md", "Papers repeated"),
        ("bench/README.md", "What is measured"),
    )),
    ("Theory", (
        ("docs/lab.md", "The lab"),
        ("docs/published-deque-bugs.md", "Published deque bugs"),
    )),
    ("Inside", (
        ("docs/architecture.md", "Architecture"),
        ("src/platform/README.md", "The platform"),
        ("src/runtime/README.md", "The runtime"),
        ("docs/memory_model.md", "Memory model"),
        ("docs/scaling.md", "Scaling"),
        ("docs/reliability.md", "Reliability"),
        ("docs/style.md", "Style"),
        ("CONTRIBUTING.md", "Contributing"),
        ("docs/site/README.md", "This site"),
        ("SECURITY.md", "Security"),
        ("CHANGELOG.md", "Changes"),
    )),
)
# Documents of these folders are pages too; the page that comes first in the list above them names them.
FOLDERS = ("docs/results", "docs/adr", "src/*", "integrations/*")

# Public headers by topic, as the guide's table has them. One that no topic names is under the last one.
TOPICS = (
    ("Forks, scopes, pools", ("fork_join", "scope", "task_group", "pool", "config", "policy", "blocking", "cancellation", "error", "heist")),
    ("Loops", ("parallel_for", "partitioner", "block", "chunks")),
    ("Algorithms", ("reduce", "sort", "scan", "for_each", "transform", "count", "find", "minmax_element", "partition", "merge")),
    ("Futures, pipelines, graphs", ("future", "when_any", "pipeline", "task_graph")),
    ("Values of many functions", ("reducer", "combinable", "worker_local")),
    ("Locks and channels", ("sync/",)),
    ("Work as objects", ("task", "job_system", "detached_task", "job_memory")),
    ("Schedulers of the literature", ("presets",)),
    ("Looking into a run", ("region", "trace", "work_span", "stats", "check", "histogram", "log2_histogram", "prometheus", "deque_series")),
    ("Other libraries", ("executor", "asio", "basic_asio_context", "scheduler")),
    ("Many machines", ("cluster/",)),
    ("Deques alone", ("deque/",)),
    ("Other headers", ("",)),
)
