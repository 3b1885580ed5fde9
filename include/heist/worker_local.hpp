// worker_local<T>: one value for each worker of a pool, made when that worker first asks for it.
//
//     heist::worker_local<std::vector<hit>> found(p);
//     heist::parallel_for(p, 0, n, [&](int i) { if (matches(i)) found.local().push_back(i); });
//     for (const auto& mine : found) report(mine);
//
// For buffers and counts that workers don't share. combinable is the same for threads of any kind;
// where the order of the program matters, see reducer.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "heist/detail/functional.hpp"
#include "heist/detail/own_value.hpp"
#include "heist/detail/race.hpp"
#include "heist/detail/refusal.hpp"
#include "heist/pool.hpp"

namespace heist::inline v0 {

// Each value is made by its own worker, and lies on cache lines of its own. The pool must outlive
// the object.
template <class T>
class worker_local {
  using cell = std::atomic<detail::own_value<T>*>;

  template <class Value>
  class basic_iterator;

 public:
  using value_type = T;
  using iterator = basic_iterator<T>;
  using const_iterator = basic_iterator<const T>;

  // Each value begins as T(). Throws std::bad_alloc.
  explicit worker_local(pool& p)
  requires std::default_initializable<T>
      : worker_local(p, [] { return T(); }) {}

  // Each value begins as factory(), which several workers may call at once, each for itself. If it
  // throws, so does local(), and the next local() tries again.
  template <class F>
  requires(!detail::is_factory<F, T>)
  worker_local(pool& p, F) : pool_(p), size_(0) {
    detail::say<detail::refusal::factory, F>();
  }
  template <class F>
  requires detail::is_factory<F, T>
  worker_local(pool& p, F factory)
      : pool_(p), make_(std::move(factory)), size_(p.slots()), cells_(new cell[size_]()) {}

  worker_local(const worker_local&) = delete;
  worker_local& operator=(const worker_local&) = delete;
  ~worker_local() { clear(); }

  // The value of the worker that runs the caller. A function can change its worker in every fork,
  // spawn, join and wait, and another function may then use the value: call local() again after
  // each. Throws usage_error on a thread that is no worker of the pool, and what the factory
  // throws. Thread-safe; costs a few ns when the value exists. Under HEIST_SERIAL, where a pool
  // runs nothing itself, every caller is worker 0: there only one thread at a time may call it.
  T& local();

  // The members below may only be called while no other function calls local() or uses what it
  // returned: after the joins.

  // The values that have been made, in the order of their workers.
  [[nodiscard]] iterator begin() noexcept { return {cells_.get(), cells_.get() + size_}; }
  [[nodiscard]] iterator end() noexcept { return {cells_.get() + size_, cells_.get() + size_}; }
  [[nodiscard]] const_iterator begin() const noexcept {
    return {cells_.get(), cells_.get() + size_};
  }
  [[nodiscard]] const_iterator end() const noexcept {
    return {cells_.get() + size_, cells_.get() + size_};
  }
  // How many values there are.
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(std::distance(begin(), end()));
  }
  // Destroys all values; local() makes new ones.
  void clear() noexcept {
    // Relaxed: no other thread uses the values now.
    for (std::size_t i = 0; i < size_; ++i)
      delete cells_[i].exchange(nullptr, std::memory_order_relaxed);
#if HEIST_RACE
    while (heist_v0_race_take_view(this) != nullptr) continue;
    kept_ = 0;
#endif
  }

 private:
#if HEIST_RACE
  void keep(detail::own_value<T>* added);
  std::size_t kept_ = 0;
#endif
  pool& pool_;
  std::function<T()> make_;
  std::size_t size_;
  std::unique_ptr<cell[]> cells_;  // each written by its worker
};

}  // namespace heist::inline v0

#include "heist/detail/worker_local_impl.hpp"
