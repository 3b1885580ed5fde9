// The tests share these: policies, sizes and elements.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <compare>
#include <cstddef>
#include <execution>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "heist/detail/sanitizers.hpp"

namespace heist_test {

// A sanitizer takes minutes for the largest one elsewhere.
#if HEIST_TSAN || HEIST_ASAN
inline constexpr std::size_t largest_size = 10'007;
#else
inline constexpr std::size_t largest_size = 100'003;
#endif
inline constexpr std::size_t sizes[] = {0, 1, 2, 3, 17, 1000, 4097, largest_size};

// A number in memory of its own, with a name for elements that compare equal. It counts its
// objects.
class item {
 public:
  item() : item(0) {}
  explicit item(int key, int name = 0) : value_(std::make_unique<std::pair<int, int>>(key, name)) {
    ++alive;
  }
  item(const item& other) : item(other.key(), other.name()) {}
  item(item&& other) noexcept : value_(std::move(other.value_)) { ++alive; }
  item& operator=(const item& other) {
    value_ = std::make_unique<std::pair<int, int>>(other.key(), other.name());
    return *this;
  }
  item& operator=(item&& other) noexcept = default;
  ~item() { --alive; }

  // -1: it was moved from.
  [[nodiscard]] int key() const noexcept { return value_ == nullptr ? -1 : value_->first; }
  [[nodiscard]] int name() const noexcept { return value_ == nullptr ? -1 : value_->second; }

  friend bool operator==(const item& a, const item& b) noexcept { return a.key() == b.key(); }
  friend auto operator<=>(const item& a, const item& b) noexcept { return a.key() <=> b.key(); }

  static inline std::atomic<long> alive{0};

 private:
  std::unique_ptr<std::pair<int, int>> value_;
};

// The same without copies.
class owned : public item {
 public:
  owned() = default;
  explicit owned(int key, int name = 0) : item(key, name) {}
  owned(owned&&) noexcept = default;
  owned& operator=(owned&&) noexcept = default;
};

inline int key_of(int x) { return x; }
inline int key_of(const item& x) { return x.key(); }
inline int name_of(int) { return 0; }
inline int name_of(const item& x) { return x.name(); }

template <class T>
T made(int key, int name) {
  if constexpr (std::is_same_v<T, int>)
    return static_cast<void>(name), key;
  else
    return T(key, name);
}

// n elements of so many different keys; names are positions.
template <class T>
std::vector<T> elements(std::size_t n, int keys, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<T> v;
  v.reserve(n);
  for (std::size_t i = 0; i < n; ++i)
    v.push_back(
        made<T>(static_cast<int>(random() % static_cast<unsigned>(keys)), static_cast<int>(i)));
  return v;
}

// Keys and names, for comparisons of whole ranges.
template <class T>
std::vector<std::pair<int, int>> seen(const std::vector<T>& v) {
  std::vector<std::pair<int, int>> result;
  for (const T& x : v) result.emplace_back(key_of(x), name_of(x));
  return result;
}

// f(policy) for the parallel policies; f(policy, v, n) for elements of few and of many keys too.
// Each instance takes the compiler seconds. par_unseq has heist's part in common with par, and ints
// are what heist's own tests sort: `.ci/run slow` tests both.
#ifdef HEIST_TEST_SLOW
inline constexpr bool has_unseq = true;
using kinds = testing::Types<int, item>;
#else
inline constexpr bool has_unseq = false;
using kinds = testing::Types<item>;
#endif
template <class F>
void with_policies(const F& f) {
  f(std::execution::par);
  if constexpr (has_unseq) f(std::execution::par_unseq);
}
template <class T, class F>
void with_elements(const F& f) {
  for (const std::size_t n : sizes) {
    for (const int keys : {7, 1'000'000}) {
      const std::string what = std::to_string(n) + " elements of " + std::to_string(keys) + " keys";
      SCOPED_TRACE(what);
      const auto v = elements<T>(n, keys);
      f(std::execution::par, v, static_cast<std::ptrdiff_t>(n));
      if constexpr (has_unseq && std::is_same_v<T, int>)
        f(std::execution::par_unseq, v, static_cast<std::ptrdiff_t>(n));
    }
  }
}

}  // namespace heist_test
