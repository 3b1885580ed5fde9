// The machinery of <heist/places.hpp>.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "heist/chunks.hpp"
#include "heist/detail/export.hpp"
#include "heist/detail/root.hpp"
#include "heist/places.hpp"

namespace heist::inline v0 {

namespace detail {

// Whether a function for that place has to move there: then run_placed() takes it.
[[nodiscard]] HEIST_API bool is_elsewhere(unsigned place) noexcept;
// Gives the root to that place of the caller's pool, and returns when it has ended.
HEIST_API void run_placed(unsigned place, root& r) noexcept;

// Whole pages; nullptr: there is no memory.
[[nodiscard]] HEIST_API void* allocate_interleaved(std::size_t bytes) noexcept;
HEIST_API void free_interleaved(void* p, std::size_t bytes) noexcept;

}  // namespace detail

template <class F>
requires detail::can_be_called<F>
auto run_at(unsigned place, F&& f) -> std::invoke_result_t<F> {
  if (!detail::is_elsewhere(place)) return static_cast<F&&>(f)();
  detail::root_of<F> r(f);
  detail::run_placed(place, r);
  return r.take();
}

template <class F>
auto near(const void* address, F f) {
  return [address, f = std::move(f)]() mutable -> std::invoke_result_t<F&> {
    return run_at(place_of(address), f);
  };
}

template <class F>
requires std::invocable<F&, unsigned>
void for_each_place(F&& f) {
  const unsigned places = place_count();
  if (places == 1) return static_cast<void>(f(0U));
  scope([&](task_scope& s) {
    for (unsigned k = 0; k < places; ++k)
      s.spawn([&f, k] { run_at(k, [&f, k] { static_cast<void>(f(k)); }); });
  });
}

template <class Work>
void by_place::run(std::size_t n, const Work& work, unsigned) const {
  const std::size_t places = place_count();
  const auto bound = [=](std::size_t k) { return n / places * k + n % places * k / places; };
  for_each_place([&](unsigned k) { parallel_for_chunks(bound(k), bound(k + 1), work); });
}

template <class T>
T* interleaved_allocator<T>::allocate(std::size_t n) {
  if (n > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_array_new_length();
  void* const p = detail::allocate_interleaved(n * sizeof(T));
  if (p == nullptr) throw std::bad_alloc();
  return static_cast<T*>(p);
}

template <class T>
void interleaved_allocator<T>::deallocate(T* p, std::size_t n) noexcept {
  detail::free_interleaved(p, n * sizeof(T));
}

}  // namespace heist::inline v0
