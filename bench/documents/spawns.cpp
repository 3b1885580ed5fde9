// A loop of spawns whose children are threads of the system, tasks of the pool that a lecture
// prints, and heist's.
#include <atomic>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <random>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include <heist/error.hpp>
#include <heist/future.hpp>
#include <heist/scope.hpp>

#include "bench/rounds.hpp"
#include "workloads/hashing.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("spawns", "of the loop", quick ? 50 : 4000, 1, 20'000),
          integer_option("work", "hashes that a child computes", quick ? 10 : 1000, 0, 1'000'000)};
}

// A pool as the lecture has it: a queue with a lock for each thread, of functions that own a
// promise. What comes from outside enters the first queue; a thread without work asks others at
// random, twice as often as there are queues, and gives its processor away.
class lectures_pool {
 public:
  explicit lectures_pool(unsigned threads) : queues_(threads) {
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this, i] { work(i); });
  }
  ~lectures_pool() {
    // Relaxed: the joins order the rest.
    ends_.store(true, std::memory_order_relaxed);
    for (auto& each : threads_) each.join();
  }
  lectures_pool(const lectures_pool&) = delete;
  lectures_pool& operator=(const lectures_pool&) = delete;

  template <class Function>
  std::future<void> submit(Function function) {
    auto task = std::make_shared<std::packaged_task<void()>>(std::move(function));
    auto result = task->get_future();
    const std::lock_guard hold(queues_.front().mutex);
    queues_.front().tasks.push_back([task] { (*task)(); });
    return result;
  }

 private:
  struct queue {
    std::mutex mutex;
    std::deque<std::function<void()>> tasks;

    std::function<void()> take(bool newest) {
      const std::lock_guard hold(mutex);
      if (tasks.empty()) return {};
      auto taken = std::move(newest ? tasks.back() : tasks.front());
      newest ? tasks.pop_back() : tasks.pop_front();
      return taken;
    }
  };

  void work(unsigned own) {
    std::minstd_rand random(own + 1);
    while (!ends_.load(std::memory_order_relaxed)) {
      auto task = queues_[own].take(true);
      for (std::size_t tries = 2 * queues_.size(); !task && tries > 0; --tries)
        task = queues_[random() % queues_.size()].take(false);
      if (task)
        task();
      else
        std::this_thread::yield();
    }
  }

  std::deque<queue> queues_;
  std::atomic<bool> ends_{false};
  std::vector<std::thread> threads_;
};

struct spawns {
  std::uint64_t count, work;

  // Each child adds its own number's hash to the sum.
  [[nodiscard]] std::uint64_t child(std::uint64_t number) const {
    std::uint64_t found = number;
    for (std::uint64_t i = 0; i < work; ++i) found = workloads::random_at(found, i);
    return found;
  }
};

class sum {
 public:
  // Relaxed: read when all have been waited for.
  void add(std::uint64_t more) { value_.fetch_add(more, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// Spawns all children by spawn(function), whose results are waited for by wait(result).
template <class Spawn, class Wait>
std::uint64_t spawn_all(const spawns& of, const Spawn& spawn, const Wait& wait) {
  sum all;
  std::vector<decltype(spawn([] {}))> begun;
  begun.reserve(of.count);
  try {
    for (std::uint64_t i = 0; i < of.count; ++i)
      begun.push_back(spawn([&all, &of, i] { all.add(of.child(i)); }));
  } catch (...) {
    for (auto& each : begun) wait(each);
    throw;
  }
  for (auto& each : begun) wait(each);
  return all.get();
}

constexpr auto get = [](auto& result) { result.get(); };

std::uint64_t run_serially(const spawns& of) {
  std::uint64_t all = 0;
  for (std::uint64_t i = 0; i < of.count; ++i) all += of.child(i);
  return all;
}

std::uint64_t run_in_scope(const spawns& of) {
  sum all;
  scope([&](task_scope& s) {
    for (std::uint64_t i = 0; i < of.count; ++i) s.spawn([&all, &of, i] { all.add(of.child(i)); });
  });
  return all.get();
}

std::uint64_t run_in_threads(const spawns& of) {
  try {
    return spawn_all(
        of, [](auto function) { return std::thread(function); },
        [](std::thread& each) { each.join(); });
  } catch (const std::system_error& e) {
    throw resource_error(fmt::format("the system refused a thread: {}", e.what()));
  }
}

std::uint64_t run_by_async(const spawns& of) {
  try {
    return spawn_all(
        of, [](auto function) { return std::async(std::launch::async, function); }, get);
  } catch (const std::system_error& e) {
    throw resource_error(fmt::format("the system refused a thread: {}", e.what()));
  }
}

results run(const workloads::option_values& values, const settings& with) {
  const unsigned workers = workers_of(with);
  const spawns of{values.size("spawns"), values.size("work")};
  const std::uint64_t expected = run_serially(of);
  whole_pool ours({.workers = workers});
  contest turns;
  std::vector<contestant*> all;
  const auto add = [&](const std::string& name, const std::function<std::uint64_t()>& function) {
    all.push_back(&turns.add(name, [=] { return time_checked(name, expected, function); }));
  };
  add("serial", [&] { return run_serially(of); });
  add("heist, scope", [&] { return ours.run([&] { return run_in_scope(of); }); });
  add("heist, submit", [&] {
    return spawn_all(
        of, [&](auto function) { return ours.submit(function); }, get);
  });
  add("the lecture's pool", [&] {
    lectures_pool on(workers);  // for this turn only: its threads never sleep
    return spawn_all(
        of, [&](auto function) { return on.submit(function); }, get);
  });
  add("a thread a spawn", [&] { return run_in_threads(of); });
  add("std::async", [&] { return run_by_async(of); });
  turns.play(with);

  results result;
  result.title = fmt::format("a loop of {} spawns of {} hashes each; P = {}; {} rounds", of.count,
                             of.work, workers, with.repeat);
  const auto count = static_cast<double>(of.count);
  report::chart shown{"Time for a spawn and its child", {}, {"us", report::axis_scale::log10}, {}};
  auto& points = shown.all.emplace_back(report::series{"all", report::series_style::points});
  for (const auto* each : all) {
    const report::distribution found(scaled(each->results, 1e6 / count));
    points.points.push_back(
        {static_cast<double>(shown.x.names.size()), found.median, found.least, found.greatest});
    shown.x.names.push_back(each->name);
    result.rows.push_back({each->name,
                           {{"time", "ms", scaled(each->results, 1e3)},
                            {"a spawn", "us", scaled(each->results, 1e6 / count)},
                            {"to serial", "", ratio(each->results, all.front()->results)}},
                           {}});
  }
  result.charts = {std::move(shown)};
  result.source = "CS149, lecture 5 (Stanford): section 2.2, the naive method and the pool";
  result.notes = {
      "The lecture's pool has a lock for each queue, and its threads never sleep; to make and end "
      "it is part of its time. It is written anew after the lecture's description",
      "A thread a spawn, and std::async: as many threads as spawns, which the kernel schedules"};
  return result;
}

}  // namespace

benchmark spawns_benchmark() {
  return {"spawns", "a loop of spawns as threads, in the lecture's pool, and in heist", &options,
          &run};
}

}  // namespace heist::bench
