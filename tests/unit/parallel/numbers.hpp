// Any number of consecutive numbers that are not stored: std::views::iota for a compiler that does
// not accept <ranges> (clang 14).
#pragma once

#include <iterator>
#include <string_view>  // std::ranges::enable_borrowed_range without <ranges>

namespace heist_test {

// [first, last); the difference of two of its iterators is a Difference.
template <class T, class Difference>
class numbers {
 public:
  class iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = Difference;
    using reference = T;
    using pointer = void;

    iterator() = default;
    explicit iterator(T at) noexcept : at_(at) {}

    T operator*() const noexcept { return at_; }
    T operator[](Difference d) const noexcept { return *(*this + d); }
    iterator& operator+=(Difference d) noexcept {
      at_ = static_cast<T>(at_ + d);
      return *this;
    }
    iterator& operator-=(Difference d) noexcept { return *this += -d; }
    iterator& operator++() noexcept { return *this += 1; }
    iterator& operator--() noexcept { return *this += -1; }
    iterator operator++(int) noexcept { return *this += 1, *this - 1; }
    iterator operator--(int) noexcept { return *this += -1, *this + 1; }
    friend iterator operator+(iterator i, Difference d) noexcept { return i += d; }
    friend iterator operator+(Difference d, iterator i) noexcept { return i += d; }
    friend iterator operator-(iterator i, Difference d) noexcept { return i -= d; }
    friend Difference operator-(iterator i, iterator k) noexcept {
      return static_cast<Difference>(i.at_) - static_cast<Difference>(k.at_);
    }
    friend bool operator==(iterator i, iterator k) noexcept { return i.at_ == k.at_; }
    friend bool operator<(iterator i, iterator k) noexcept { return i.at_ < k.at_; }
    friend bool operator>(iterator i, iterator k) noexcept { return k < i; }
    friend bool operator<=(iterator i, iterator k) noexcept { return !(k < i); }
    friend bool operator>=(iterator i, iterator k) noexcept { return !(i < k); }

   private:
    T at_{};
  };

  numbers(T first, T last) noexcept : first_(first), last_(last) {}
  [[nodiscard]] iterator begin() const noexcept { return iterator(first_); }
  [[nodiscard]] iterator end() const noexcept { return iterator(last_); }

 private:
  T first_;
  T last_;
};

}  // namespace heist_test

template <class T, class Difference>
inline constexpr bool std::ranges::enable_borrowed_range<heist_test::numbers<T, Difference>> = true;
