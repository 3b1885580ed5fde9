// A soak of the library: random programs of all that oneTBB schedules, nested in each other, called
// by several threads that end, for a given time. It runs on oneTBB's own library and on heist's.
//
//     heist_tbb_soak --seconds 20
//     heist_tbb_soak --seed N --rounds 1        repeats a round's programs, not their schedule
//     heist_tbb_soak --only task_group,suspend  to find out what a failure needs
//
// A program is a tree. A node's children are computed by a construct that the node's number names,
// and its value is a function of that number and of the children's values; a serial walk says what
// it must be. The program exits with 1 at the first value that differs, and aborts if no node has
// ended for a minute. HEIST_WORKERS says how many workers heist's library has.
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "oneapi/tbb.h"

namespace {

using clock = std::chrono::steady_clock;
using number = std::uint64_t;

constexpr unsigned most_depth = 4;
constexpr std::chrono::seconds patience(60);

std::atomic<number> nodes_ended{0};

number mixed(number x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

struct node {
  number seed;
  unsigned depth;

  [[nodiscard]] unsigned children() const {
    return depth == most_depth ? 0 : 2 + static_cast<unsigned>(seed >> 20 & 3);
  }
  [[nodiscard]] node child(unsigned i) const { return {mixed(seed + 1 + i), depth + 1}; }
};

// What is wrong ends the program: an exception would be caught by the constructs.
[[noreturn]] void fail(const char* what, const node& where) {
  std::fprintf(stderr, "heist_tbb_soak: %s, at node %llu of depth %u\n", what,
               static_cast<unsigned long long>(where.seed), where.depth);
  std::_Exit(1);
}

number serial_value(const node& n) {
  number sum = n.seed;
  for (unsigned i = 0; i < n.children(); ++i) sum += serial_value(n.child(i));
  return mixed(sum);
}

number grow(const node& n);

// ---- The constructs. Each returns the sum of the children's values.

number by_loop(const node& n) {
  std::atomic<number> sum{0};
  tbb::parallel_for(0U, n.children(), [&](unsigned i) { sum += grow(n.child(i)); });
  return sum;
}

number by_reduction(const node& n) {
  return tbb::parallel_reduce(
      tbb::blocked_range<unsigned>(0, n.children(), 1), number{0},
      [&](const tbb::blocked_range<unsigned>& r, number sum) {
        for (unsigned i = r.begin(); i != r.end(); ++i) sum += grow(n.child(i));
        return sum;
      },
      std::plus<>());
}

number by_scan(const node& n) {
  std::vector<number> values(n.children());
  tbb::parallel_for(
      std::size_t{0}, values.size(),
      [&](std::size_t i) { values[i] = grow(n.child(static_cast<unsigned>(i))); },
      tbb::static_partitioner());
  return tbb::parallel_scan(
      tbb::blocked_range<std::size_t>(0, values.size(), 1), number{0},
      [&](const tbb::blocked_range<std::size_t>& r, number sum, bool) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) sum += values[i];
        return sum;
      },
      std::plus<>());
}

number by_invoke(const node& n) {
  number first = 0;
  std::atomic<number> rest{0};
  tbb::parallel_invoke([&] { first = grow(n.child(0)); },
                       [&] {
                         for (unsigned i = 1; i < n.children(); ++i) rest += grow(n.child(i));
                       });
  return first + rest;
}

number by_group(const node& n) {
  std::atomic<number> sum{0};
  tbb::task_group group;
  for (unsigned i = 1; i < n.children(); ++i) group.run([&, i] { sum += grow(n.child(i)); });
  group.run_and_wait([&] { sum += grow(n.child(0)); });
  return sum;
}

// A thread that looks for the tasks' effect itself, and not in the library, until they have ended.
number by_group_that_is_watched(const node& n) {
  std::atomic<number> sum{0};
  std::atomic<unsigned> left{n.children()};
  tbb::task_group group;
  for (unsigned i = 0; i < n.children(); ++i)
    group.run([&, i] {
      sum += grow(n.child(i));
      --left;
    });
  for (int looks = 0; looks < 100 && left != 0; ++looks) std::this_thread::yield();
  group.wait();
  if (left != 0) fail("a group's wait ended before its tasks", n);
  return sum;
}

number in_an_arena(const node& n) {
  tbb::task_arena arena(
      1 + static_cast<int>(n.seed >> 8 & 3), n.seed >> 12 & 1,
      std::array{tbb::task_arena::priority::low, tbb::task_arena::priority::normal,
                 tbb::task_arena::priority::high}[n.seed >> 16 & 1]);
  return arena.execute([&] { return by_loop(n); });
}

// A worker may run it, or the thread that waits. One that only waited for a worker could wait for
// ever: all workers may be in the middle of something.
number enqueued(const node& n) {
  tbb::task_arena arena(2 + static_cast<int>(n.seed >> 8 & 1), 1);
  std::atomic<number> sum{0};
  tbb::task_group group;
  for (unsigned i = 0; i < n.children(); ++i)
    arena.enqueue(group.defer([&, i] { sum += grow(n.child(i)); }));
  arena.execute([&] { group.wait(); });
  return sum;
}

// The stack may go on before the function has ended that it was suspended by: what that uses is
// held by its copy.
number suspended(const node& n) {
  const auto place = std::make_shared<std::promise<tbb::task::suspend_point>>();
  std::thread other([place] { tbb::task::resume(place->get_future().get()); });
  tbb::task::suspend([place](tbb::task::suspend_point here) { place->set_value(here); });
  other.join();
  return by_group(n);
}

number isolated(const node& n) {
  return tbb::this_task_arena::isolate([&] { return by_group(n); });
}

// A thread of its own, which ends: so does its arena.
number by_a_thread(const node& n) {
  number sum = 0;
  std::thread([&] { sum = by_loop(n); }).join();
  return sum;
}

number by_pipeline(const node& n) {
  number sum = 0;
  unsigned next = 0;
  tbb::parallel_pipeline(
      2, tbb::make_filter<void, unsigned>(tbb::filter_mode::serial_in_order,
                                          [&](tbb::flow_control& flow) {
                                            if (next == n.children()) flow.stop();
                                            return next++;
                                          }) &
             tbb::make_filter<unsigned, number>(
                 tbb::filter_mode::parallel,
                 [&](unsigned i) { return i < n.children() ? grow(n.child(i)) : 0; }) &
             tbb::make_filter<number, void>(tbb::filter_mode::serial_out_of_order,
                                            [&](number value) { sum += value; }));
  return sum;
}

number by_graph(const node& n) {
  tbb::flow::graph graph;
  number sum = 0;
  tbb::flow::function_node<unsigned, number> compute(graph, tbb::flow::unlimited,
                                                     [&](unsigned i) { return grow(n.child(i)); });
  tbb::flow::function_node<number, int> add(graph, tbb::flow::serial, [&](number value) {
    sum += value;
    return 0;
  });
  tbb::flow::make_edge(compute, add);
  for (unsigned i = 0; i < n.children(); ++i) compute.try_put(i);
  graph.wait_for_all();
  return sum;
}

// All children are computed before one of the functions throws, and none is lost.
number with_an_exception(const node& n) {
  struct planted : std::runtime_error {
    planted() : std::runtime_error("planted") {}
  };
  std::atomic<number> sum{0};
  std::atomic<unsigned> left{n.children()};
  tbb::task_group group;
  try {
    for (unsigned i = 0; i < n.children(); ++i)
      group.run([&, i] {
        sum += grow(n.child(i));
        if (--left == 0) throw planted();
      });
    group.wait();
    fail("an exception is lost", n);
  } catch (const planted&) {
    return sum;
  }
}

// The loop ends early, and the children are computed again.
number with_a_cancellation(const node& n) {
  tbb::task_group_context context;
  std::atomic<bool> is_cancelled{false};
  tbb::parallel_for(
      0, 100,
      [&](int) {
        if (!is_cancelled.exchange(true, std::memory_order_relaxed))
          context.cancel_group_execution();
      },
      context);
  if (!context.is_group_execution_cancelled()) fail("a cancellation is lost", n);
  return by_loop(n);
}

number under_a_limit(const node& n) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  1 + (n.seed >> 8) % 6);
  return by_group(n);
}

number in_values_of_threads(const node& n) {
  tbb::enumerable_thread_specific<number> sums(number{0});
  tbb::parallel_for(0U, n.children(), [&](unsigned i) {
    const number value = grow(n.child(i));  // the thread's value is not held across it
    sums.local() += value;
  });
  return sums.combine(std::plus<>());
}

number under_a_mutex(const node& n) {
  tbb::queuing_mutex mutex;
  number sum = 0;
  tbb::parallel_for_each(std::array{0U, 1U, 2U, 3U, 4U}, [&](unsigned i) {
    if (i >= n.children()) return;
    const number value = grow(n.child(i));
    const tbb::queuing_mutex::scoped_lock hold(mutex);
    sum += value;
  });
  return sum;
}

struct construct {
  const char* name;
  number (*sum)(const node&);
};
constexpr std::array constructs{construct{"parallel_for", &by_loop},
                                construct{"parallel_reduce", &by_reduction},
                                construct{"parallel_scan", &by_scan},
                                construct{"parallel_invoke", &by_invoke},
                                construct{"task_group", &by_group},
                                construct{"watched_group", &by_group_that_is_watched},
                                construct{"task_arena", &in_an_arena},
                                construct{"enqueue", &enqueued},
                                construct{"suspend", &suspended},
                                construct{"isolate", &isolated},
                                construct{"thread", &by_a_thread},
                                construct{"parallel_pipeline", &by_pipeline},
                                construct{"flow_graph", &by_graph},
                                construct{"exception", &with_an_exception},
                                construct{"cancellation", &with_a_cancellation},
                                construct{"global_control", &under_a_limit},
                                construct{"thread_specific", &in_values_of_threads},
                                construct{"queuing_mutex", &under_a_mutex}};
std::array<std::atomic<number>, constructs.size()> uses{};
std::vector<std::size_t> chosen;  // of the constructs; constant once the soak has begun

number grow(const node& n) {
  number sum = n.seed;
  if (n.children() != 0) {
    const std::size_t which = chosen[n.seed % chosen.size()];
    ++uses[which];
    sum += constructs[which].sum(n);
  }
  ++nodes_ended;
  return mixed(sum);
}

void run_program(number seed) {
  const node root{seed, 0};
  if (grow(root) != serial_value(root)) fail("another value than the serial walk's", root);
}

// Ends the process where nothing ends any more.
class watchdog {
 public:
  watchdog()
      : thread_([](const std::stop_token& over) {
          number before = 0;
          for (auto since = clock::now(); !over.stop_requested();) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            const number now = nodes_ended;
            if (now != before) since = clock::now();
            before = now;
            if (clock::now() - since < patience) continue;
            std::fprintf(stderr, "heist_tbb_soak: no node has ended for %lld s\n",
                         static_cast<long long>(patience.count()));
            std::abort();
          }
        }) {}

 private:
  std::jthread thread_;
};

struct options {
  number seconds = 10;
  number rounds = ~number{0};
  number seed = std::random_device{}() | number{std::random_device{}()} << 32;
  std::string_view only{};
};

[[noreturn]] void refuse(const char* argument) {
  std::fprintf(stderr,
               "heist_tbb_soak: bad argument '%s'\n"
               "usage: heist_tbb_soak [--seconds S] [--seed N] [--rounds N] [--only NAME,...]\n"
               "names:",
               argument);
  for (const construct& c : constructs) std::fprintf(stderr, " %s", c.name);
  std::fputs("\n", stderr);
  std::exit(2);
}

options parse(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    number* const to = name == "--seconds"  ? &o.seconds
                       : name == "--rounds" ? &o.rounds
                       : name == "--seed"   ? &o.seed
                                            : nullptr;
    if ((to == nullptr && name != "--only") || i + 1 == argc) refuse(argv[i]);
    const std::string_view value = argv[i + 1];
    if (to == nullptr) {
      o.only = value;
      continue;
    }
    const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), *to);
    if (problem != std::errc() || end != value.data() + value.size()) refuse(argv[i + 1]);
  }
  return o;
}

void choose_constructs(std::string_view only) {
  for (std::size_t i = 0; i < constructs.size(); ++i)
    if (only.empty() ||
        ("," + std::string(only) + ",").find("," + std::string(constructs[i].name) + ",") !=
            std::string::npos)
      chosen.push_back(i);
  if (chosen.empty()) refuse(std::string(only).c_str());
}

void soak(const options& o) {
  const watchdog guard;
  const auto end = clock::now() + std::chrono::seconds(o.seconds);
  number rounds = 0;
  for (number seed = o.seed; rounds < o.rounds && (rounds == 0 || clock::now() < end);
       seed = mixed(seed), ++rounds) {
    std::vector<std::jthread> callers;
    for (number t = 0; t < 1 + seed % 3; ++t)
      callers.emplace_back([seed, t] {
        for (number i = 0; i < 4; ++i) run_program(mixed(seed + 16 * t + i));
      });
    run_program(seed);
  }
  for (std::size_t i = 0; i < constructs.size(); ++i)
    std::printf("%12llu  %s\n", static_cast<unsigned long long>(uses[i]), constructs[i].name);
  std::printf("%llu nodes in %llu rounds\n", static_cast<unsigned long long>(nodes_ended),
              static_cast<unsigned long long>(rounds));
}

}  // namespace

int main(int argc, char** argv) {
  const options o = parse(argc, argv);
  std::printf("seed %llu\n", static_cast<unsigned long long>(o.seed));
  std::fflush(stdout);
  choose_constructs(o.only);
  soak(o);
}
