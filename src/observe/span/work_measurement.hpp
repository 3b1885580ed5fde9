// One measurement of work and span: what all its pools' workers write to.
//
// Who writes what. A work_log belongs to one worker and is written by its thread, with relaxed
// operations, since others read it when the measurement ends. The table of regions and the paths
// are guarded by mutexes: paths lie there between two flows of control that the measurement can
// connect in no other way, under the address of what connects them (a root, a future, a scope).
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "heist/work_span.hpp"
#include "observe/span/dag_record.hpp"
#include "observe/span/span_path.hpp"
#include "observe/span/strand_clock.hpp"
#include "runtime/core/counter_cells.hpp"

namespace heist::inline v0::detail {

class work_measurement;
struct open_fork;  // strands.hpp

// The regions of a measurement, as a tree: a region inside another one is another one than outside.
class region_table {
 public:
  static constexpr region_number most = 512;  // further ones count as the region around them
  static constexpr region_number none = 0;    // the part outside all regions

  region_table() { all_.push_back({none, "", 0}); }

  // The region of that name in `around`. One in a region of the same name, however far inside, is
  // that region: recursion doesn't make new ones.
  [[nodiscard]] region_number inside(region_number around, const char* name);

  struct entry {
    region_number around;
    std::string name;
    unsigned depth;
  };
  [[nodiscard]] std::vector<entry> all() const;

 private:
  mutable std::mutex mutex_;
  std::vector<entry> all_;  // guarded, as is the next
  std::map<std::pair<region_number, std::string>, region_number> numbers_;
};

struct work_log {
  explicit work_log(work_measurement& m) noexcept : of(m) {}

  struct region_sums {
    counter_cell entries, span, burdened;
  };

  work_measurement& of;
  strand_clock clock;
  counter_cell forks, spawns, steals, strands, refused;
  std::array<counter_cell, region_table::most> work;  // ticks, by region
  std::array<region_sums, region_table::most> inclusive;
};

// What a thread outside the pools did before and between its calls.
struct outside_flow {
  span_path now;
  std::uint64_t cpu_ns = 0;  // of the thread, up to which `now` goes
  std::uint64_t work = 0;    // ticks in all
  region_shares own_work;    // the same, by region
  region_number region = region_table::none;
  struct open_region {
    region_number region, around;
    std::uint64_t span, burdened;
  };
  std::vector<open_region> regions;
  dag_thread record;
};

class work_measurement {
 public:
  // `overhead_ticks`: what a strand seems to take that does nothing.
  work_measurement(const work_span_options& options, const stamp_rate& at,
                   std::uint64_t overhead_ticks);
  // Measures that, by forks that do nothing in a pool of its own, and makes one.
  [[nodiscard]] static std::shared_ptr<work_measurement> make(const work_span_options& options);

  // The one that new pools join; nullptr when nothing is measured.
  [[nodiscard]] static std::shared_ptr<work_measurement> current();
  static void set_current(std::shared_ptr<work_measurement> m);

  [[nodiscard]] work_log& add_log();
  // The calling thread's flow begins now, not with the thread.
  void begin_outside();

  // The flow of the calling thread, which is no worker, up to now.
  [[nodiscard]] outside_flow& outside();
  // Calls change(here) under the lock that collect() takes.
  template <class Change>
  void change_outside(Change&& change) {
    outside_flow& here = outside();
    const std::lock_guard hold(outside_mutex_);
    bring_up_to_date(here);
    change(here);
  }

  // Of all threads outside; to be used within change_outside().
  [[nodiscard]] work_log& outside_log() noexcept { return outside_log_; }

  // Paths by the address of what connects two flows.
  class path_map {
   public:
    void put(const void* key, const span_path& path, region_number region,
             dag_thread* thread = nullptr) {
      shard& s = shard_of(key);
      const std::lock_guard hold(s.mutex);
      s.paths[key] = {path, region, nullptr, thread};
    }
    void put_mark(const void* key, dag_thread* thread, const dag_thread::mark& mark) {
      shard& s = shard_of(key);
      const std::lock_guard hold(s.mutex);
      item& i = s.paths[key];
      i.thread = thread;
      i.mark = mark;
    }
    void put_fork(const void* key, open_fork* fork) {
      shard& s = shard_of(key);
      const std::lock_guard hold(s.mutex);
      s.paths[key].fork = fork;
    }
    // Of those that are put under one key, what follows them all.
    void follow(const void* key, const span_path& path, region_number region) {
      shard& s = shard_of(key);
      const std::lock_guard hold(s.mutex);
      item& i = s.paths[key];
      i.path.follow(path);
      i.region = region;
    }
    void follow(const void* key, const span_path& path, dag_thread* thread = nullptr) {
      shard& s = shard_of(key);
      const std::lock_guard hold(s.mutex);
      item& i = s.paths[key];
      i.path.follow(path);
      if (thread != nullptr) i.threads.push_back(thread);
    }
    struct item {
      span_path path{};
      region_number region = region_table::none;
      open_fork* fork = nullptr;
      // With a DAG: the thread that has this path, or that began a scope there.
      dag_thread* thread = nullptr;
      dag_thread::mark mark{};
      std::vector<dag_thread*> threads{};  // of a scope's children
    };
    [[nodiscard]] std::optional<item> get(const void* key) {
      shard& s = shard_of(key);
      const std::lock_guard hold(s.mutex);
      const auto found = s.paths.find(key);
      return found == s.paths.end() ? std::nullopt : std::optional(found->second);
    }
    [[nodiscard]] std::optional<item> take(const void* key) {
      shard& s = shard_of(key);
      const std::lock_guard hold(s.mutex);
      const auto found = s.paths.find(key);
      if (found == s.paths.end()) return std::nullopt;
      std::optional<item> result(std::move(found->second));
      s.paths.erase(found);
      return result;
    }

   private:
    struct shard {
      std::mutex mutex;
      std::unordered_map<const void*, item> paths;
    };
    shard& shard_of(const void* key) noexcept {
      return shards_[reinterpret_cast<std::uintptr_t>(key) / 64 % shards_.size()];
    }
    std::array<shard, 32> shards_;
  };

  path_map roots;    // their callers' paths; of one that has ended, its own
  path_map futures;  // of what made their results
  path_map scopes;   // of the children that have ended
  path_map steps;    // by the key of those that follow (strands::begin_step)
  region_table regions;
  const work_span_costs costs;
  const stamp_rate rate;
  const std::uint64_t fork_ticks;
  const std::uint64_t steal_ticks;
  const std::uint64_t suspend_ticks;
  const bool keeps_dag;
  const double dag_work;
  const std::uint64_t leaf_ticks;  // of the DAG

  // Threads of roots that nobody waits for. A future's user that takes one out joins it.
  void add_detached(dag_thread* t);
  [[nodiscard]] bool take_detached(dag_thread* t);

  // A function that nobody waits for has ended.
  void note_end(const span_path& path);
  // Some construct whose rule is missing was used; `what` is a literal.
  void note_not_covered(const char* what);
  [[nodiscard]] work_span collect();
  struct strand_sums {
    std::uint64_t strands = 0, ticks = 0;
  };
  [[nodiscard]] strand_sums collect_strands();
  // Whether the calling thread is in make(): then its pools belong to the trial.
  [[nodiscard]] static bool is_tried_here() noexcept;

 private:
  void bring_up_to_date(outside_flow& here) const;
  // The calling thread's, if it is one that has called a pool, or began the measurement.
  void bring_up_to_date_if_known();
  // The records of the flows outside become parts of one DAG.
  [[nodiscard]] std::string make_dag(const std::vector<work_span_region>& known);
  void fill_regions(work_span& result, const span_path& last) const;

  const unsigned process_;  // its generation
  std::mutex outside_mutex_;
  std::map<pthread_t, outside_flow> outside_;  // guarded by it
  work_log outside_log_{*this};                // likewise
  std::mutex mutex_;
  std::deque<work_log> logs_;  // guarded, as are the next two
  span_path last_end_;
  std::vector<const char*> not_covered_;
  std::set<dag_thread*> detached_;
};

}  // namespace heist::inline v0::detail
