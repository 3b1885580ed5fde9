// A lock for which no thread waits: of two that want it at the same time, one gets an exception.
#pragma once

#include <atomic>

#include "heist/detail/export.hpp"

namespace heist::inline v0::detail {

// A partitioner that remembers its last loop has one, since it serves one loop at a time.
class one_at_a_time {
 public:
  class use {
   public:
    // Throws usage_error if another loop has it.
    HEIST_API explicit use(one_at_a_time& lock);
    // Release: partner is the exchange in the constructor; the next loop sees what this one has
    // noted.
    ~use() { lock_.taken_.store(false, std::memory_order_release); }
    use(const use&) = delete;
    use& operator=(const use&) = delete;

   private:
    one_at_a_time& lock_;
  };

 private:
  std::atomic<bool> taken_{false};
};

}  // namespace heist::inline v0::detail
