// The threads on which a pool's fibers run what blocks.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "heist/detail/root.hpp"
#include "heist/detail/waiting.hpp"
#include "heist/stats.hpp"
#include "runtime/core/counter_cells.hpp"
#include "runtime/core/entry_lane.hpp"

namespace heist::inline v0::detail {

class blocking_crew {
 public:
  static constexpr std::size_t max_threads = 256;

  // On the caller's stack until the call has ended.
  struct call {
    root& what;
    wait_point ended{};
    call* next = nullptr;  // guarded by the crew's mutex
  };

  blocking_crew() = default;
  blocking_crew(const blocking_crew&) = delete;
  blocking_crew& operator=(const blocking_crew&) = delete;
  // When no other thread uses it any more.
  ~blocking_crew();

  // False if there is no thread for the call: then nothing was handed over.
  bool take(call& c, const std::string& pool_name) noexcept;

  // The numbers of the moment; thread-safe, and never waits.
  void report_to(pool_stats& s) const noexcept;
  [[nodiscard]] std::uint64_t threads_in_use() const noexcept;

 private:
  bool hand_over(call& c, const std::string& pool_name) noexcept;
  void serve(const std::string& name) noexcept;

  std::mutex mutex_;
  std::condition_variable changed_;
  intrusive_list<call> calls_;  // guarded by mutex_, as is the rest
  std::size_t free_ = 0;        // waiting threads, minus calls that wait for one
  bool is_over_ = false;
  std::vector<std::thread> threads_;

  // Written under mutex_, read by any thread.
  counter_cell taken_, refused_, ended_, started_;
};

}  // namespace heist::inline v0::detail
