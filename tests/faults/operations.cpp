#include "tests/faults/operations.hpp"

#include <chrono>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <string>
#include <utility>
#include <variant>

#include "heist/heist.hpp"
#include "tests/faults/asio_operations.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using namespace std::chrono_literals;

void require(bool is_right) {
  if (!is_right) std::abort();
}

std::vector<int> numbers(std::size_t n) {
  std::vector<int> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<int>(i * 7919 % n);
  return v;
}

// ---- operations that suspend fibers

void wait_for_each_other(const body& f) {
  heist::latch both(2);
  const auto one = [&] {
    f();
    both.arrive_and_wait();
  };
  auto other = heist::submit([&] { one(); });
  one();
  other.get();
}

void contended_mutex(const body& f) {
  heist::mutex m;
  const auto one = [&] {
    const std::lock_guard hold(m);
    f();
  };
  heist::fork_join(one, one, one);
}

void mutex_in_time(const body& f) {
  heist::mutex m;
  m.lock();
  auto other = heist::submit([&] { return m.try_lock_for(1ms); });
  const bool was_locked = other.get();
  m.unlock();
  require(!was_locked);
  f();
}

void shared_mutex(const body& f) {
  heist::shared_mutex m;
  heist::fork_join(
      [&] {
        const std::lock_guard hold(m);
        f();
      },
      [&] {
        const std::shared_lock hold(m);
        f();
      });
}

void semaphore(const body& f) {
  heist::counting_semaphore<> s(0);
  auto other = heist::submit([&] {
    f();
    s.release();
  });
  s.acquire();
  const bool another = s.try_acquire_for(100us);
  other.get();
  require(!another);
}

void condition(const body& f) {
  heist::mutex m;
  heist::condition_variable changed;
  bool is_set = false;
  auto other = heist::submit([&] {
    f();
    const std::lock_guard hold(m);
    is_set = true;
    changed.notify_all();
  });
  std::exception_ptr thrown;
  try {
    std::unique_lock hold(m);
    while (!changed.wait_for(hold, 10s, [&] { return is_set; })) {
    }
  } catch (...) {
    thrown = std::current_exception();
  }
  other.get();
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

void channel(const body& f) {
  heist::channel<int> items(1);
  auto other = heist::submit([&] {
    for (int i = 0; i < 3; ++i) {
      require(items.send(i));
      f();
    }
    items.close();
  });
  int sum = 0;
  while (const auto item = items.receive()) sum += *item;
  other.get();
  require(sum == 3);
}

void phases(const body& f) {
  heist::barrier<> both(2);
  const auto one = [&] {
    f();
    both.arrive_and_wait();
  };
  auto other = heist::submit(one);
  one();
  other.get();
}

void future_in_time(const body& f) {
  auto slow = heist::submit([&] {
    linger(300us);
    f();
  });
  std::exception_ptr thrown;
  try {
    static_cast<void>(slow.wait_for(100us));
  } catch (...) {
    thrown = std::current_exception();
  }
  slow.get();
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

// ---- futures and stopped functions

void all_of_futures(const body& f) {
  std::vector<heist::future<int>> several;
  several.reserve(3);
  heist::latch begun(3);  // they end even if their futures are gone
  int submitted = 0;
  const auto call = [&](int i) {
    f();
    begun.count_down();
    return i;
  };
  try {
    for (; submitted < 3; ++submitted)
      several.push_back(heist::submit([&call, i = submitted] { return call(i); }));
    const std::vector<int> results = heist::when_all(std::move(several)).get();
    require(std::accumulate(results.begin(), results.end(), 0) == 3);
  } catch (...) {
    if (submitted < 3) begun.count_down(3 - submitted);
    begun.wait();
    throw;
  }
}

void any_of_futures(const body& f) {
  auto one = heist::submit([&f] { f(); });
  one.wait();
  require(heist::when_any(std::move(one)).get().index() == 0);
}

void loop_in_time(const body& f) {
  heist::parallel_for(heist::deadline(1h), 0, 5, [&](int) { f(); });
}

void loop_over_a_block(const body& f) {
  heist::parallel_for(heist::block<2>{{0, 0}, {2, 2}}, [&](std::size_t, std::size_t) { f(); });
}

// ---- algorithms with memory of their own

void stable_sort_of_texts(const body& f) {
  std::vector<std::string> v;
  for (const int i : numbers(3000)) v.push_back(std::to_string(i));
  heist::stable_sort(v);
  require(std::is_sorted(v.begin(), v.end()));
  f();
}

void partition_of_many(const body& f) {
  std::vector<int> v = numbers(30'000);
  const auto end = heist::stable_partition(v, [](int i) { return i % 2 == 0; });
  require(end - v.begin() == 15'000);
  f();
}

void scan_of_many(const body& f) {
  const std::vector<int> v(100'000, 1);
  std::vector<int> sums(v.size());
  heist::inclusive_scan(v, sums.begin());
  require(sums.back() == 100'000);
  f();
}

void reduction_of_many(const body& f) {
  const std::vector<int> v(100'000, 1);
  require(heist::reduce(v) == 100'000);
  f();
}

void selection_of_many(const body& f) {
  const std::vector<int> v = numbers(50'000);
  std::vector<int> to(v.size());
  require(heist::copy_if(v, to.begin(), [](int i) { return i < 100; }) - to.begin() == 100);
  f();
}

void merge_of_many(const body& f) {
  std::vector<int> v(30'000);
  std::iota(v.begin(), v.end(), 0);
  std::vector<int> to(2 * v.size());
  heist::merge(v, v, to.begin());
  require(std::is_sorted(to.begin(), to.end()));
  f();
}

// ---- values

// The spawner is stolen while the child runs, so the child's views are left with the scope.
void reducer_of_children(const body& f) {
  heist::reducer<long> sum;
  std::atomic<int> spawned{0};
  heist::scope([&](heist::task_scope& s) {
    for (int i = 1; i <= 4; ++i) {
      s.spawn([&, i] {
        *sum += i;
        f();
        for (int k = 0; k < 2000 && spawned < i; ++k) linger(10us);
      });
      spawned = i;
    }
  });
  require(sum.get() == 10);
}

void combined(const body& f) {
  heist::combinable<long> sum;
  heist::parallel_for(0, 4, [&](int i) {
    f();
    sum.local() += i;
  });
  require(sum.combine(std::plus<>{}) == 6);
}

void own_pool(const body& f) {
  heist::pool pool({.workers = 2, .name = "another one"});
  heist::worker_local<int> calls(pool);
  pool.run([&] {
    ++calls.local();
    f();
  });
  require(pool.stats().total.roots == 1);
}

void jobs_of_their_own(const body& f) {
  heist::pool pool({.workers = 2});
  heist::job_system system(pool, 4);
  const auto job = system.create_job([&f] { f(); });
  system.run(job);
  system.wait(job);
}

// ---- executors

void executor(const body& f) {
  heist::pool pool({.workers = 2});
  heist::latch done(1);
  heist::executor(pool).execute([&] {
    f();
    done.count_down();
  });
  done.wait();
}

// The receiver at the end of a sender.
struct receiver {
  heist::latch* done;
  bool* was_told;
  void set_value() && noexcept { done->count_down(); }
  void set_error(const std::exception_ptr&) && noexcept {
    *was_told = true;
    done->count_down();
  }
  void set_stopped() && noexcept { done->count_down(); }
};

void senders(const body& f) {
  heist::pool pool({.workers = 2});
  heist::latch done(1);
  bool was_told = false;
  auto work = heist::execution::bulk(heist::scheduler(pool).schedule(), 3, [&](int) { f(); });
  auto operation = std::move(work).connect(receiver{&done, &was_told});
  operation.start();
  done.wait();
  if (was_told) throw std::bad_alloc();
}

}  // namespace

const std::vector<construct>& all_operations() {
  static const std::vector<construct> all = [] {
    std::vector<construct> v = all_constructs();
    const std::vector<construct> more{{"wait_for_each_other", 2, &wait_for_each_other},
                                      {"contended_mutex", 3, &contended_mutex},
                                      {"mutex_in_time", 1, &mutex_in_time},
                                      {"shared_mutex", 2, &shared_mutex},
                                      {"semaphore", 1, &semaphore},
                                      {"condition", 1, &condition},
                                      {"channel", 3, &channel},
                                      {"phases", 2, &phases},
                                      {"future_in_time", 1, &future_in_time},
                                      {"all_of_futures", 3, &all_of_futures},
                                      {"any_of_futures", 1, &any_of_futures},
                                      {"loop_in_time", 5, &loop_in_time},
                                      {"loop_over_a_block", 4, &loop_over_a_block},
                                      {"stable_sort_of_texts", 1, &stable_sort_of_texts},
                                      {"partition_of_many", 1, &partition_of_many},
                                      {"scan_of_many", 1, &scan_of_many},
                                      {"reduction_of_many", 1, &reduction_of_many},
                                      {"selection_of_many", 1, &selection_of_many},
                                      {"merge_of_many", 1, &merge_of_many},
                                      {"reducer_of_children", 4, &reducer_of_children},
                                      {"combined", 4, &combined},
                                      {"own_pool", 1, &own_pool},
                                      {"jobs_of_their_own", 1, &jobs_of_their_own},
                                      {"executor", 1, &executor},
                                      {"senders", 3, &senders}};
    v.insert(v.end(), more.begin(), more.end());
    const std::vector<construct> with_asio = asio_operations();
    v.insert(v.end(), with_asio.begin(), with_asio.end());
    return v;
  }();
  return all;
}

bool keeps_a_pool(const construct& c) {
  return c.name == "other_pool" || c.name == "certain_worker" || c.name == "jobs";
}

const std::vector<pool_start>& all_pool_starts() {
  static const std::vector<pool_start> all = [] {
    using heist::pool_config;
    const std::string long_name = "a name of more than thirteen characters";
    std::vector<pool_start> v{
        {"plain", {.workers = 3}},
        {"by_default", {}},
        {"alone", {.workers = 1}},
        {"many", {.workers = 12, .stack_size = 64 << 10}},
        {"large_stacks", {.workers = 2, .stack_size = 256 << 20, .fork_depth = 1 << 18}},
        {"named", {.workers = 3, .name = long_name}},
        {"pinned", {.workers = 3, .placement = heist::placement_kind::pinned}},
        {"hooked",
         {.workers = 3, .on_thread_start = [](unsigned) {}, .on_thread_stop = [](unsigned) {}}},
    };
    for (const auto k : heist::all_deque_kinds)
      v.push_back({std::string("deque_") + std::string(to_string(k)), {.workers = 3, .deque = k}});
    for (const auto k : heist::all_join_kinds)
      v.push_back({std::string("join_") + std::string(to_string(k)), {.workers = 3, .join = k}});
    for (const auto k : heist::all_spawn_kinds)
      v.push_back({std::string("spawn_") + std::string(to_string(k)), {.workers = 3, .spawn = k}});
    for (const auto k : heist::all_victim_kinds)
      v.push_back(
          {std::string("victim_") + std::string(to_string(k)), {.workers = 3, .victim = k}});
    for (const auto k : heist::all_idle_kinds)
      v.push_back({std::string("idle_") + std::string(to_string(k)), {.workers = 3, .idle = k}});
    v.push_back({"everything",
                 {.workers = 3,
                  .deque = heist::deque_kind::steal_half,
                  .join = heist::join_kind::stalling,
                  .victim = heist::victim_kind::nearest,
                  .placement = heist::placement_kind::pinned,
                  .name = long_name}});
    return v;
  }();
  return all;
}

}  // namespace heist_test
