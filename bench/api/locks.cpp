#include <algorithm>
#include <mutex>
#include <shared_mutex>

#include <fmt/format.h>

#include <heist/future.hpp>
#include <heist/sync/mutex.hpp>
#include <heist/sync/semaphore.hpp>
#include <heist/sync/shared_mutex.hpp>

#include "bench/api/tables.hpp"

namespace heist::bench::api {

namespace {

constexpr double mutex_limit = 1.2;  // to std::mutex

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
  turns.play(with);
  for (const auto* each : {&standard, &ours, &standard_shared, &ours_shared, &semaphore, &inside})
    into.rows.push_back({each->name,
                         {{"each", "ns", scaled(each->results, 1e9)},
                          {"to std::mutex", "", ratio(each->results, standard.results)}},
                         {}});
  into.targets.push_back({"heist::mutex to std::mutex, uncontended", "", bound::at_most,
                          mutex_limit, ratio(ours.results, standard.results).median(), ""});
}

}  // namespace heist::bench::api
