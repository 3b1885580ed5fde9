// What a pool has done so far, in numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "heist/detail/export.hpp"
#include "heist/log2_histogram.hpp"

namespace heist::inline v0 {

// The counts of one worker, or of all, since the pool was made. What costs nothing is always
// counted. Puts and takes are counted under stats_kind::full only: most forks run without a call
// into the library.
struct counters {
  // The classes of steals_by_size: 1 job, 2, 3 to 4, 5 to 8, 9 to 16, 17 to 32, more.
  static constexpr std::size_t size_classes = 7;
  // The class of a steal that took so many jobs.
  [[nodiscard]] static constexpr std::size_t size_class(std::uint64_t jobs) noexcept {
    std::size_t c = 0;
    while (c + 1 < size_classes && jobs > std::uint64_t{1} << c) ++c;
    return c;
  }

  std::uint64_t steals = 0;         // jobs taken from another worker
  std::uint64_t failed_steals = 0;  // attempts that found nothing, or lost a race
  // Of the failed steals those that lost a race for several jobs at once.
  std::uint64_t failed_batch_steals = 0;
  std::uint64_t batched = 0;  // further jobs that a steal of several took
  std::uint64_t exposes = 0;  // jobs that their owner made public because a thief asked
  // Jobs that a thief made public for an owner that didn't answer.
  std::uint64_t remote_exposes = 0;
  std::uint64_t reclaims = 0;       // jobs that their owner took back from its public part
  std::uint64_t suspends = 0;       // joins that had to wait for a stolen job
  std::uint64_t blocked_joins = 0;  // waits of workers that had no stack to run anything else
  std::uint64_t roots = 0;          // functions given to the pool by threads outside
  std::uint64_t parks = 0;          // times that the worker went to sleep
  std::uint64_t naps = 0;           // short sleeps, after it had found only crumbs to steal
  std::uint64_t wakes = 0;          // times that it woke another worker
  std::uint64_t inlined_forks = 0;  // forks that ran as plain calls, the deque being full
  std::uint64_t yields = 0;         // after failed attempts, under yield_kind::to_any and above
  std::uint64_t resizes = 0;        // of deques that grow: arrays replaced by larger ones
  // Steals by the number of jobs that they took: see size_class.
  std::array<std::uint64_t, size_classes> steals_by_size{};

  // Jobs that were put on the worker's deque, and those that it took back from it. While the pool
  // works, a job that lies on a split deque may count as taken.
  std::uint64_t puts = 0;
  std::uint64_t takes = 0;  // see puts
  // Takes that found nothing, since a thief had been faster. Always counted.
  std::uint64_t failed_takes = 0;

  // How often the end of the deque at which its owner works moved: a put raises it, a take lowers
  // it, and a failed take lowers it and raises it again.
  [[nodiscard]] constexpr std::uint64_t bottom_ups() const noexcept { return puts + failed_takes; }
  [[nodiscard]] constexpr std::uint64_t bottom_downs() const noexcept {
    return takes + failed_takes;
  }
  // Steals that took more than one job.
  [[nodiscard]] constexpr std::uint64_t batch_steals() const noexcept {
    return steals - steals_by_size[0];
  }

  // Adds the other's counts to these.
  counters& operator+=(const counters& other) noexcept;
  friend bool operator==(const counters&, const counters&) = default;
};

// Why a worker had nothing to do, as it found when it last looked before it found something or
// slept.
enum class idle_reason : std::uint8_t {
  no_work,  // no deque held anything, though not just one worker ran; or nothing was to be done
  private_work,  // another worker had work that it hadn't made public yet
  serial_phase,  // one worker ran, with nothing on its deque
  blocked,       // nobody ran: what had begun waited for something else, or was a call that blocks
};
// Every reason, in the order of the enumerators.
inline constexpr idle_reason all_idle_reasons[] = {idle_reason::no_work, idle_reason::private_work,
                                                   idle_reason::serial_phase, idle_reason::blocked};
// The name of the enumerator.
[[nodiscard]] constexpr std::string_view to_string(idle_reason r) noexcept {
  constexpr std::string_view names[] = {"no_work", "private_work", "serial_phase", "blocked"};
  return names[static_cast<std::size_t>(r)];
}

// How near the processors of a thief and of its victim are, where the workers are pinned.
enum class steal_distance : std::uint8_t {
  same_core,     // or the same L2 cache
  same_l3,       // another core, with the same L3 cache
  same_node,     // the same NUMA node
  same_package,  // another node of the same package
  remote,        // another package
  unknown,       // the workers aren't pinned, or hwloc knows nothing of the machine
};
// Every distance, in the order of the enumerators.
inline constexpr steal_distance all_steal_distances[] = {
    steal_distance::same_core,    steal_distance::same_l3, steal_distance::same_node,
    steal_distance::same_package, steal_distance::remote,  steal_distance::unknown};
// The name of the enumerator.
[[nodiscard]] constexpr std::string_view to_string(steal_distance d) noexcept {
  constexpr std::string_view names[] = {"same_core",    "same_l3", "same_node",
                                        "same_package", "remote",  "unknown"};
  return names[static_cast<std::size_t>(d)];
}

// What a pool measures under stats_kind::timed and full, of all its workers.
struct pool_histograms {
  log2_histogram steal_ns;  // successful attempts, from the look at the victim to the job in hand
  // Jobs on the victim's deque at a steal, the stolen ones among them.
  log2_histogram steal_depth;
  // By how many places the victim stood away in the circle of worker numbers; 0: a guest and the
  // resident of one seat, or a shared queue.
  log2_histogram steal_places;
  // Steals by the distance of the two workers: see steal_distance.
  std::array<std::uint64_t, std::size(all_steal_distances)> steals_by_distance{};
  // From the decision to wake a worker to the woken thread's first step. Of several wake-ups that
  // are on their way at one time the first that arrives counts, from the last decision.
  log2_histogram wake_ns;
  // Of a worker that searched in vain at least once, until it had something to run; a sleep counts
  // as part of it. By idle_reason. A spell that hasn't ended isn't counted yet.
  std::array<log2_histogram, std::size(all_idle_reasons)> idle_ns{};

  // Adds what the other ones have counted.
  pool_histograms& operator+=(const pool_histograms& other) noexcept;
  friend bool operator==(const pool_histograms&, const pool_histograms&) = default;
};

// A snapshot. If the pool works meanwhile, its numbers were taken at slightly different moments.
struct pool_stats {
  std::string pool;               // pool_config::name
  bool has_histograms = false;    // stats_kind::timed, or full
  pool_histograms histograms;     // zeros without
  std::vector<counters> workers;  // by index: pool::slots() of them
  counters total;                 // of all of these

  // How many stacks belong to fibers that run or are suspended, and how many did at most at one
  // time. Cached stacks are not in use. While scopes spawn, up to 8 stacks for each worker may be
  // missing in the first number, and are counted in the second. The second may be too high by one
  // more for each worker.
  std::uint64_t stacks_in_use = 0;
  std::uint64_t stacks_peak = 0;
  // How many stacks the pool has mapped, cached ones included. After two idle seconds it gives most
  // of those back that nobody uses.
  std::uint64_t stacks_mapped = 0;

  // Calls of blocking(f) that a thread beside the workers ran or runs; and calls that blocked their
  // worker, since there was no free thread.
  std::uint64_t blocking_calls = 0;
  std::uint64_t blocking_refusals = 0;
  // How many threads run such a call now, and how many did at most at one time: as many as the pool
  // has started.
  std::uint64_t blocking_threads_in_use = 0;
  std::uint64_t blocking_threads_peak = 0;

  // Calls from threads outside that found no seat, and so waited for a worker: see
  // pool_config::caller_seats. Not counted where callers always wait (caller_kind).
  std::uint64_t seatless_calls = 0;

  // How long the workers' threads had a processor, and for how long they could have run and had
  // none, in ns: a second that is not small beside the first says that the machine was busy. The
  // second is 0 where the system doesn't tell (it does on Linux, by /proc).
  std::uint64_t processor_ns = 0;
  std::uint64_t ready_ns = 0;
};

// The statistics as a table of text, one line for each worker and one for all, and the histograms,
// a line each, if there are any. HEIST_STATS=1 prints it at exit, with words about it;
// HEIST_STATS=json:FILE writes it as JSON.
HEIST_API std::string to_string(const pool_stats& s);

// What all pools of the process are doing, as text: for each pool its configuration, how many
// fibers are suspended and how many functions wait to begin; for each worker whether it runs,
// searches, has no stack or sleeps, and what its deque holds; and the table above. For the watchdog
// of a program that may hang. Thread-safe, at any time except in a signal handler; waits for no
// worker. Throws std::bad_alloc. With HEIST_STATS_SIGNAL a signal makes the process print it.
HEIST_API std::string describe_pools();

}  // namespace heist::inline v0
