// The machinery of <heist/partition.hpp>: which elements are chosen, and where each one goes.
//
// The answers of the predicate are bits, 64 of them a word. Neither finding nor using them branches
// on a single answer, which no processor could foresee where about half of them are true.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "heist/detail/algorithm.hpp"
#include "heist/detail/parallel/element_buffer.hpp"
#include "heist/detail/parallel/leaf_scan.hpp"
#include "heist/detail/parallel/split_loop.hpp"
#include "heist/merge.hpp"
#include "heist/partition.hpp"

namespace heist::inline v0 {

namespace detail {

inline constexpr std::size_t word_size = 64;  // elements
inline constexpr std::uint64_t all_answers = ~std::uint64_t{0};
// Of a word whose last elements may be missing.
constexpr std::uint64_t first_answers(std::size_t length) noexcept {
  return all_answers >> (word_size - length);
}

// The answers for the elements of a range, in leaves of some words.
template <class It, class Predicate>
class choices {
 public:
  static constexpr std::size_t most_words = 32;  // of a leaf

  choices(It first, std::size_t n, Predicate& predicate, unsigned workers)
      : first_(first), n_(n), leaf_size_(leaf_size_for(n, workers)), predicate_(predicate) {}

  [[nodiscard]] std::size_t leaves() const noexcept { return (n_ + leaf_size_ - 1) / leaf_size_; }
  // The place of a leaf's first element.
  [[nodiscard]] std::size_t first(std::size_t leaf) const noexcept { return leaf * leaf_size_; }

  // To be called before choose(leaf). Throws std::bad_alloc.
  void make_room() { kept_ = std::make_unique_for_overwrite<std::uint64_t[]>(leaves() * words()); }

  // Asks the predicate about each element of a leaf and keeps the answers in the room made, or in
  // `words`. Returns how many are true.
  std::size_t choose(std::size_t leaf) const { return choose(leaf, &kept_[leaf * words()]); }
  std::size_t choose(std::size_t leaf, std::uint64_t* words) const {
    std::size_t count = 0;
    for_each_word(leaf, [&](std::size_t i, std::size_t length) {
      *words = answers(i, length);
      count += static_cast<std::size_t>(std::popcount(*words++));
    });
    return count;
  }

  // Calls each(i, bits, length) for the words of a leaf: bit j, up to the length, is the answer for
  // element i + j. They were kept by choose().
  template <class Each>
  void for_each_kept(std::size_t leaf, const Each& each) const {
    for_each_kept(leaf, &kept_[leaf * words()], each);
  }
  template <class Each>
  void for_each_kept(std::size_t leaf, const std::uint64_t* words, const Each& each) const {
    for_each_word(leaf, [&](std::size_t i, std::size_t length) { each(i, *words++, length); });
  }

  // The same with answers that are nowhere kept.
  template <class Each>
  void for_each_answered(std::size_t leaf, const Each& each) const {
    for_each_word(leaf,
                  [&](std::size_t i, std::size_t length) { each(i, answers(i, length), length); });
  }

 private:
  // The predicate may take long, so there are some leaves for each worker; and few, since each
  // costs two copies. Leaves of whole words have up to about a microsecond of a cheap predicate.
  // Races are looked for between leaves.
  static std::size_t leaf_size_for(std::size_t n, unsigned workers) noexcept {
    if constexpr (HEIST_RACE) return 1;
    const std::size_t leaves = workers == 1 ? 1 : std::min<std::size_t>(32 * workers, 256);
    const std::size_t size = n / leaves;
    if (size < word_size / 4) return size < 1 ? 1 : size;
    const std::size_t words = (size + word_size - 1) / word_size;
    return word_size * (words < most_words ? words : most_words);
  }
  // In a leaf.
  [[nodiscard]] std::size_t words() const noexcept {
    return (leaf_size_ + word_size - 1) / word_size;
  }

  template <class Each>
  void for_each_word(std::size_t leaf, const Each& each) const {
    std::size_t i = first(leaf);
    const std::size_t last = n_ - i < leaf_size_ ? n_ : i + leaf_size_;
    for (; last - i >= word_size; i += word_size) each(i, word_size);
    if (i != last) each(i, last - i);
  }

  // The answers for a whole word: as bytes first, for which compilers use vector instructions. Out
  // of line, since in its caller g++ can't always tell that the bytes alias nothing.
  [[gnu::noinline]] static std::uint64_t answers(It from, Predicate& predicate) {
    std::array<unsigned char, word_size> yes;
    for (std::size_t j = 0; j != word_size; ++j)
      yes[j] = static_cast<bool>(predicate(element_at(from, j))) ? 1 : 0;
    std::uint64_t bits = 0;
    for (std::size_t j = 0; j != word_size; j += 8) bits |= pack_eight(&yes[j]) << j;
    return bits;
  }
  // Of eight bytes that are 0 or 1, bit j of the result is the j-th: the multiplication adds copies
  // of them, no two of which have a bit in common, so that nothing carries.
  [[gnu::always_inline]] static std::uint64_t pack_eight(const unsigned char* bytes) noexcept {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t eight;
    std::memcpy(&eight, bytes, sizeof eight);
    return eight * 0x0102'0408'1020'4080 >> 56;
  }
  // The answers for `length` elements from i on.
  [[nodiscard]] std::uint64_t answers(std::size_t i, std::size_t length) const {
    if (length == word_size) return answers(iterator_at(first_, i), predicate_);
    std::uint64_t bits = 0;
    for (std::size_t j = 0; j != length; ++j)
      if (predicate_(element_at(first_, i + j))) bits |= std::uint64_t{1} << j;
    return bits;
  }

  const It first_;
  const std::size_t n_;
  const std::size_t leaf_size_;
  Predicate& predicate_;
  std::unique_ptr<std::uint64_t[]> kept_;
};

// A buffer that is made by the worker that first needs it.
template <class T>
class late_buffer {
 public:
  explicit late_buffer(std::size_t n) : n_(n) {}
  // Throws std::bad_alloc.
  [[nodiscard]] T* data() {
    T* const made = data_.load(std::memory_order_acquire);
    return made != nullptr ? made : make();
  }

 private:
  [[gnu::noinline]] T* make() {
    std::call_once(once_, [this] {
      buffer_.emplace(n_);
      data_.store(buffer_->data(), std::memory_order_release);
    });
    return buffer_->data();
  }

  const std::size_t n_;
  std::once_flag once_;
  std::optional<element_buffer<T>> buffer_;
  std::atomic<T*> data_ = nullptr;
};

// Copies the elements whose bits are set, in order, from `from` to `to`; returns the new end.
template <class It, class Out>
[[gnu::always_inline]] inline Out copy_chosen(It from, std::uint64_t bits, Out to) {
  constexpr int many = 56;  // then there are few runs, which are copied whole
  if constexpr (std::is_pointer_v<It> && std::is_pointer_v<Out>) {
    if (bits == all_answers) return std::copy(from, from + word_size, to);
    if (std::popcount(bits) >= many) {
      while (bits != 0) {
        const auto j = static_cast<std::size_t>(std::countr_zero(bits));
        const auto length = static_cast<std::size_t>(std::countr_one(bits >> j));
        to = std::copy(from + j, from + j + length, to);
        bits = j + length == word_size ? 0 : bits & all_answers << (j + length);
      }
      return to;
    }
  }
  for (; bits != 0; bits &= bits - 1, ++to)
    *to = element_at(from, static_cast<std::size_t>(std::countr_zero(bits)));
  return to;
}

// copy_if as a scan. The offset of a leaf is the place of its first chosen element in the output,
// so a worker that is alone copies in one pass.
template <class It, class Out, class Predicate>
class chosen_copier {
 public:
  chosen_copier(It first, std::size_t n, Out out, Predicate& predicate, unsigned workers)
      : first_(first), out_(out), choices_(first, n, predicate, workers), workers_(workers) {}

  // Returns how many were copied.
  std::size_t run() {
    if (workers_ > 1) choices_.make_room();
    if constexpr (shares_words<Out>) {
      if (workers_ > 1) return choose_then_copy();
    }
    return *leaf_scan<std::size_t, chosen_copier>(*this, workers_).run(leaves(), std::size_t{0});
  }

  [[nodiscard]] std::size_t leaves() const noexcept { return choices_.leaves(); }

  [[nodiscard]] static std::size_t joined(std::optional<std::size_t> offset,
                                          std::size_t count) noexcept {
    return *offset + count;
  }
  [[nodiscard]] std::size_t sum(std::size_t leaf) const { return choices_.choose(leaf); }
  std::size_t put_out(std::size_t leaf, std::optional<std::size_t> offset) const {
    std::size_t to = *offset;
    choices_.for_each_kept(
        leaf, [&](std::size_t i, std::uint64_t bits, std::size_t) { to = copy(i, bits, to); });
    return to;
  }
  [[nodiscard]] std::size_t put_out_and_sum(std::size_t leaf,
                                            std::optional<std::size_t> offset) const {
    std::size_t to = *offset;
    choices_.for_each_answered(
        leaf, [&](std::size_t i, std::uint64_t bits, std::size_t) { to = copy(i, bits, to); });
    return to;
  }

 private:
  // All workers ask the predicate, and one writes.
  std::size_t choose_then_copy() const {
    split_calls(
        leaves(),
        [&](std::size_t f, std::size_t l) {
          for (std::size_t k = f; k != l; ++k) choices_.choose(k);
        },
        workers_);
    std::size_t to = 0;
    for (std::size_t k = 0; k != leaves(); ++k) to = put_out(k, to);
    return to;
  }

  [[gnu::always_inline]] std::size_t copy(std::size_t i, std::uint64_t bits, std::size_t to) const {
    copy_chosen(iterator_at(first_, i), bits, iterator_at(out_, to));
    return to + static_cast<std::size_t>(std::popcount(bits));
  }

  const It first_;
  const Out out_;
  choices<It, Predicate> choices_;
  const unsigned workers_;
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
    const std::size_t n = length_of(first, last);
    using copier = chosen_copier<decltype(plain(first)), decltype(plain(out)),
                                 std::remove_reference_t<Predicate>>;
    return on_a_worker([&](unsigned workers) {
      copier chosen(plain(first), n, plain(out), predicate, workers);
      return iterator_at(out, chosen.run());
    });
  }
};

struct stable_partition_impl : takes_predicate {
  template <std::random_access_iterator It, std::predicate<std::iter_reference_t<It>> Predicate>
  It operator()(It first, It last, Predicate&& predicate) const {
    return on_a_worker([&](unsigned workers) {
      return iterator_at(first,
                         partition(plain(first), length_of(first, last), predicate, workers));
    });
  }

 private:
  // Calls each(k) for every leaf.
  template <class Each>
  static void for_leaves(std::size_t leaves, unsigned workers, const Each& each) {
    split_calls(
        leaves,
        [&](std::size_t f, std::size_t l) {
          for (std::size_t k = f; k != l; ++k) each(k);
        },
        workers);
  }
  // Makes the numbers of chosen elements in leaves those before each leaf; returns their sum.
  static std::size_t sum_up(std::vector<std::size_t>& counts) {
    std::size_t sum = 0;
    for (std::size_t& count : counts) count = std::exchange(sum, sum + count);
    return sum;
  }

  // Returns how many are chosen.
  template <class It, class Predicate>
  static std::size_t partition(It first, std::size_t n, Predicate& predicate, unsigned workers) {
    using T = std::iter_value_t<It>;
    choices<It, Predicate> chosen(first, n, predicate, workers);
    std::vector<std::size_t> before(chosen.leaves());  // chosen ones before each leaf
    if constexpr (std::is_pointer_v<It> && std::is_trivially_copyable_v<T> &&
                  std::is_copy_assignable_v<T>)
      return partition_copies(first, n, chosen, before, workers);
    else
      return partition_moved(first, n, chosen, before, workers);
  }

  template <class It, class Predicate>
  static std::size_t partition_moved(It first, std::size_t n, choices<It, Predicate>& chosen,
                                     std::vector<std::size_t>& before, unsigned workers) {
    chosen.make_room();
    for_leaves(before.size(), workers, [&](std::size_t k) { before[k] = chosen.choose(k); });
    const std::size_t count = sum_up(before);
    if (count == 0 || count == n) return count;

    element_buffer<std::iter_value_t<It>> moved(n);
    moved.move_in(first);
    for_leaves(before.size(), writers<It>(workers), [&](std::size_t k) {
      std::size_t yes = before[k];
      std::size_t no = count + chosen.first(k) - yes;
      const auto move_to = [&](std::size_t& to, std::size_t i, std::uint64_t bits) {
        for (; bits != 0; bits &= bits - 1)
          element_at(first, to++) =
              std::move(moved.data()[i + static_cast<std::size_t>(std::countr_zero(bits))]);
      };
      chosen.for_each_kept(k, [&](std::size_t i, std::uint64_t bits, std::size_t length) {
        move_to(yes, i, bits);
        move_to(no, i, ~bits & first_answers(length));
      });
    });
    return count;
  }

  // Elements that can be copied while the predicate may still throw. A leaf with both kinds is
  // parted within a second array as soon as its answers are known, while it lies in the cache; then
  // both its parts are copied back whole. Leaves of one kind are copied only if they don't stay
  // where they are.
  template <class T, class Predicate>
  static std::size_t partition_copies(T* first, std::size_t n, const choices<T*, Predicate>& chosen,
                                      std::vector<std::size_t>& before, unsigned workers) {
    late_buffer<T> parted(n);
    const auto size = [&](std::size_t k) {
      return std::min(chosen.first(k + 1), n) - chosen.first(k);
    };
    for_leaves(before.size(), workers, [&](std::size_t k) {
      std::array<std::uint64_t, choices<T*, Predicate>::most_words> answers;
      const std::size_t count = chosen.choose(k, answers.data());
      before[k] = count;
      if (count == 0 || count == size(k)) return;
      T* yes = parted.data() + chosen.first(k);
      T* no = yes + count;
      chosen.for_each_kept(k, answers.data(),
                           [&](std::size_t i, std::uint64_t bits, std::size_t length) {
                             yes = copy_chosen(first + i, bits, yes);
                             no = copy_chosen(first + i, ~bits & first_answers(length), no);
                           });
    });
    const std::size_t count = sum_up(before);
    if (count == 0 || count == n) return count;

    const auto in_leaf = [&](std::size_t k) {
      return (k + 1 < before.size() ? before[k + 1] : count) - before[k];
    };
    const auto stays = [&](std::size_t k) {
      return in_leaf(k) == 0 ? before[k] == count
                             : in_leaf(k) == size(k) && before[k] == chosen.first(k);
    };
    for_leaves(before.size(), workers, [&](std::size_t k) {
      if ((in_leaf(k) == 0 || in_leaf(k) == size(k)) && !stays(k))
        std::copy_n(first + chosen.first(k), size(k), parted.data() + chosen.first(k));
    });
    for_leaves(before.size(), workers, [&](std::size_t k) {
      if (stays(k)) return;
      const T* const from = parted.data() + chosen.first(k);
      std::copy_n(from, in_leaf(k), first + before[k]);
      std::copy_n(from + in_leaf(k), size(k) - in_leaf(k),
                  first + (count + chosen.first(k) - before[k]));
    });
    return count;
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
