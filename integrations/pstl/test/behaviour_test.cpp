// What the standard says about parallel algorithms beside their results, and what heist adds.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>

#include <heist/detail/sanitizers.hpp>
#include <heist/heist.hpp>

#include "support.hpp"

namespace heist_test {
namespace {

TEST(Nesting, AlgorithmsInsideOfAlgorithms) {
  std::vector<std::vector<int>> rows(200);
  std::vector<long> sums(rows.size());
  std::for_each(std::execution::par, rows.begin(), rows.end(), [&](auto& row) {
    row.resize(1000 + static_cast<std::size_t>(&row - rows.data()));
    std::iota(row.begin(), row.end(), 0);
    std::reverse(std::execution::par, row.begin(), row.end());
    std::sort(std::execution::par_unseq, row.begin(), row.end());
    sums[static_cast<std::size_t>(&row - rows.data())] =
        std::reduce(std::execution::par, row.begin(), row.end(), 0L);
  });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const long n = static_cast<long>(rows[i].size());
    EXPECT_EQ(sums[i], n * (n - 1) / 2);
  }
}

// Where functions that haven't returned have their frames, and how many of these were begun on top
// of another one.
class open_frames {
 public:
  template <class F>
  [[gnu::noinline]] void call(const F& f) {
    const auto at = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    begin(at);
    f();
    const std::lock_guard hold(mutex_);
    open_.erase(at);
  }
  [[nodiscard]] int stacked() const { return stacked_; }

 private:
  void begin(std::uintptr_t at) {
    constexpr std::uintptr_t same_stack = std::uintptr_t{1} << 20;  // less than between two stacks
    const std::lock_guard hold(mutex_);
    const auto above = open_.upper_bound(at);
    if (above != open_.end() && *above - at < same_stack) ++stacked_;
    open_.insert(at);
  }

  std::mutex mutex_;
  std::set<std::uintptr_t> open_;  // guarded, as is the next
  int stacked_ = 0;
};

TEST(Nesting, AWaitDoesNotBeginAnotherIterationOnTop) {
  open_frames sees_them;
  sees_them.call([&] { sees_them.call([] {}); });
  ASSERT_EQ(sees_them.stacked(), 1);

  open_frames frames;
  heist::pool pool({.workers = 4});
  pool.run([&] {
    std::vector<int> outer(300);
    std::for_each(std::execution::par, outer.begin(), outer.end(), [&](int& x) {
      frames.call([&] {
        std::vector<int> inner(16, 1);
        std::for_each(std::execution::par, inner.begin(), inner.end(), [](int& y) {
          const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(10);
          while (std::chrono::steady_clock::now() < end) {
          }
          y = 2;
        });
        x = std::accumulate(inner.begin(), inner.end(), 0);
      });
    });
    EXPECT_EQ(std::count(outer.begin(), outer.end(), 32), 300);
  });
  EXPECT_EQ(frames.stacked(), 0);
}

TEST(Workers, AreThoseOfThePoolThatCalls) {
  if (const char* const serial = std::getenv("HEIST_SERIAL"); serial != nullptr)
    GTEST_SKIP() << "nothing runs in a pool";
  for (const unsigned workers : {1U, 2U, 8U}) {
    heist::pool pool({.workers = workers});
    std::vector<int> v(100'000, 1);
    std::atomic<int> elsewhere{0};
    pool.run([&] {
      std::for_each(std::execution::par, v.begin(), v.end(), [&](int& x) {
        if (heist::this_worker::pool() != &pool) ++elsewhere;
        x += 1;
      });
      EXPECT_EQ(std::reduce(std::execution::par, v.begin(), v.end()), 200'000);
    });
    EXPECT_EQ(elsewhere, 0);
  }
}

TEST(Workers, SeveralThreadsMayCallAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (int round = 0; round < 20; ++round) {
        auto v = elements<int>(20'000, 1'000'000, static_cast<unsigned>(20 * t + round));
        std::sort(std::execution::par, v.begin(), v.end());
        EXPECT_TRUE(std::is_sorted(std::execution::par, v.begin(), v.end()));
      }
    });
  for (auto& t : threads) t.join();
}

// ---- Exceptions.

class EndsDeathTest : public testing::TestWithParam<std::size_t> {
 protected:
  EndsDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};
INSTANTIATE_TEST_SUITE_P(Sizes, EndsDeathTest, testing::Values(1, 2, 700, 50'000));

// Several threads may throw at the same time: then the message doesn't say what.
constexpr const char* ended = "terminate called";

template <class E>
bool throws_at_3(int x) {
  if (x == 3) throw E();
  return x % 2 == 0;
}
struct fault : std::runtime_error {
  fault() : std::runtime_error("an element's function threw") {}
};

TEST_P(EndsDeathTest, AnExceptionOfAnElementsFunctionEndsTheProgram) {
  std::vector<int> v(GetParam(), 3);
  v.front() = GetParam() == 1 ? 3 : 2;  // libstdc++ begins a scan outside of what ends the program
  const auto any = [](int x) { return throws_at_3<fault>(x); };
  EXPECT_DEATH(std::for_each(std::execution::par, v.begin(), v.end(), any), ended);
  EXPECT_DEATH(std::for_each(std::execution::par_unseq, v.begin(), v.end(), any), ended);
  EXPECT_DEATH(static_cast<void>(std::count_if(std::execution::par, v.begin(), v.end(), any)),
               ended);
  EXPECT_DEATH(static_cast<void>(std::transform_reduce(std::execution::par, v.begin(), v.end(), 0,
                                                       std::plus{}, any)),
               ended);
  const auto less = [](int x, int) { return throws_at_3<fault>(x); };
  if (GetParam() > 1) {
    EXPECT_DEATH(std::transform_inclusive_scan(std::execution::par, v.begin(), v.end(), v.begin(),
                                               std::plus{}, any),
                 ended);
    EXPECT_DEATH(std::sort(std::execution::par, v.begin(), v.end(), less), ended);
    EXPECT_DEATH(std::stable_sort(std::execution::par, v.begin(), v.end(), less), ended);
    std::vector<int> out(2 * v.size());
    EXPECT_DEATH(
        std::merge(std::execution::par, v.begin(), v.end(), v.begin(), v.end(), out.begin(), less),
        ended);
  }
}

TEST_P(EndsDeathTest, ALackOfMemoryInAnElementsFunctionIsNoOtherException) {
  std::vector<int> v(GetParam(), 3);
  const auto any = [](int x) { return throws_at_3<std::bad_alloc>(x); };
  EXPECT_DEATH(std::for_each(std::execution::par, v.begin(), v.end(), any), ended);
  EXPECT_DEATH(static_cast<void>(std::reduce(std::execution::par, v.begin(), v.end(), 0,
                                             [&](int x, int y) { return any(3) ? x : y; })),
               ended);
}

struct huge {
  std::byte bytes[std::size_t{1} << 16];
};

TEST(Memory, ThatCantBeHadIsThrown) {
#if HEIST_ASAN || HEIST_TSAN
  GTEST_SKIP() << "their operator new ends the program";
#endif
  EXPECT_THROW(static_cast<void>(__pstl::__par_backend::__buffer<huge>(~std::size_t{0} / 4)),
               std::bad_alloc);
  EXPECT_THROW(static_cast<void>(__pstl::__par_backend::__buffer<huge>(std::size_t{1} << 40)),
               std::bad_alloc);
}

}  // namespace
}  // namespace heist_test
