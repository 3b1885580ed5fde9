// Algorithms of <numeric> and <memory>: results are those of the serial ones. The operations of
// scans are associative and nothing else.
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>

#include "support.hpp"

namespace heist_test {
namespace {

// x -> a x + b in a finite field: composition isn't commutative, and its values have memory.
class affine {
 public:
  affine() : affine(1, 0) {}
  affine(std::uint64_t a, std::uint64_t b)
      : v_(std::make_unique<std::pair<std::uint64_t, std::uint64_t>>(a % prime, b % prime)) {}
  affine(const affine& o) : affine(o.v_->first, o.v_->second) {}
  affine& operator=(const affine& o) {
    *v_ = *o.v_;
    return *this;
  }
  // First left, then right.
  friend affine operator*(const affine& l, const affine& r) {
    return {l.v_->first * r.v_->first, l.v_->second * r.v_->first + r.v_->second};
  }
  friend affine operator+(const affine& l, const affine& r) {
    return {l.v_->first + r.v_->first, l.v_->second + r.v_->second};
  }
  friend bool operator==(const affine& l, const affine& r) { return *l.v_ == *r.v_; }

 private:
  static constexpr std::uint64_t prime = 2'147'483'647;
  std::unique_ptr<std::pair<std::uint64_t, std::uint64_t>> v_;
};

std::vector<affine> affines(std::size_t n) {
  std::mt19937 random(5);
  std::vector<affine> v;
  for (std::size_t i = 0; i < n; ++i) v.emplace_back(random() % 1000 + 1, random());
  return v;
}

template <class F>
void with_sizes(const F& f) {
  for (const std::size_t n : sizes) {
    SCOPED_TRACE(n);
    with_policies([&](const auto& policy) { f(policy, n); });
  }
}

TEST(Numbers, Reductions) {
  with_sizes([](const auto& policy, std::size_t n) {
    // Small: libstdc++ adds the products of ints as ints, whatever the type of the result.
    const auto v = elements<int>(n, 100);
    const auto w = elements<int>(n, 100, 2);
    EXPECT_EQ(std::reduce(policy, v.begin(), v.end()), std::reduce(v.begin(), v.end()));
    EXPECT_EQ(std::reduce(policy, v.begin(), v.end(), 5L), std::reduce(v.begin(), v.end(), 5L));
    EXPECT_EQ(std::reduce(policy, v.begin(), v.end(), 7, std::bit_xor{}),
              std::reduce(v.begin(), v.end(), 7, std::bit_xor{}));
    EXPECT_EQ(std::transform_reduce(policy, v.begin(), v.end(), w.begin(), 3L),
              std::transform_reduce(v.begin(), v.end(), w.begin(), 3L));
    const auto f = [](int x) { return std::int64_t{x} * x; };
    EXPECT_EQ(std::transform_reduce(policy, v.begin(), v.end(), std::int64_t{1}, std::plus{}, f),
              std::transform_reduce(v.begin(), v.end(), std::int64_t{1}, std::plus{}, f));
    const auto g = [](int x, int y) { return std::int64_t{x} - y; };
    EXPECT_EQ(
        std::transform_reduce(policy, v.begin(), v.end(), w.begin(), std::int64_t{1}, std::plus{},
                              g),
        std::transform_reduce(v.begin(), v.end(), w.begin(), std::int64_t{1}, std::plus{}, g));
    const auto maps = affines(n);
    EXPECT_EQ(std::reduce(policy, maps.begin(), maps.end(), affine(2, 3)),
              std::accumulate(maps.begin(), maps.end(), affine(2, 3)));
  });
}

TEST(Numbers, Scans) {
  with_sizes([](const auto& policy, std::size_t n) {
    const auto v = affines(n);
    const auto squared = [](const affine& m) { return m * m; };
    const affine init(11, 12);
    const auto times = std::multiplies{};
    const auto check = [&](const auto& parallel, const auto& serial) {
      std::vector<affine> a(n), b(n);
      EXPECT_EQ(parallel(a) - a.begin(), serial(b) - b.begin());
      EXPECT_TRUE(a == b);
    };
    check(
        [&](auto& o) { return std::inclusive_scan(policy, v.begin(), v.end(), o.begin(), times); },
        [&](auto& o) { return std::inclusive_scan(v.begin(), v.end(), o.begin(), times); });
    check(
        [&](auto& o) {
          return std::inclusive_scan(policy, v.begin(), v.end(), o.begin(), times, init);
        },
        [&](auto& o) { return std::inclusive_scan(v.begin(), v.end(), o.begin(), times, init); });
    check(
        [&](auto& o) {
          return std::exclusive_scan(policy, v.begin(), v.end(), o.begin(), init, times);
        },
        [&](auto& o) { return std::exclusive_scan(v.begin(), v.end(), o.begin(), init, times); });
    check(
        [&](auto& o) {
          return std::transform_inclusive_scan(policy, v.begin(), v.end(), o.begin(), times,
                                               squared);
        },
        [&](auto& o) {
          return std::transform_inclusive_scan(v.begin(), v.end(), o.begin(), times, squared);
        });
    check(
        [&](auto& o) {
          return std::transform_inclusive_scan(policy, v.begin(), v.end(), o.begin(), times,
                                               squared, init);
        },
        [&](auto& o) {
          return std::transform_inclusive_scan(v.begin(), v.end(), o.begin(), times, squared, init);
        });
    check(
        [&](auto& o) {
          return std::transform_exclusive_scan(policy, v.begin(), v.end(), o.begin(), init, times,
                                               squared);
        },
        [&](auto& o) {
          return std::transform_exclusive_scan(v.begin(), v.end(), o.begin(), init, times, squared);
        });
  });
}

// Of floating-point numbers libstdc++ scans otherwise than of others. These are integers, so every
// order of the additions gives the same.
TEST(Numbers, ScansOfFloatingPoint) {
  with_sizes([](const auto& policy, std::size_t n) {
    const auto ints = elements<int>(n, 1000);
    const std::vector<double> v(ints.begin(), ints.end());
    std::vector<double> a(n), b(n);
    std::inclusive_scan(policy, v.begin(), v.end(), a.begin());
    std::inclusive_scan(v.begin(), v.end(), b.begin());
    EXPECT_EQ(a, b);
    std::exclusive_scan(policy, v.begin(), v.end(), a.begin(), 3.0);
    std::exclusive_scan(v.begin(), v.end(), b.begin(), 3.0);
    EXPECT_EQ(a, b);
    a = v;
    std::inclusive_scan(policy, a.begin(), a.end(), a.begin());
    std::inclusive_scan(v.begin(), v.end(), b.begin());
    EXPECT_EQ(a, b);
  });
}

TEST(Numbers, Differences) {
  with_sizes([](const auto& policy, std::size_t n) {
    const auto v = elements<int>(n, 1000);
    std::vector<int> a(n), b(n);
    EXPECT_EQ(std::adjacent_difference(policy, v.begin(), v.end(), a.begin()), a.end());
    std::adjacent_difference(v.begin(), v.end(), b.begin());
    EXPECT_EQ(a, b);
    std::adjacent_difference(policy, v.begin(), v.end(), a.begin(), std::plus{});
    std::adjacent_difference(v.begin(), v.end(), b.begin(), std::plus{});
    EXPECT_EQ(a, b);
  });
}

// Memory for n items in which there are none.
class raw_items {
 public:
  explicit raw_items(std::size_t n) : n_(n), memory_(std::allocator<item>().allocate(n + 1)) {}
  ~raw_items() { std::allocator<item>().deallocate(memory_, n_ + 1); }
  raw_items(const raw_items&) = delete;
  raw_items& operator=(const raw_items&) = delete;
  [[nodiscard]] item* begin() const { return memory_; }
  [[nodiscard]] item* end() const { return memory_ + n_; }

 private:
  std::size_t n_;
  item* memory_;
};

TEST(Memory, ElementsAreMadeAndDestroyedOnce) {
  with_sizes([](const auto& policy, std::size_t n) {
    const long before = item::alive;
    {
      auto v = elements<item>(n, 1000);
      const auto names = seen(v);
      const long with_v = item::alive;
      const raw_items raw(n);
      // `make` makes all elements; each has that key, or is that of v if there is none.
      const auto check = [&](int key, const auto& make) {
        EXPECT_EQ(make(), raw.end());
        EXPECT_EQ(item::alive, with_v + static_cast<long>(n));
        for (std::size_t i = 0; i < n; ++i)
          ASSERT_EQ(raw.begin()[i].key(), key < 0 ? names[i].first : key) << i;
        std::destroy(policy, raw.begin(), raw.end());
        EXPECT_EQ(item::alive, with_v);
      };
      const auto end = [&](auto&& call) { return call(), raw.end(); };
      check(-1, [&] { return std::uninitialized_copy(policy, v.begin(), v.end(), raw.begin()); });
      check(-1, [&] { return std::uninitialized_copy_n(policy, v.begin(), n, raw.begin()); });
      check(5, [&] {
        return end([&] { std::uninitialized_fill(policy, raw.begin(), raw.end(), item(5)); });
      });
      check(6, [&] { return std::uninitialized_fill_n(policy, raw.begin(), n, item(6)); });
      check(0, [&] {
        return end([&] { std::uninitialized_default_construct(policy, raw.begin(), raw.end()); });
      });
      check(0, [&] { return std::uninitialized_default_construct_n(policy, raw.begin(), n); });
      check(0, [&] {
        return end([&] { std::uninitialized_value_construct(policy, raw.begin(), raw.end()); });
      });
      check(0, [&] { return std::uninitialized_value_construct_n(policy, raw.begin(), n); });
      auto w = v;
      const long with_w = item::alive;
      EXPECT_EQ(std::uninitialized_move(policy, w.begin(), w.end(), raw.begin()), raw.end());
      EXPECT_EQ(item::alive, with_w + static_cast<long>(n));
      EXPECT_EQ(std::destroy_n(policy, raw.begin(), n), raw.end());
      EXPECT_EQ(item::alive, with_w);
      w = v;
      // libstdc++ 12 returns the end of the output where the standard wants both ends.
      static_cast<void>(std::uninitialized_move_n(policy, w.begin(), n, raw.begin()));
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(raw.begin()[i].key(), names[i].first) << i;
      std::destroy(policy, raw.begin(), raw.end());
      EXPECT_EQ(item::alive, with_w);
    }
    EXPECT_EQ(item::alive, before);
  });
}

}  // namespace
}  // namespace heist_test
