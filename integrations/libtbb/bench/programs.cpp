// Programs for oneTBB, to be timed with its own library and with heist's (compare.py):
//
//     heist_tbb_bench NAME [THREADS]      prints the seconds of each of five runs
//     heist_tbb_bench                     prints the names
//
// THREADS is a global_control, and the concurrency of the arena in which the program runs.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "oneapi/tbb.h"
#include "oneapi/tbb/mutex.h"

namespace {

using range = tbb::blocked_range<std::size_t>;

// Each program leaves its result here, so that no compiler leaves it out.
std::atomic<double> result{0};

long fib_group(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  tbb::task_group group;
  group.run([&] { a = fib_group(n - 1); });
  b = fib_group(n - 2);
  group.wait();
  return a + b;
}

long fib_invoke(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  tbb::parallel_invoke([&] { a = fib_invoke(n - 1); }, [&] { b = fib_invoke(n - 2); });
  return a + b;
}

void group_loop() {
  tbb::task_group group;
  std::atomic<long> sum{0};
  for (int i = 0; i < 400'000; ++i) group.run([&] { sum.fetch_add(1, std::memory_order_relaxed); });
  group.wait();
  result = static_cast<double>(sum.load(std::memory_order_relaxed));
}

void nested_for() {
  std::vector<double> cells(1000 * 1000);
  tbb::parallel_for(0, 1000, [&](int y) {
    tbb::parallel_for(0, 1000, [&](int x) {
      double& c = cells[static_cast<std::size_t>(y) * 1000 + static_cast<std::size_t>(x)];
      for (int k = 0; k < 20; ++k) c = c * 0.5 + x;
    });
  });
  result = cells[77];
}

void short_loops() {
  static std::vector<double> v(2000, 1.0);
  for (int k = 0; k < 4000; ++k)
    tbb::parallel_for(std::size_t{0}, v.size(), [&](std::size_t i) { v[i] = v[i] * 0.99 + 1; });
  result = v[5];
}

void affine_loops() {
  static std::vector<double> v(400'000, 1.0);
  tbb::affinity_partitioner same;
  for (int k = 0; k < 300; ++k) {
    tbb::parallel_for(
        range(0, v.size()),
        [&](const range& r) {
          for (std::size_t i = r.begin(); i != r.end(); ++i) v[i] = v[i] * 0.99 + 1;
        },
        same);
  }
  result = v[5];
}

void reduce() {
  static const std::vector<double> v(20'000'000, 1.5);
  result = tbb::parallel_reduce(
      range(0, v.size()), 0.0,
      [&](const range& r, double sum) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) sum += v[i];
        return sum;
      },
      std::plus<>{});
}

void scan() {
  static const std::vector<double> in(10'000'000, 1.5);
  static std::vector<double> out(in.size());
  result = tbb::parallel_scan(
      range(0, in.size()), 0.0,
      [&](const range& r, double sum, bool is_final) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) {
          sum += in[i];
          if (is_final) out[i] = sum;
        }
        return sum;
      },
      std::plus<>{});
}

void sort() {
  static const std::vector<unsigned> unsorted = [] {
    std::vector<unsigned> v(2'000'000);
    std::mt19937 random(1);
    for (unsigned& x : v) x = static_cast<unsigned>(random());
    return v;
  }();
  std::vector<unsigned> v = unsorted;
  tbb::parallel_sort(v.begin(), v.end());
  result = v[5];
}

void pipeline() {
  int next = 0;
  double sum = 0;
  tbb::parallel_pipeline(32, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                                         [&](tbb::flow_control& control) {
                                                           if (next == 200'000) control.stop();
                                                           return next++;
                                                         }) &
                                 tbb::make_filter<int, double>(tbb::filter_mode::parallel,
                                                               [](int i) {
                                                                 double x = i;
                                                                 for (int k = 0; k < 40; ++k)
                                                                   x = x * 0.5 + i;
                                                                 return x;
                                                               }) &
                                 tbb::make_filter<double, void>(tbb::filter_mode::serial_in_order,
                                                                [&](double x) { sum += x; }));
  result = sum;
}

void flow_graph() {
  namespace flow = tbb::flow;
  constexpr std::size_t nodes = 100'000;
  flow::graph graph;
  std::atomic<long> ran{0};
  std::vector<flow::continue_node<flow::continue_msg>> tree;
  tree.reserve(nodes);
  for (std::size_t i = 0; i < nodes; ++i)
    tree.emplace_back(graph, [&](const flow::continue_msg&) {
      ran.fetch_add(1, std::memory_order_relaxed);
      return flow::continue_msg();
    });
  for (std::size_t i = 1; i < nodes; ++i) flow::make_edge(tree[(i - 1) / 2], tree[i]);
  tree[0].try_put(flow::continue_msg());
  graph.wait_for_all();
  result = static_cast<double>(ran.load(std::memory_order_relaxed));
}

void short_loops_in(tbb::task_arena& arena) {
  for (int k = 0; k < 200; ++k)
    arena.execute([] {
      tbb::parallel_for(0, 5000, [](int i) {
        if (i == 4999) result = i;
      });
    });
}

// Eight threads, each with an arena of its own.
void arenas() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([] {
      tbb::task_arena arena(2);
      short_loops_in(arena);
    });
  for (std::thread& t : threads) t.join();
}

// Eight threads with one.
void shared_arena() {
  tbb::task_arena arena(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) threads.emplace_back([&] { short_loops_in(arena); });
  for (std::thread& t : threads) t.join();
}

// Threads that wait for each other's lock.
void mutex() {
  tbb::mutex guard;
  double sum = 0;
  tbb::parallel_for(range(0, 400'000, 100), [&](const range& r) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) {
      const tbb::mutex::scoped_lock hold(guard);
      sum += static_cast<double>(i);
    }
  });
  result = sum;
}

void thread_values() {
  tbb::enumerable_thread_specific<double> sums(0.0);
  tbb::parallel_for(
      range(0, 2'000'000, 1),
      [&](const range& r) {
        double& mine = sums.local();
        for (std::size_t i = r.begin(); i != r.end(); ++i) mine += static_cast<double>(i);
      },
      tbb::simple_partitioner());
  result = sums.combine(std::plus<>());
}

// One thread puts, another takes, and the queue holds little.
void bounded_queue() {
  tbb::concurrent_bounded_queue<int> queue;
  queue.set_capacity(64);
  std::thread producer([&] {
    for (int i = 0; i < 100'000; ++i) queue.push(i);
  });
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    int got = 0;
    queue.pop(got);
    sum += got;
  }
  producer.join();
  result = sum;
}

void hash_map() {
  tbb::concurrent_hash_map<int, int> map;
  tbb::parallel_for(0, 400'000, [&](int i) {
    tbb::concurrent_hash_map<int, int>::accessor place;
    map.insert(place, i * 7919 % 50'021);
    ++place->second;
  });
  result = static_cast<double>(map.size());
}

void isolate() {
  for (int k = 0; k < 20'000; ++k)
    tbb::this_task_arena::isolate([k] {
      tbb::parallel_for(0, 8, [k](int i) {
        if (i == 7) result = k;
      });
    });
}

// Tasks fill a queue that a thread empties.
void queue_of_tasks() {
  tbb::concurrent_queue<int> queue;
  tbb::task_group group;
  for (int t = 0; t < 2000; ++t)
    group.run([&, t] {
      for (int i = 0; i < 100; ++i) queue.push(t + i);
    });
  group.wait();
  double sum = 0;
  for (int got = 0; queue.try_pop(got);) sum += got;
  result = sum;
}

struct program {
  const char* name;
  void (*run)();
};

constexpr program programs[] = {
    {"fib_group", [] { result = static_cast<double>(fib_group(27)); }},
    {"fib_invoke", [] { result = static_cast<double>(fib_invoke(27)); }},
    {"group_loop", group_loop},
    {"nested_for", nested_for},
    {"short_loops", short_loops},
    {"affine_loops", affine_loops},
    {"reduce", reduce},
    {"scan", scan},
    {"sort", sort},
    {"pipeline", pipeline},
    {"flow_graph", flow_graph},
    {"arenas", arenas},
    {"mutex", mutex},
    {"thread_values", thread_values},
    {"bounded_queue", bounded_queue},
    {"hash_map", hash_map},
    {"shared_arena", shared_arena},
    {"isolate", isolate},
    {"queue_of_tasks", queue_of_tasks},
};

void time(const program& p) {
  using clock = std::chrono::steady_clock;
  p.run();  // threads start, memory is touched
  for (int k = 0; k < 5; ++k) {
    const auto begin = clock::now();
    p.run();
    std::printf("%.6f\n", std::chrono::duration<double>(clock::now() - begin).count());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    for (const program& p : programs) std::puts(p.name);
    return 0;
  }
  for (const program& p : programs) {
    if (std::strcmp(p.name, argv[1]) != 0) continue;
    if (argc == 2) {
      time(p);
      return 0;
    }
    const int threads = std::atoi(argv[2]);
    const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism,
                                      static_cast<std::size_t>(threads));
    tbb::task_arena(threads).execute([&] { time(p); });
    return 0;
  }
  std::fprintf(stderr, "no program %s\n", argv[1]);
  return 2;
}
