// fork_join calls every kind of function, in place or moved as promised.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "heist/heist.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

// Runs fork_join(f, g) so that a second worker has to take g.
template <class G>
auto stolen(G&& g) {
  heist::pool pool({.workers = 2});
  auto result = pool.run([&] {
    const auto taken = [&pool] { return pool.stats().total.steals; };
    return heist::fork_join([&] { EXPECT_TRUE(eventually([&] { return taken() != 0; })); },
                            std::forward<G>(g));
  });
  EXPECT_EQ(pool.stats().total.steals, 1U);
  return std::get<1>(std::move(result));
}

// Runs the function without a thief, as the first and as the second function.
template <class G>
auto called(G&& g) {
  heist::pool pool({.workers = 1});
  return std::get<1>(pool.run([&] { return heist::fork_join([] {}, std::forward<G>(g)); }));
}

struct counter {
  int calls = 0;
  counter() = default;
  counter(const counter&) = delete;
  counter& operator=(const counter&) = delete;
  int operator()() { return ++calls; }
};

TEST(ForkJoinClosures, LvaluesAreCalledInPlace) {
  counter c;
  EXPECT_EQ(called(c), 1);
  EXPECT_EQ(stolen(c), 2);
  EXPECT_EQ(c.calls, 2);
  auto small = [n = 0]() mutable { return ++n; };
  EXPECT_EQ(called(small), 1);
  EXPECT_EQ(stolen(small), 2);
  EXPECT_EQ(small(), 3);
}

TEST(ForkJoinClosures, MoveOnlyRvaluesAreCalledAsRvalues) {
  struct consumer {
    std::unique_ptr<int> value;
    int operator()() && { return *std::exchange(value, nullptr); }
  };
  EXPECT_EQ(called(consumer{std::make_unique<int>(3)}), 3);
  EXPECT_EQ(stolen(consumer{std::make_unique<int>(4)}), 4);
}

// The value category of a function object decides which operator() is called, even in the slot.
struct overloaded {
  std::string operator()() & { return "lvalue"; }
  std::string operator()() const& { return "const lvalue"; }
  std::string operator()() && { return "rvalue"; }
  std::string operator()() const&& { return "const rvalue"; }
};

TEST(ForkJoinClosures, ValueCategoryAndConstAreKept) {
  overloaded o;
  const overloaded c;
  EXPECT_EQ(called(o), "lvalue");
  EXPECT_EQ(stolen(o), "lvalue");
  EXPECT_EQ(called(c), "const lvalue");
  EXPECT_EQ(stolen(c), "const lvalue");
  EXPECT_EQ(called(overloaded{}), "rvalue");
  EXPECT_EQ(stolen(overloaded{}), "rvalue");
  EXPECT_EQ(called(std::move(c)), "const rvalue");
  EXPECT_EQ(stolen(std::move(c)), "const rvalue");
}

template <std::size_t Bytes>
void expect_bytes_arrive() {
  std::array<unsigned char, Bytes> bytes;
  for (std::size_t i = 0; i < Bytes; ++i) bytes[i] = static_cast<unsigned char>(i * 7 + 1);
  const auto same = [&bytes](const auto& other) { return bytes == other; };
  EXPECT_TRUE(same(called([bytes] { return bytes; }))) << Bytes;
  EXPECT_TRUE(same(stolen([bytes] { return bytes; }))) << Bytes;
}

TEST(ForkJoinClosures, EverySizeArrivesWhole) {
  expect_bytes_arrive<1>();
  expect_bytes_arrive<7>();
  expect_bytes_arrive<8>();
  expect_bytes_arrive<9>();
  expect_bytes_arrive<39>();
  expect_bytes_arrive<40>();
  expect_bytes_arrive<41>();
  expect_bytes_arrive<64>();
  expect_bytes_arrive<5000>();
}

struct alignas(128) aligned_function {
  int value;
  bool operator()() const {
    return reinterpret_cast<std::uintptr_t>(this) % 128 == 0 && value == 5;
  }
};

TEST(ForkJoinClosures, OverAlignedOnesStayAligned) {
  EXPECT_TRUE(called(aligned_function{5}));
  EXPECT_TRUE(stolen(aligned_function{5}));
}

int free_function() { return 9; }

TEST(ForkJoinClosures, EmptyOnesFunctionsAndPointersToThem) {
  EXPECT_EQ(called([] { return 8; }), 8);
  EXPECT_EQ(stolen([] { return 8; }), 8);
  EXPECT_EQ(called(free_function), 9);
  EXPECT_EQ(stolen(free_function), 9);
  EXPECT_EQ(called(&free_function), 9);
  EXPECT_EQ(stolen(&free_function), 9);
  EXPECT_EQ(stolen(std::function<int()>(free_function)), 9);
}

TEST(ForkJoinClosures, NoexceptOnes) {
  EXPECT_EQ(called([]() noexcept { return 1; }), 1);
  EXPECT_EQ(stolen([]() noexcept { return 2; }), 2);
  heist::pool pool({.workers = 1});
  EXPECT_EQ(pool.run([] {
    return heist::fork_join([]() noexcept { return 3; }, []() noexcept { return 4; });
  }),
            std::tuple(3, 4));
}

TEST(ForkJoinClosures, FromOutsideLvaluesAreCalledInPlaceToo) {
  counter f;
  counter g;
  EXPECT_EQ(heist::fork_join(f, g), std::tuple(1, 1));
  EXPECT_EQ(heist::fork_join(f, [p = std::make_unique<int>(5)] { return *p; }), std::tuple(2, 5));
  EXPECT_EQ(f.calls, 2);
  EXPECT_EQ(g.calls, 1);
}

}  // namespace
}  // namespace heist_test
