// Iterators, elements and calls that throw on demand, and comparisons that are inconsistent.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "tests/unit/parallel/support.hpp"

namespace heist_test {

// An iterator whose operations throw as planned (copies, steps, differences, comparisons, *),
// except for construction and destruction.
template <class T, class Category = std::random_access_iterator_tag>
class fallible_iterator {
 public:
  using iterator_category = Category;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;

  fallible_iterator() = default;
  explicit fallible_iterator(T* at) : at_(at) {}
  fallible_iterator(const fallible_iterator& other) : at_(step(other.at_)) {}
  fallible_iterator& operator=(const fallible_iterator& other) {
    at_ = step(other.at_);
    return *this;
  }
  ~fallible_iterator() = default;

  T& operator*() const { return *step(at_); }
  T* operator->() const { return step(at_); }
  T& operator[](difference_type n) const { return step(at_)[n]; }
  fallible_iterator& operator++() { return *this += 1; }
  fallible_iterator& operator--() { return *this += -1; }
  fallible_iterator operator++(int) { return moved_after(1); }
  fallible_iterator operator--(int) { return moved_after(-1); }
  fallible_iterator& operator+=(difference_type n) {
    at_ = step(at_) + n;
    return *this;
  }
  fallible_iterator& operator-=(difference_type n) { return *this += -n; }
  friend fallible_iterator operator+(const fallible_iterator& i, difference_type n) {
    return fallible_iterator(step(i.at_) + n);
  }
  friend fallible_iterator operator+(difference_type n, const fallible_iterator& i) {
    return i + n;
  }
  friend fallible_iterator operator-(const fallible_iterator& i, difference_type n) {
    return i + -n;
  }
  friend difference_type operator-(const fallible_iterator& a, const fallible_iterator& b) {
    return step(a.at_) - b.at_;
  }
  friend bool operator==(const fallible_iterator& a, const fallible_iterator& b) {
    return step(a.at_) == b.at_;
  }
  friend std::strong_ordering operator<=>(const fallible_iterator& a, const fallible_iterator& b) {
    return step(a.at_) <=> b.at_;
  }

 private:
  static T* step(T* p) {
    fault_plan::step();
    return p;
  }
  fallible_iterator moved_after(difference_type n) {
    T* const before = at_;
    *this += n;
    return fallible_iterator(before);
  }

  T* at_ = nullptr;
};

// A number that throws nothing and whose objects are counted.
struct tracked {
  int value = 0;
  counted object{};

  tracked(int v = 0) noexcept : value(v) {}
  friend bool operator==(const tracked& a, const tracked& b) { return a.value == b.value; }
  friend bool operator<(const tracked& a, const tracked& b) { return a.value < b.value; }
  friend tracked operator+(const tracked& a, const tracked& b) { return a.value + b.value; }
};

// A log of the visited places, of which some throw: the first bad one, and every third place to the
// right of it.
class visits {
 public:
  struct thrown {
    std::size_t place;
  };

  visits(std::size_t n, std::size_t first_bad) : seen_(n), first_bad_(first_bad) {}

  [[nodiscard]] std::size_t size() const noexcept { return seen_.size(); }
  void visit(std::size_t place) {
    seen_[place].fetch_add(1);
    if (place == first_bad_ || (place > first_bad_ && place % 3 == 0)) throw thrown{place};
  }

  // After a run, no place was visited twice, and all places to the left of the one that threw were
  // visited; without a bad place, all were.
  void expect_exact() const {
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      ASSERT_LE(seen_[i].load(), 1) << "at " << i;
      if (i <= first_bad_) {
        ASSERT_EQ(seen_[i].load(), 1) << "at " << i;
      }
    }
  }

 private:
  std::vector<std::atomic<int>> seen_;
  const std::size_t first_bad_;
};

// A place that records assignments to it.
class cell {
 public:
  cell(visits* log, std::size_t place) : log_(log), place_(place) {}
  template <class T>
  requires(!std::same_as<T, cell>)
  cell& operator=(const T&) {
    log_->visit(place_);
    return *this;
  }

 private:
  visits* log_;
  std::size_t place_;
};

// Throws the number of the call at the k-th call and at all later ones.
class failing_calls {
 public:
  explicit failing_calls(long at) : at_(at) {}
  void call() {
    const long mine = 1 + calls_.fetch_add(1);
    if (mine >= at_) throw mine;
  }
  [[nodiscard]] long calls() const noexcept { return calls_.load(); }

 private:
  const long at_;
  std::atomic<long> calls_{0};
};

// Comparisons that are not strict weak orders. number(element) distinguishes elements.
template <class T, class Number>
std::vector<std::function<bool(const T&, const T&)>> orders_that_are_none(Number number) {
  const auto coin = [](std::uint32_t x) { return ((x * 2654435761U) >> 16 & 1) != 0; };
  const auto calls = std::make_shared<std::atomic<std::uint32_t>>(0);
  return {
      [](const T&, const T&) { return true; },
      [](const T&, const T&) { return false; },
      [=](const T&, const T&) { return coin((*calls)++); },
      [=](const T& a, const T& b) { return coin(number(a) * 31 + number(b)); },
      [](const T& a, const T& b) { return !(b < a); },
  };
}

}  // namespace heist_test
