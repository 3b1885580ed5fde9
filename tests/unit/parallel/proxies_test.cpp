// Algorithms whose references are no references: bits of a word, which neighbours share, tuples of
// references, and iterators that are random-access by concept and input by category.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "heist/find.hpp"
#include "heist/for_each.hpp"
#include "heist/merge.hpp"
#include "heist/parallel_for.hpp"
#include "heist/partition.hpp"
#include "heist/reduce.hpp"
#include "heist/scan.hpp"
#include "heist/sort.hpp"
#include "heist/transform.hpp"
#include "tests/unit/parallel/support.hpp"

namespace heist_test {
namespace {

using bits = std::vector<bool>;

bits random_bits(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  bits v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = random() % 2 != 0;
  return v;
}

static_assert(heist::detail::shares_words<bits::iterator>);
static_assert(heist::detail::shares_words<std::reverse_iterator<bits::iterator>>);
static_assert(heist::detail::is_bit<std::pair<int&, bits::reference>>);
static_assert(!heist::detail::shares_words<bits::const_iterator>);
static_assert(!heist::detail::shares_words<std::vector<char>::iterator>);
static_assert(!heist::detail::is_bit<std::pair<int&, bool&>>);

// Each algorithm that writes, on bits, with several workers: what std does, in every call.
TEST(Bits, EachAlgorithmLosesNone) {
  constexpr std::size_t n = 6'007;  // no multiple of a word
  const auto is_set = [](bool b) { return b; };
  const auto parity = [](bool a, bool b) { return a != b; };
  for (const auto& pool : pools())
    for (unsigned round = 0; round < static_cast<unsigned>(scaled(40)); ++round) {
      const bits given = random_bits(n, round);
      SCOPED_TRACE(testing::Message() << "workers " << pool->workers() << ", round " << round);
      bits expected = given;
      std::sort(expected.begin(), expected.end());
      bits found = given;
      heist::sort(*pool, found);
      ASSERT_EQ(found, expected);
      found = given;
      heist::stable_sort(*pool, found);
      ASSERT_EQ(found, expected);
      found = given;
      ASSERT_EQ(heist::partition(*pool, found, is_set) - found.begin(),
                std::count(given.begin(), given.end(), true));
      std::reverse(expected.begin(), expected.end());
      ASSERT_EQ(found, expected);

      bits out(n);
      heist::copy(*pool, given, out.begin());
      ASSERT_EQ(out, given);
      heist::transform(*pool, given, out.begin(), [](bool b) { return !b; });
      expected = given;
      expected.flip();
      ASSERT_EQ(out, expected);
      heist::transform(*pool, out, out.begin(), [](bool b) { return !b; });
      ASSERT_EQ(out, given);
      heist::fill(*pool, out, true);
      ASSERT_EQ(out, bits(n, true));
      heist::generate(*pool, out, [] { return false; });
      ASSERT_EQ(out, bits(n, false));
      heist::for_each(*pool, out, [](auto bit) { bit = true; });
      ASSERT_EQ(out, bits(n, true));
      heist::parallel_for(
          *pool, out, [](auto bit) { bit = false; }, heist::static_blocks{});
      ASSERT_EQ(out, bits(n, false));
      bits chosen(n);
      const auto end = heist::copy_if(*pool, given, chosen.begin(), is_set);
      ASSERT_EQ(end - chosen.begin(), std::count(given.begin(), given.end(), true));
      ASSERT_EQ(std::count(chosen.begin(), chosen.end(), true), end - chosen.begin());
      heist::inclusive_scan(*pool, given, out.begin(), parity);
      std::inclusive_scan(given.begin(), given.end(), expected.begin(), parity);
      ASSERT_EQ(out, expected);
      heist::exclusive_scan(*pool, given, out.begin(), true, parity);
      std::exclusive_scan(given.begin(), given.end(), expected.begin(), true, parity);
      ASSERT_EQ(out, expected);
    }
}

// Their values are unspecified then, as those of other elements.
TEST(Bits, CanBeSortedAfterAComparisonThatThrows) {
  const bits given = random_bits(5'000, 1);
  bits found = given;
  int calls = 0;
  EXPECT_THROW(heist::sort(*pools()[0], found,
                           [&](bool a, bool b) {
                             if (++calls == 7'000) throw calls;
                             return a < b;
                           }),
               int);
  ASSERT_EQ(found.size(), given.size());
  heist::sort(*pools()[0], found);
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
}

}  // namespace

// As std::views::zip's: what it refers to is a pair of references made on the spot, so that its
// category in C++17 is that of an input iterator.
class pair_iterator {
 public:
  using value_type = std::pair<int, int>;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::input_iterator_tag;
  using iterator_concept = std::random_access_iterator_tag;
  struct reference {
    int& key;
    int& name;
    operator value_type() const { return {key, name}; }  // NOLINT: as a proxy does
    const reference& operator=(const value_type& v) const {
      key = v.first;
      name = v.second;
      return *this;
    }
    const reference& operator=(const reference& r) const { return *this = value_type(r); }
    reference(const reference&) = default;
    reference(int& k, int& n) : key(k), name(n) {}
    friend bool operator<(const reference& a, const reference& b) { return a.key < b.key; }
    friend bool operator<(const reference& a, const value_type& b) { return a.key < b.first; }
    friend bool operator<(const value_type& a, const reference& b) { return a.first < b.key; }
  };

  pair_iterator() = default;
  pair_iterator(int* key, int* name) : key_(key), name_(name) {}
  reference operator*() const { return {*key_, *name_}; }
  reference operator[](difference_type n) const { return *(*this + n); }
  pair_iterator& operator+=(difference_type n) {
    key_ += n;
    name_ += n;
    return *this;
  }
  pair_iterator& operator-=(difference_type n) { return *this += -n; }
  pair_iterator& operator++() { return *this += 1; }
  pair_iterator& operator--() { return *this -= 1; }
  pair_iterator operator++(int) { return std::exchange(*this, *this + 1); }
  pair_iterator operator--(int) { return std::exchange(*this, *this - 1); }
  friend pair_iterator operator+(pair_iterator i, difference_type n) { return i += n; }
  friend pair_iterator operator+(difference_type n, pair_iterator i) { return i += n; }
  friend pair_iterator operator-(pair_iterator i, difference_type n) { return i -= n; }
  friend difference_type operator-(const pair_iterator& a, const pair_iterator& b) {
    return a.key_ - b.key_;
  }
  friend bool operator==(const pair_iterator& a, const pair_iterator& b) {
    return a.key_ == b.key_;
  }
  friend auto operator<=>(const pair_iterator& a, const pair_iterator& b) {
    return a.key_ <=> b.key_;
  }
  friend void iter_swap(const pair_iterator& a, const pair_iterator& b) {
    std::swap(*a.key_, *b.key_);
    std::swap(*a.name_, *b.name_);
  }

 private:
  int* key_ = nullptr;
  int* name_ = nullptr;
};

}  // namespace heist_test

template <template <class> class K, template <class> class V>
struct std::basic_common_reference<heist_test::pair_iterator::reference,
                                   heist_test::pair_iterator::value_type, K, V> {
  using type = heist_test::pair_iterator::value_type;
};
template <template <class> class K, template <class> class V>
struct std::basic_common_reference<heist_test::pair_iterator::value_type,
                                   heist_test::pair_iterator::reference, K, V> {
  using type = heist_test::pair_iterator::value_type;
};

namespace heist_test {
namespace {

static_assert(std::random_access_iterator<pair_iterator>);

TEST(InputByCategory, SortsEndAndAreRight) {
  std::mt19937 random(5);
  for (const auto& pool : pools())
    for (const std::size_t n : {0U, 1U, 2U, 3U, 5U, 31U, 32U, 33U, 500U, 20'000U}) {
      std::vector<int> keys(n);
      std::vector<int> names(n);
      for (auto& k : keys) k = static_cast<int>(random() % 50);
      std::iota(names.begin(), names.end(), 0);
      std::vector<std::pair<int, int>> expected;
      for (std::size_t i = 0; i < n; ++i) expected.emplace_back(keys[i], names[i]);
      std::sort(expected.begin(), expected.end());  // the names are in order
      const pair_iterator first(keys.data(), names.data());
      const auto less = [](const auto& a, const auto& b) { return a < b; };
      heist::stable_sort(*pool, first, first + static_cast<std::ptrdiff_t>(n), less);
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(std::make_pair(keys[i], names[i]), expected[i]) << "at " << i << " of " << n;
      std::reverse(keys.begin(), keys.end());
      heist::sort(*pool, first, first + static_cast<std::ptrdiff_t>(n), less);
      ASSERT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    }
}

// Trivially copyable, and not to be copied.
struct only_moved {
  explicit only_moved(int k) : key(k) {}
  only_moved(only_moved&&) = default;
  only_moved& operator=(only_moved&&) = default;
  friend bool operator<(const only_moved& a, const only_moved& b) { return a.key < b.key; }
  int key;
};
static_assert(std::is_trivially_copyable_v<only_moved>);

TEST(OnlyMoved, SortsThoughTheyAreTriviallyCopyable) {
  std::mt19937 random(6);
  for (const auto& pool : pools())
    for (const int n : {2, 33, 20'000}) {
      std::vector<only_moved> v;
      for (int i = 0; i < n; ++i) v.emplace_back(static_cast<int>(random() % 1000));
      heist::sort(*pool, v);
      ASSERT_TRUE(std::is_sorted(v.begin(), v.end()));
      std::reverse(v.begin(), v.end());
      std::swap(v.front(), v.back());
      heist::stable_sort(*pool, v);
      ASSERT_TRUE(std::is_sorted(v.begin(), v.end()));
    }
}

}  // namespace
}  // namespace heist_test
