#include "runtime/core/fork_deque.hpp"

#include <algorithm>
#include <bit>

namespace heist::inline v0::detail {

std::unique_ptr<fork_deque> make_fork_deque(const pool_config& config, shared_queue* shared) {
  constexpr std::size_t first = 256;
  const std::size_t depth = config.fork_depth;
  switch (config.deque) {
    case deque_kind::split:
      return nullptr;
    case deque_kind::locked:
      return std::make_unique<forks_on<deque::locked<job*>>>(first);
    case deque_kind::spin_locked:
      return std::make_unique<forks_on<deque::spin_locked<job*>>>(first);
    case deque_kind::bounded_ring:
      return std::make_unique<forks_on<deque::bounded_ring<job*>>>(std::bit_ceil(depth));
    case deque_kind::abp:
      // Its places become free only when it is empty; when they run out, forks are calls.
      return std::make_unique<forks_on<deque::abp<job*>>>(
          std::min(depth, deque::abp<job*>::max_capacity));
    case deque_kind::chase_lev:
      return std::make_unique<forks_on<deque::chase_lev<job*>>>(first);
    case deque_kind::multi_steal:
      return std::make_unique<forks_on<deque::multi_steal<job*>>>(first, config.steal_batch,
                                                                  config.rule);
    case deque_kind::steal_half:
      return std::make_unique<forks_on<deque::steal_half<job*>>>(first);
    case deque_kind::shared_queue:
      return std::make_unique<shared_forks>(*shared);
  }
  return nullptr;
}

}  // namespace heist::inline v0::detail
