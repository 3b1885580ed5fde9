// The machinery of <heist/partition.hpp>: which elements are selected, and where each one goes.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "heist/detail/algorithm.hpp"
#include "heist/detail/parallel/element_buffer.hpp"
#include "heist/detail/parallel/split_loop.hpp"
#include "heist/partition.hpp"

namespace heist::inline v0 {

namespace detail {

// Calls the predicate once for each element, and knows afterwards where each element belongs.
class selection {
 public:
  template <class It, class Predicate>
  selection(It first, std::size_t n, Predicate& predicate)
      : n_(n), each_(n / 256 < 1 ? 1 : n / 256), chosen_(n), before_((n + each_ - 1) / each_) {
    split_on_demand(before_.size(), [&](std::size_t f, std::size_t l) {
      for (std::size_t b = f; b != l; ++b) {
        std::size_t count = 0;
        for (std::size_t i = b * each_; i != end_of(b); ++i) {
          const bool yes = static_cast<bool>(predicate(element_at(first, i)));
          chosen_[i] = yes ? 1 : 0;
          count += yes ? 1 : 0;
        }
        before_[b] = count;
      }
    });
    for (auto& b : before_) b = std::exchange(count_, count_ + b);
  }

  // How many elements satisfy the predicate.
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

  // Calls place(i, where, chosen) for every element: it is the where-th of the chosen ones, or of
  // the others.
  template <class Place>
  void for_each(unsigned workers, const Place& place) const {
    const auto blocks = [&](std::size_t f, std::size_t l) {
      for (std::size_t b = f; b != l; ++b) {
        std::size_t yes = before_[b];
        std::size_t no = b * each_ - yes;
        for (std::size_t i = b * each_; i != end_of(b); ++i) {
          if (chosen_[i] != 0)
            place(i, yes++, std::true_type());
          else
            place(i, no++, std::false_type());
        }
      }
    };
    split_on_demand(before_.size(), blocks, workers);
  }

 private:
  [[nodiscard]] std::size_t end_of(std::size_t block) const noexcept {
    return n_ - block * each_ < each_ ? n_ : (block + 1) * each_;
  }

  const std::size_t n_;
  const std::size_t each_;  // elements in a block
  std::vector<unsigned char> chosen_;
  std::vector<std::size_t> before_;  // chosen ones before each block
  std::size_t count_ = 0;
};

struct copy_if_impl {
  template <class It, class End = void, class Out = void, class Predicate = void, class...>
  static consteval refusal why() {
    if constexpr (std::is_void_v<Predicate>)
      return refusal::arguments;
    else if constexpr (constexpr refusal why = takes_predicate::why<It, End, Predicate>();
                       why != refusal::none)
      return why;
    else
      return std::random_access_iterator<std::remove_cvref_t<Out>> ? refusal::none
                                                                   : refusal::output;
  }

  template <std::random_access_iterator It, std::random_access_iterator Out,
            std::predicate<std::iter_reference_t<It>> Predicate>
  Out operator()(It first, It last, Out out, Predicate&& predicate) const {
    return on_a_worker([&](unsigned workers) {
      const selection chosen(first, length_of(first, last), predicate);
      chosen.for_each(writers<Out>(workers), [&](std::size_t i, std::size_t where, auto yes) {
        if constexpr (yes()) element_at(out, where) = element_at(first, i);
      });
      return iterator_at(out, chosen.count());
    });
  }
};

struct stable_partition_impl : takes_predicate {
  template <std::random_access_iterator It, std::predicate<std::iter_reference_t<It>> Predicate>
  It operator()(It first, It last, Predicate&& predicate) const {
    return on_a_worker([&](unsigned workers) {
      const std::size_t n = length_of(first, last);
      const selection chosen(first, n, predicate);
      if (chosen.count() != 0 && chosen.count() != n) {
        element_buffer<std::iter_value_t<It>> moved(n);
        moved.move_in(first);
        chosen.for_each(writers<It>(workers), [&](std::size_t i, std::size_t where, auto yes) {
          element_at(first, yes() ? where : chosen.count() + where) = std::move(moved.data()[i]);
        });
      }
      return iterator_at(first, chosen.count());
    });
  }
};

}  // namespace detail

struct copy_if_function
    : detail::algorithm<detail::with_ranges<detail::copy_if_impl, detail::result_is::apart>> {};
struct partition_function : detail::algorithm<detail::with_ranges<detail::stable_partition_impl>> {
};

inline constexpr copy_if_function copy_if{};
inline constexpr partition_function partition{};
inline constexpr partition_function stable_partition{};

}  // namespace heist::inline v0
