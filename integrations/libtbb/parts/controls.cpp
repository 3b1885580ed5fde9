#include "parts/controls.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <mutex>
#include <vector>

#include "parts/abi.hpp"

namespace tbb::detail::r1 {

// The header names this one as a friend of global_control.
struct global_control_impl {
  static std::size_t value(const d1::global_control& c) noexcept { return c.my_value; }
  static int parameter(const d1::global_control& c) noexcept { return c.my_param; }
};

}  // namespace tbb::detail::r1

namespace heist::inline v0::libtbb {

namespace {

using control = d1::global_control;

constexpr std::size_t default_stack_bytes = std::size_t{4} << 20;

// The controls in force, and what they come to. The numbers are read without the lock.
struct control_table {
  std::mutex lock;
  // Later releases have one kind more, when threads leave an arena: it is kept, and heist's threads
  // leave when there is nothing to do.
  std::array<std::vector<const control*>, control::parameter_max + 1> in_force;
  std::atomic<std::size_t> parallelism{0};  // 0: none in force
  std::atomic<std::size_t> usual_parallelism{1};
  std::atomic<std::size_t> stack_bytes{default_stack_bytes};
  std::atomic<bool> terminates{false};

  [[nodiscard]] std::vector<const control*>& of(const control& c) {
    return in_force.at(static_cast<std::size_t>(r1::global_control_impl::parameter(c)));
  }
  // Under the lock. Relaxed: numbers alone.
  void sum_up() noexcept {
    const auto extreme = [&](control::parameter p, std::size_t none, auto better) {
      std::size_t best = none;
      bool is_first = true;
      for (const control* c : in_force[p]) {
        const std::size_t v = r1::global_control_impl::value(*c);
        if (is_first || better(v, best)) best = v;
        is_first = false;
      }
      return best;
    };
    parallelism.store(extreme(control::max_allowed_parallelism, 0, std::less<>{}),
                      std::memory_order_relaxed);
    stack_bytes.store(extreme(control::thread_stack_size, default_stack_bytes, std::greater<>{}),
                      std::memory_order_relaxed);
    terminates.store(extreme(control::terminate_on_exception, 0, std::greater<>{}) != 0,
                     std::memory_order_relaxed);
  }
};

control_table& controls() noexcept {
  static control_table* const one = new control_table;  // never destroyed: workers ask at the end
  return *one;
}

}  // namespace

// Relaxed, all of them: as sum_up().
std::size_t allowed_parallelism() noexcept {
  const std::size_t least = controls().parallelism.load(std::memory_order_relaxed);
  return least != 0 ? least : usual_parallelism();
}
std::size_t worker_stack_bytes() noexcept {
  return controls().stack_bytes.load(std::memory_order_relaxed);
}
bool exceptions_terminate() noexcept {
  return controls().terminates.load(std::memory_order_relaxed);
}

void put_in_force(const d1::global_control& c) {
  control_table& table = controls();
  const std::lock_guard held(table.lock);
  table.of(c).push_back(&c);
  table.sum_up();
}
void take_out_of_force(const d1::global_control& c) noexcept {
  control_table& table = controls();
  const std::lock_guard held(table.lock);
  std::erase(table.of(c), &c);
  table.sum_up();
}
std::size_t usual_parallelism() noexcept {
  return controls().usual_parallelism.load(std::memory_order_relaxed);
}
void set_usual_parallelism(std::size_t threads) noexcept {
  controls().usual_parallelism.store(threads, std::memory_order_relaxed);
}

}  // namespace heist::inline v0::libtbb
