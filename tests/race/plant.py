"""plant.py SOURCES OUT: the workloads, each with one race, as SOURCES/workloads has them without.

plant.py --names: the workloads that have one, and the file, without its ending, where it is."""
import sys
from pathlib import Path

# Of each workload: the file, what is replaced there, and by what.
RACES = {
    "fib": ("fib/fib.cpp",  # both calls add to one sum
            "auto [a, b] = heist::fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });\n  return a + b;",
            "std::uint64_t sum = 0;\n  heist::fork_join([&] { sum += fib(n - 1); }, [&] { sum += fib(n - 2); });\n  return sum;"),
    "nqueens": ("nqueens/nqueens.hpp",
                "const auto [a, b] = fork(with_first, [=] { return count_boards(board, rest, cutoff, fork); });\n  return a + b;",
                "std::uint64_t n = 0;\n  fork([&] { n += with_first(); }, [&] { n += count_boards(board, rest, cutoff, fork); });\n  return n;"),
    "skynet": ("skynet/skynet.hpp",
               "const auto [a, b] =\n      fork([=, &parent] { return skynet_children_sum(parent, begin, middle, fork); },\n"
               "           [=, &parent] { return skynet_children_sum(parent, middle, end, fork); });\n  return a + b;",
               "std::uint64_t sum = 0;\n  fork([&] { sum += skynet_children_sum(parent, begin, middle, fork); },\n"
               "       [&] { sum += skynet_children_sum(parent, middle, end, fork); });\n  return sum;"),
    "integrate": ("integrate/integrate.hpp",
                  "const auto [a, b] =\n      fork([&] { return integrate(f, left, tolerance / 2, halvings_left - 1, fork); },\n"
                  "           [&] { return integrate(f, right, tolerance / 2, halvings_left - 1, fork); });\n  return a + b;",
                  "double area = 0;\n  fork([&] { area += integrate(f, left, tolerance / 2, halvings_left - 1, fork); },\n"
                  "       [&] { area += integrate(f, right, tolerance / 2, halvings_left - 1, fork); });\n  return area;"),
    "uts": ("uts/count.hpp",
            "const auto [a, b] = fork([&, first] { return count_children(in, parent, first, middle, fork); },\n"
            "                           [&, last] { return count_children(in, parent, middle, last, fork); });\n  return a + b;",
            "tree_counts sum;\n  fork([&, first] { sum = sum + count_children(in, parent, first, middle, fork); },\n"
            "       [&, last] { sum = sum + count_children(in, parent, middle, last, fork); });\n  return sum;"),
    # Parts that overlap in one element, or a part that two have.
    "quicksort": ("quicksort/quicksort.hpp", "values.first(less)", "values.first(less + 1)"),
    "mergesort": ("mergesort/mergesort.hpp", "mergesort(values.first(half), buffer.first(half)",
                  "mergesort(values.first(half + 1), buffer.first(half + 1)"),
    "cilksort": ("cilksort/cilksort.hpp", "sort_part(0, quarter)", "sort_part(0, quarter + 1)"),
    "samplesort": ("samplesort/samplesort.hpp", "const auto first = begins[2 * range];",
                   "const auto first = begins[2 * range - (range == 0 ? 0 : 2)];"),
    "fft": ("fft/fft.hpp", "fork(transform(0), transform(1))", "fork(transform(0), transform(0))"),
    "filter": ("filter/filter.hpp", "(number + 1) * strip)", "(number + 1) * strip + 1)"),
    "particles": ("particles/workload.cpp", "const std::size_t count = particles_in(cell);",
                  "std::size_t count = particles_in(cell);\n  if (cell + 1 < cells() && particles_in(cell + 1) != 0) ++count;"),
    # What must follow each other is forked.
    "matmul": ("matmul/matmul.hpp",
               "multiply(a.left(), b.top(), c, base, fork);\n    multiply(a.right(), b.bottom(), c, base, fork);",
               "fork([=] { multiply(a.left(), b.top(), c, base, fork); },\n         [=] { multiply(a.right(), b.bottom(), c, base, fork); });"),
    "lu": ("lu/lu.hpp",
           "subtract_product(a.left(), b.top(), c, base, fork);\n    subtract_product(a.right(), b.bottom(), c, base, fork);",
           "fork([=] { subtract_product(a.left(), b.top(), c, base, fork); },\n"
           "         [=] { subtract_product(a.right(), b.bottom(), c, base, fork); });"),
    "cholesky": ("cholesky/cholesky.hpp",
                 "subtract_square(c, a.left(), base, fork);\n    subtract_square(c, a.right(), base, fork);",
                 "fork([=] { subtract_square(c, a.left(), base, fork); },\n         [=] { subtract_square(c, a.right(), base, fork); });"),
    # The room of one is another's too.
    "strassen": ("strassen/strassen.hpp", "room.at(10)", "room.at(9)"),
    "mandelbrot": ("mandelbrot/mandelbrot.hpp", "to.iterations[row * to.width", "to.iterations[row / 2 * to.width"),
    "barnes_hut": ("barnes_hut/barnes_hut.hpp", "motions[bodies[i].number];\n      of", "motions[bodies[i].number / 2];\n      of"),
    "kmeans": ("kmeans/workload.cpp", "state.of_block[block]", "state.of_block[block / 2]"),
    "empty_jobs": ("empty_jobs/workload.cpp", "spawn([&mark] { ++mark; })", "spawn([this, &mark] { ++mark, ++marks_[0]; })"),
    # In place, where the old values are still read.
    "heat": ("heat/heat.hpp", "const double* const in = from.data() + 1;", "const double* const in = to.data() + 1;"),
    "pagerank": ("pagerank/workload.cpp", "const double* const from = gave.data();", "const double* const from = gives.data();"),
    "mesh": ("mesh/workload.cpp", "mine.next_mean = std::accumulate", "mine.mean = std::accumulate"),
    "job_loop": ("job_loop/workload.cpp", "points[i].place += points[i].speed;", "points[i].place += points[i - i % 2].place;"),
    # No longer atomic.
    "knapsack": ("knapsack/knapsack.hpp", "return value_.load(std::memory_order_relaxed);",
                 "return reinterpret_cast<const std::int64_t&>(value_);"),
    "bfs": ("bfs/workload.cpp", "if (claim(distance_of[neighbour], level)) claimed",
            "if (distance_of[neighbour] == unreached && (distance_of[neighbour] = level)) claimed"),
    "shortest_paths": ("shortest_paths/workload.cpp", "std::atomic_ref<length>(distances[v]).load(std::memory_order_relaxed)",
                       "distances[v]"),
    # Shared, and not meant to be.
    "wordcount": ("wordcount/wordcount.hpp", "std::size_t at = 0;\n  while (true)", "static std::size_t at;\n  at = 0;\n  while (true)"),
    "graph_walk": ("graph_walk/graph_walk.hpp", "spawn([&children, &shape, task, i,", "spawn([&children, &shape, task, &i,"),
}


def main():
    if sys.argv[1:] == ["--names"]:
        for name, (path, _, _) in RACES.items():
            print(name, Path(path).stem)
        return
    sources, out = (Path(argument) for argument in sys.argv[1:])
    texts = {path.relative_to(sources): path.read_text() for path in sorted((sources / "workloads").rglob("*.?pp"))}
    for name, (path, old, new) in RACES.items():
        path = Path("workloads") / path
        if texts[path].count(old) != 1:
            sys.exit(f"plant.py: {path} has {texts[path].count(old)} times, and not once: {old}")
        texts[path] = texts[path].replace(old, new)
    for path, text in texts.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        if not (out / path).exists() or (out / path).read_text() != text:
            (out / path).write_text(text)


main()
