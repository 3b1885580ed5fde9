#include <algorithm>
#include <functional>
#include <list>
#include <mutex>
#include <ranges>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <heist/future.hpp>
#include <heist/reduce.hpp>
#include <heist/sync/mutex.hpp>
#include <heist/sync/semaphore.hpp>
#include <heist/sync/shared_mutex.hpp>

#include "bench/api/tables.hpp"

namespace heist::bench::api {

namespace {

constexpr double mutex_limit = 1.2;      // to std::mutex
constexpr double contended_limit = 1.0;  // likewise

// Each function locks, adds 1 and unlocks. Locks of one kind are all of one class, so that the
// measured code is inlined as in a user's program.
template <class Lock>
std::uint64_t lock_in_turn(Lock& lock, std::size_t times) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < times; ++i) {
    lock.lock();
    // The compiler cannot combine the additions, because the lock's atomics forbid it.
    count += 1;
    lock.unlock();
  }
  return count;
}

template <class Lock>
class shared_side {
 public:
  void lock() { lock_.lock_shared(); }
  void unlock() { lock_.unlock_shared(); }

 private:
  Lock lock_;
};

class by_semaphore {
 public:
  void lock() { free_.acquire(); }
  void unlock() { free_.release(); }

 private:
  binary_semaphore free_{1};
};

template <class Lock>
const contestant& add(contest& turns, std::string name, pool& on, std::size_t times) {
  return turns.add(name, [=, &on] {
    return time_checked(name, times,
                        [&] {
                          return on.run([&] {
                            Lock lock;
                            return lock_in_turn(lock, times);
                          });
                        }) /
           static_cast<double>(times);
  });
}

// ---- A lock that all workers want: a cache of the entries that were used last, and a section that
// computes for about a microsecond.

class recent_entries {
 public:
  std::uint64_t find(unsigned key) {
    if (const auto at = places_.find(key); at != places_.end()) {
      entries_.splice(entries_.begin(), entries_, at->second);
    } else {
      if (entries_.size() == most) {
        places_.erase(entries_.back().first);
        entries_.pop_back();
      }
      entries_.emplace_front(key, std::uint64_t{key} * 3);
      places_[key] = entries_.begin();
    }
    return entries_.front().second;
  }

 private:
  static constexpr std::size_t most = 1000;
  using entries = std::list<std::pair<unsigned, std::uint64_t>>;
  entries entries_;
  std::unordered_map<unsigned, entries::iterator> places_;
};

struct long_section {
  std::uint64_t find(unsigned key) {
    constexpr int steps = 3000;  // of a cycle
    for (int i = 0; i < steps; ++i) asm volatile("" : "+r"(key));
    return std::uint64_t{key} * 3;
  }
};

// Every worker asks `times` times; the sum of what it finds doesn't depend on the order.
template <class Lock, class Section>
const contestant& add_contended(contest& turns, const std::string& name, pool& on, unsigned workers,
                                std::size_t times) {
  constexpr unsigned keys = 2000;
  constexpr auto key = [](std::size_t i) { return static_cast<unsigned>(i * 7919 % keys); };
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < times * workers; ++i) expected += key(i) * std::uint64_t{3};
  return turns.add(name, [=, &on] {
    return time_checked(name, expected,
                        [&] {
                          Lock lock;
                          Section section;
                          return on.run([&] {
                            return heist::transform_reduce(
                                std::views::iota(0U, workers), std::uint64_t{0}, std::plus<>{},
                                [&](unsigned w) {
                                  std::uint64_t sum = 0;
                                  for (std::size_t i = w * times; i < (w + 1) * times; ++i) {
                                    const std::lock_guard hold(lock);
                                    sum += section.find(key(i));
                                  }
                                  return sum;
                                });
                          });
                        }) /
           static_cast<double>(times * workers);
  });
}

template <class Section>
void add_contended(results& into, contest& turns, std::vector<std::function<void()>>& rows,
                   const std::string& what, pool& on, unsigned workers, std::size_t times) {
  const std::string of = fmt::format("{}, P = {}", what, workers);
  const auto& standard =
      add_contended<std::mutex, Section>(turns, of + ", std::mutex", on, workers, times);
  const auto& ours =
      add_contended<heist::mutex, Section>(turns, of + ", heist::mutex", on, workers, times);
  rows.push_back([&into, &standard, &ours, of] {
    for (const auto* each : {&standard, &ours})
      into.rows.push_back({each->name,
                           {{"each", "ns", scaled(each->results, 1e9)},
                            {"to std::mutex", "", ratio(each->results, standard.results)}},
                           {}});
    into.targets.push_back({"heist::mutex to std::mutex, " + of, "", bound::at_most,
                            contended_limit, ratio(ours.results, standard.results).median(), ""});
  });
}

std::uint64_t submit_in_turn(pool& on, std::size_t times) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < times; ++i) sum += on.submit([] { return std::uint64_t{1}; }).get();
  return sum;
}

}  // namespace

void locks_table(results& into, participants& by, std::size_t times, const settings& with) {
  pool& on = by.one;
  contest turns;
  const auto& standard = add<std::mutex>(turns, "lock and unlock, std::mutex", on, times);
  const auto& ours = add<heist::mutex>(turns, "lock and unlock, heist::mutex", on, times);
  const auto& standard_shared = add<shared_side<std::shared_mutex>>(
      turns, "lock_shared and unlock_shared, std::shared_mutex", on, times);
  const auto& ours_shared = add<shared_side<heist::shared_mutex>>(
      turns, "lock_shared and unlock_shared, heist::shared_mutex", on, times);
  const auto& semaphore =
      add<by_semaphore>(turns, "acquire and release, heist::binary_semaphore", on, times);
  const std::size_t submissions = std::max<std::size_t>(1, times / 20);
  const auto& inside = turns.add("submit and get, inside of the pool", [&] {
    return time_checked("submit", submissions,
                        [&] { return on.run([&] { return submit_in_turn(on, submissions); }); }) /
           static_cast<double>(submissions);
  });
  std::vector<std::function<void()>> contended;
  const std::size_t finds = std::max<std::size_t>(1, times / 50);
  const auto contend = [&](pool& in, unsigned workers) {
    add_contended<recent_entries>(into, turns, contended, "a cache of recent entries", in, workers,
                                  finds);
    add_contended<long_section>(into, turns, contended, "a section of a microsecond", in, workers,
                                finds);
  };
  contend(by.one, 1);
  if (by.many) contend(*by.many, by.workers);
  turns.play(with);
  for (const auto* each : {&standard, &ours, &standard_shared, &ours_shared, &semaphore, &inside})
    into.rows.push_back({each->name,
                         {{"each", "ns", scaled(each->results, 1e9)},
                          {"to std::mutex", "", ratio(each->results, standard.results)}},
                         {}});
  into.targets.push_back({"heist::mutex to std::mutex, uncontended", "", bound::at_most,
                          mutex_limit, ratio(ours.results, standard.results).median(), ""});
  for (const auto& add_rows : contended) add_rows();
}

}  // namespace heist::bench::api
