#include "runtime/core/fork_deque.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "platform/fatal.hpp"

namespace heist::inline v0::detail {

namespace {

constexpr std::size_t first_capacity = 256;

// Calls f with the deque that the constructor made.
template <class Variant, class Function>
auto with_deque(Variant& v, Function&& f) {
  using result = std::invoke_result_t<Function, decltype(std::get<1>(v))>;
  return std::visit(
      [&](auto& d) -> result {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(d)>, std::monostate>)
          platform::fatal("a worker uses a deque that its constructor didn't make");
        else
          return f(d);
      },
      v);
}

}  // namespace

fork_deque::fork_deque(const pool_config& config, shared_queue* shared) : shared_(shared) {
  const std::size_t depth = config.fork_depth;
  switch (config.deque) {
    case deque_kind::split:
      break;
    case deque_kind::locked:
      deque_.emplace<deque::locked<job*>>(first_capacity);
      break;
    case deque_kind::spin_locked:
      deque_.emplace<deque::spin_locked<job*>>(first_capacity);
      break;
    case deque_kind::bounded_ring:
      deque_.emplace<deque::bounded_ring<job*>>(std::bit_ceil(depth));
      break;
    case deque_kind::abp:
      // Its places become free only when it is empty; when they run out, forks are calls.
      deque_.emplace<deque::abp<job*>>(std::min(depth, deque::abp<job*>::max_capacity));
      break;
    case deque_kind::chase_lev:
      deque_.emplace<deque::chase_lev<job*>>(first_capacity);
      break;
    case deque_kind::multi_steal:
      deque_.emplace<deque::multi_steal<job*>>(first_capacity, config.steal_batch, config.rule);
      break;
    case deque_kind::steal_half:
      deque_.emplace<deque::steal_half<job*>>(first_capacity);
      break;
    case deque_kind::shared_queue:
      break;
  }
}

deque::push_result fork_deque::push(job& j, const int& priority) noexcept {
  if (shared_ != nullptr) [[unlikely]]
    return shared_->push(j, priority) ? deque::push_result::ok : deque::push_result::full;
  return with_deque(deque_, [&](auto& d) { return d.owner().push(&j); });
}

std::optional<job*> fork_deque::pop() noexcept {
  if (shared_ != nullptr) return std::nullopt;
  return with_deque(deque_, [](auto& d) { return d.owner().pop(); });
}

bool fork_deque::take_back(job& j, bool alone) noexcept {
  if (shared_ != nullptr) [[unlikely]]
    return alone ? shared_queue::claim_alone(j) : shared_->claim(j);
  if (alone && (std::holds_alternative<deque::locked<job*>>(deque_) ||
                std::holds_alternative<deque::spin_locked<job*>>(deque_)))
    return true;
  return with_deque(deque_, [](auto& d) { return d.owner().pop().has_value(); });
}

fork_deque::answer fork_deque::steal(fork_deque& loot, int& priority) noexcept {
  if (shared_ != nullptr) {
    const shared_queue::taken next = shared_->take();
    if (next.item == nullptr) return {deque::steal_result::empty, nullptr, 0};
    priority = next.priority;
    return {deque::steal_result::taken, next.item, 0};
  }
  return with_deque(deque_, [&](auto& d) -> answer {
    using deque_type = std::remove_cvref_t<decltype(d)>;
    if constexpr (deque::batched_deque<deque_type>) {
      auto mine = std::get<deque_type>(loot.deque_).owner();
      return d.thief().steal_into(mine);
    } else {
      const auto one = d.thief().steal();
      return {one.result, one.item, 0};
    }
  });
}

std::uint64_t fork_deque::resizes() noexcept {
  if (shared_ != nullptr) return 0;
  return with_deque(deque_, [](auto& d) -> std::uint64_t {
    if constexpr (requires { d.resizes(); })
      return d.resizes();
    else
      return 0;
  });
}

std::size_t fork_deque::size_hint() noexcept {
  if (shared_ != nullptr) return shared_->size_hint();
  return with_deque(deque_, [](auto& d) -> std::size_t { return d.thief().size_hint(); });
}

}  // namespace heist::inline v0::detail
