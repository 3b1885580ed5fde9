// Flow graphs, containers and mutexes: their code is in the headers, what they wait with is not.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "oneapi/tbb.h"
#include "oneapi/tbb/mutex.h"
#include "oneapi/tbb/rw_mutex.h"

namespace {

using namespace std::chrono_literals;
namespace flow = tbb::flow;

template <class F>
void on_threads(int count, F f) {
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) threads.emplace_back([&f, t] { f(t); });
  for (std::thread& t : threads) t.join();
}

TEST(FlowGraph, ATreeOfContinueNodes) {
  constexpr std::size_t nodes = 20'000;
  flow::graph graph;
  std::atomic<int> ran{0}, too_early{0};
  std::vector<std::atomic<bool>> has_run(nodes);
  std::vector<flow::continue_node<flow::continue_msg>> tree;
  tree.reserve(nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    tree.emplace_back(graph, [&, i](const flow::continue_msg&) {
      if (i != 0 && !has_run[(i - 1) / 2]) ++too_early;
      has_run[i] = true;
      ++ran;
      return flow::continue_msg();
    });
  }
  for (std::size_t i = 1; i < nodes; ++i) flow::make_edge(tree[(i - 1) / 2], tree[i]);
  tree[0].try_put(flow::continue_msg());
  graph.wait_for_all();
  EXPECT_EQ(ran.load(), static_cast<int>(nodes));
  EXPECT_EQ(too_early.load(), 0);
}

TEST(FlowGraph, LimitsJoinsAndPutsFromInside) {
  flow::graph graph;
  std::atomic<int> at_once{0}, most{0};
  std::atomic<long> sum{0};
  flow::function_node<int, int> limited(graph, 2, [&](int i) {
    const int now = ++at_once;
    int seen = most.load();
    while (seen < now && !most.compare_exchange_weak(seen, now)) {
    }
    --at_once;
    return i;
  });
  flow::function_node<int, int> serial(graph, flow::serial, [](int i) { return 2 * i; });
  flow::join_node<std::tuple<int, int>, flow::queueing> join(graph);
  flow::function_node<std::tuple<int, int>> sink(graph, flow::unlimited, [&](const auto& both) {
    sum += std::get<0>(both) + std::get<1>(both);
    if (std::get<0>(both) == -1) limited.try_put(1'000'000);
  });
  flow::make_edge(limited, flow::input_port<0>(join));
  flow::make_edge(serial, flow::input_port<1>(join));
  flow::make_edge(join, sink);
  for (int i = 1; i <= 5000; ++i) {
    limited.try_put(i);
    serial.try_put(i);
  }
  graph.wait_for_all();
  EXPECT_EQ(sum.load(), 3L * 5000 * 5001 / 2);
  EXPECT_LE(most.load(), 2);
}

TEST(FlowGraph, PrioritiesComeFirst) {
  tbb::global_control only_me(tbb::global_control::max_allowed_parallelism, 1);
  std::this_thread::sleep_for(50ms);  // workers leave
  flow::graph graph;
  std::vector<int> order;
  flow::broadcast_node<int> start(graph);
  flow::function_node<int> low(graph, 1, [&](int) { order.push_back(0); });
  flow::function_node<int> high(
      graph, 1, [&](int) { order.push_back(10); }, flow::node_priority_t(10));
  flow::function_node<int> middle(
      graph, 1, [&](int) { order.push_back(5); }, flow::node_priority_t(5));
  flow::make_edge(start, low);
  flow::make_edge(start, middle);
  flow::make_edge(start, high);
  start.try_put(1);
  graph.wait_for_all();
  ASSERT_EQ(order.size(), 3u);
  EXPECT_EQ(order.back(), 0);
}

TEST(FlowGraph, AnInputNodeAndAnAsyncNode) {
  flow::graph graph;
  std::atomic<int> arrived{0};
  std::vector<std::thread> threads;
  flow::input_node<int> input(graph, [i = 0](tbb::flow_control& control) mutable {
    if (i == 200) control.stop();
    return i++;
  });
  using async = flow::async_node<int, int>;
  async outside(graph, flow::serial, [&](int i, async::gateway_type& gateway) {
    gateway.reserve_wait();
    threads.emplace_back([i, &gateway] {
      gateway.try_put(i);
      gateway.release_wait();
    });
  });
  flow::function_node<int> sink(graph, flow::unlimited, [&](int) { ++arrived; });
  flow::make_edge(input, outside);
  flow::make_edge(outside, sink);
  input.activate();
  graph.wait_for_all();
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(arrived.load(), 200);
}

TEST(FlowGraph, AnExceptionOfABody) {
  flow::graph graph;
  flow::function_node<int> thrower(graph, flow::unlimited, [](int i) {
    if (i == 50) throw std::runtime_error("body");
  });
  for (int i = 0; i < 100; ++i) thrower.try_put(i);
  EXPECT_THROW(graph.wait_for_all(), std::runtime_error);
  EXPECT_TRUE(graph.exception_thrown());
}

TEST(Containers, UnderLoad) {
  tbb::concurrent_hash_map<int, int> map;
  tbb::concurrent_vector<int> vector;
  tbb::concurrent_queue<int> queue;
  tbb::concurrent_unordered_map<int, int> unordered;
  tbb::concurrent_set<int> ordered;
  tbb::concurrent_priority_queue<int> heap;
  tbb::enumerable_thread_specific<int> own(0);
  tbb::parallel_for(0, 20'000, [&](int i) {
    tbb::concurrent_hash_map<int, int>::accessor place;
    map.insert(place, i % 100);
    ++place->second;
    place.release();
    vector.push_back(i);
    queue.push(i);
    unordered.emplace(i % 1000, i);
    ordered.insert(i % 777);
    heap.push(i);
    ++own.local();
  });
  long sum = 0;
  for (const auto& [key, count] : map) sum += count;
  EXPECT_EQ(sum, 20'000);
  EXPECT_EQ(vector.size(), 20'000u);
  EXPECT_EQ(queue.unsafe_size(), 20'000u);
  EXPECT_EQ(unordered.size(), 1000u);
  EXPECT_EQ(ordered.size(), 777u);
  EXPECT_EQ(own.combine(std::plus<>{}), 20'000);
  int top = 0;
  ASSERT_TRUE(heap.try_pop(top));
  EXPECT_EQ(top, 19'999);
}

TEST(Containers, ABoundedQueueBlocksAndAborts) {
  tbb::concurrent_bounded_queue<int> queue;
  queue.set_capacity(4);
  std::atomic<long> sum{0};
  on_threads(8, [&](int t) {
    for (int i = 0; i < 2000; ++i) {
      if (t % 2 == 0) {
        queue.push(i);
      } else {
        int x = 0;
        queue.pop(x);
        sum += x;
      }
    }
  });
  EXPECT_EQ(sum.load(), 4L * 2000 * 1999 / 2);
  std::atomic<int> aborted{0};
  std::atomic<bool> waits{false};
  std::thread waiter([&] {
    int x = 0;
    waits = true;
    try {
      queue.pop(x);
    } catch (const tbb::user_abort&) {
      ++aborted;
    }
  });
  while (!waits) std::this_thread::yield();
  while (queue.size() >= 0) std::this_thread::yield();  // the waiter has a ticket
  std::this_thread::sleep_for(5ms);
  queue.abort();
  waiter.join();
  EXPECT_EQ(aborted.load(), 1);
}

template <class Mutex>
void excludes() {
  Mutex mutex;
  long counter = 0;
  on_threads(6, [&](int) {
    for (int i = 0; i < 3000; ++i) {
      typename Mutex::scoped_lock held(mutex);
      ++counter;
    }
  });
  EXPECT_EQ(counter, 6 * 3000);
  typename Mutex::scoped_lock held(mutex);
  std::thread([&] {
    typename Mutex::scoped_lock other;
    EXPECT_FALSE(other.try_acquire(mutex));
  }).join();
}

TEST(Mutexes, Exclude) {
  excludes<tbb::mutex>();
  excludes<tbb::spin_mutex>();
  excludes<tbb::queuing_mutex>();
  excludes<tbb::speculative_spin_mutex>();
  excludes<tbb::rw_mutex>();
  excludes<tbb::spin_rw_mutex>();
  excludes<tbb::queuing_rw_mutex>();
  excludes<tbb::speculative_spin_rw_mutex>();
}

template <class Mutex>
void reads_and_writes() {
  Mutex mutex;
  long a = 0, b = 0;
  std::atomic<int> torn{0}, writes{0};
  on_threads(6, [&](int t) {
    for (int i = 0; i < 2000; ++i) {
      if ((t + i) % 4 != 0) {
        typename Mutex::scoped_lock held(mutex, false);
        if (a != b) ++torn;
        if (i % 16 == 0) {
          const long before = a;
          // Another writer may have come in between only if it says so.
          if (held.upgrade_to_writer() && a != before) ++torn;
          ++a;
          ++b;
          ++writes;
          if (i % 32 == 0) {
            held.downgrade_to_reader();
            if (a != b) ++torn;
          }
        }
      } else {
        typename Mutex::scoped_lock held(mutex, true);
        ++a;
        ++b;
        ++writes;
      }
    }
  });
  EXPECT_EQ(torn.load(), 0);
  EXPECT_EQ(a, writes.load());
  // A writer does not share it with a reader.
  typename Mutex::scoped_lock reader(mutex, false);
  std::thread([&] {
    typename Mutex::scoped_lock other;
    // oneTBB's queuing mutex refuses a second reader here, which it may.
    if (other.try_acquire(mutex, false)) other.release();
    EXPECT_FALSE(other.try_acquire(mutex, true));
  }).join();
}

TEST(Mutexes, OfReadersAndWriters) {
  reads_and_writes<tbb::rw_mutex>();
  reads_and_writes<tbb::spin_rw_mutex>();
  reads_and_writes<tbb::queuing_rw_mutex>();
  reads_and_writes<tbb::speculative_spin_rw_mutex>();
}

TEST(CollaborativeCallOnce, RunsOnce) {
  std::atomic<int> calls{0}, inside{0};
  tbb::collaborative_once_flag flag;
  tbb::parallel_for(0, 500, [&](int) {
    tbb::collaborative_call_once(flag, [&] {
      ++calls;
      tbb::parallel_for(0, 1000, [&](int) { ++inside; });
    });
    EXPECT_EQ(inside.load(), 1000);
  });
  EXPECT_EQ(calls.load(), 1);
}

TEST(Memory, OfTasksIsAlignedToTwoLines) {
  struct alignas(128) wide {
    [[nodiscard]] bool is_aligned() const {
      return reinterpret_cast<std::uintptr_t>(this) % alignof(wide) == 0;
    }
    char bytes[128]{};
  };
  tbb::task_group group;
  std::atomic<int> aligned{0};
  for (int i = 0; i < 20; ++i) {
    group.run([&] { aligned += static_cast<int>(aligned >= 0); });  // of another size in between
    group.run([&, one = wide()] { aligned += static_cast<int>(one.is_aligned()); });
  }
  group.wait();
  EXPECT_EQ(aligned.load(), 40);
}

TEST(Memory, AlignedAndRefused) {
  std::vector<double, tbb::cache_aligned_allocator<double>> v(1000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(v.data()) % 64, 0u);
  tbb::cache_aligned_allocator<char> chars;
  EXPECT_THROW(static_cast<void>(chars.allocate(~std::size_t{0} - 200)), std::bad_alloc);
  std::vector<int, tbb::tbb_allocator<int>> w(1000, 3);
  EXPECT_EQ(w.back(), 3);
}

TEST(Version, IsTheHeaders) {
  EXPECT_EQ(TBB_runtime_interface_version(), TBB_INTERFACE_VERSION);
  EXPECT_STREQ(TBB_runtime_version(), TBB_VERSION_STRING);
  EXPECT_FALSE(tbb::info::numa_nodes().empty());
  EXPECT_GT(tbb::info::default_concurrency(), 0);
}

}  // namespace
