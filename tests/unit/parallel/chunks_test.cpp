// Loops, reductions and scans over chunks: every index is in one chunk, chunks are as long as
// promised, and results have the same bits for any number of workers.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "heist/cancellation.hpp"
#include "heist/chunks.hpp"
#include "tests/unit/parallel/support.hpp"

namespace heist_test {
namespace {

constexpr std::size_t sizes[] = {0, 1, 2, 3, 63, 128, 1000, 2049, 131'072, 300'001};
constexpr std::size_t leasts[] = {1, 2, 3, 100, 5000};

std::vector<double> numbers(std::size_t n) {
  std::mt19937_64 random(n + 1);
  std::vector<double> v(n);
  for (auto& x : v) x = std::ldexp(static_cast<double>(random() >> 12), -30) - 1e6;
  return v;
}

TEST(ParallelForChunks, EachIndexIsInOneChunkOfTheLeastLength) {
  for (const auto& pool : pools()) {
    for (const std::size_t n : sizes) {
      for (const std::size_t least : leasts) {
        std::vector<std::atomic<unsigned char>> seen(n);
        std::atomic<std::size_t> shortest{n};
        heist::parallel_for_chunks(
            *pool, std::size_t{0}, n,
            [&](std::size_t first, std::size_t last) {
              ASSERT_LT(first, last);
              ASSERT_LE(last, n);
              std::size_t old = shortest.load();
              while (last - first < old && !shortest.compare_exchange_weak(old, last - first)) {
              }
              for (; first != last; ++first) ++seen[first];
            },
            least);
        EXPECT_GE(shortest.load(), std::min(n, least)) << n << " " << least;
        EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](auto& s) { return s == 1; }))
            << n << " " << least << " on " << pool->workers();
      }
    }
  }
}

TEST(ParallelForChunks, TakesIndicesOfAnyTypeAndRefusesInvertedRanges) {
  std::atomic<std::int64_t> sum{0};
  heist::parallel_for_chunks(-100, std::int64_t{101}, [&](std::int64_t first, std::int64_t last) {
    for (; first != last; ++first) sum += first * first;
  });
  EXPECT_EQ(sum, 676'700);
  EXPECT_THROW(heist::parallel_for_chunks(2, 1, [](int, int) {}), heist::usage_error);
  EXPECT_THROW(heist::parallel_for_chunks(-1, 1U, [](unsigned, unsigned) {}), heist::usage_error);
}

TEST(ParallelForChunks, OneWorkerGetsTheWholeRangeAtOnce) {
  int calls = 0;
  heist::parallel_for_chunks(*pools()[0], 0, 1'000'000, [&](int first, int last) {
    ++calls;
    EXPECT_EQ(first, 0);
    EXPECT_EQ(last, 1'000'000);
  });
  EXPECT_EQ(calls, 1);
}

TEST(ParallelForChunks, ThrowsTheLeftmostException) {
  for (const auto& pool : pools()) {
    try {
      heist::parallel_for_chunks(*pool, 0, 100'000, [](int first, int last) {
        for (; first != last; ++first)
          if (first >= 70'000 || first == 12'345) throw first;
      });
      FAIL() << "nothing was thrown";
    } catch (const int at) {
      EXPECT_EQ(at, 12'345);
    }
  }
}

// Says no to the first so many questions, then yes.
class stops_after {
 public:
  explicit stops_after(long questions) : left_(questions) {}
  [[nodiscard]] bool stop_requested() const noexcept { return left_.fetch_sub(1) <= 0; }

 private:
  mutable std::atomic<long> left_;
};

TEST(ParallelForChunks, AStopConditionCountsIndices) {
  for (const auto& pool : pools()) {
    for (const std::size_t least : leasts) {
      for (const long questions : {0L, 1L, 5L}) {
        const std::size_t n = 70'001;
        std::atomic<std::uint64_t> seen{0};
        const stops_after stop(questions);
        std::optional<std::pair<std::uint64_t, std::uint64_t>> told;
        try {
          heist::parallel_for_chunks(
              *pool, stop, std::size_t{0}, n, [&](std::size_t f, std::size_t l) { seen += l - f; },
              least);
        } catch (const heist::cancelled& e) {
          told.emplace(e.done(), e.total());
        }
        if (told) {
          EXPECT_EQ(told->first, seen) << least << " " << questions;
          EXPECT_EQ(told->second, n);
          EXPECT_LT(seen, n);
        } else {
          EXPECT_EQ(seen, n);
        }
        if (questions == 0) {
          EXPECT_TRUE(told.has_value());
        }
      }
    }
  }
}

// ---- Reductions.

// The tree that heist/chunks.hpp promises, implemented a second time.
template <class Leaf>
double promised_tree(std::size_t first, std::size_t last, const Leaf& leaf) {
  if (last - first == 1) return leaf(first);
  const std::size_t middle = first + (last - first) / 2;
  return promised_tree(first, middle, leaf) + promised_tree(middle, last, leaf);
}

double promised_sum(const std::vector<double>& v, std::size_t least) {
  if (v.empty()) return 0;
  const std::size_t n = v.size();
  const std::size_t s = std::max(least, std::clamp<std::size_t>(n / 64, 1, 2048));
  const std::size_t m = std::max<std::size_t>(n / s, 1);
  return promised_tree(0, m, [&](std::size_t k) {
    const auto bound = [&](std::size_t i) { return i * (n / m) + std::min(i, n % m); };
    return std::accumulate(v.begin() + static_cast<long>(bound(k)),
                           v.begin() + static_cast<long>(bound(k + 1)), 0.0);
  });
}

TEST(ReduceChunks, HasThePromisedBitsForAnyNumberOfWorkers) {
  for (const std::size_t n : sizes) {
    const auto v = numbers(n);
    for (const std::size_t least : leasts) {
      const double promised = promised_sum(v, least);
      for (const auto& pool : pools()) {
        const double sum = heist::reduce_chunks(
            *pool, std::size_t{0}, n, 0.0,
            [&](std::size_t first, std::size_t last, double s) {
              for (; first != last; ++first) s += v[first];
              return s;
            },
            std::plus{}, least);
        EXPECT_EQ(sum, promised) << n << " " << least << " on " << pool->workers();
      }
    }
  }
}

TEST(ReduceChunks, CombinesNeighboursInOrder) {
  for (const auto& pool : pools()) {
    const std::string text = heist::reduce_chunks(
        *pool, 0, 5000, std::string(),
        [](int first, int last, std::string s) {
          for (; first != last; ++first) s += std::to_string(first) + " ";
          return s;
        },
        [](std::string a, const std::string& b) { return std::move(a) + b; });
    std::string serial;
    for (int i = 0; i < 5000; ++i) serial += std::to_string(i) + " ";
    EXPECT_EQ(text, serial);
  }
}

TEST(ReduceChunks, AnEmptyRangeGivesTheIdentityAndAFaultArrives) {
  const auto fold = [](int first, int, int s) {
    if (first >= 0) throw injected_fault{};
    return s;
  };
  EXPECT_EQ(heist::reduce_chunks(5, 5, 17, fold, std::plus{}), 17);
  EXPECT_THROW(heist::reduce_chunks(5, 6, 17, fold, std::plus{}), injected_fault);
  EXPECT_THROW(heist::reduce_chunks(stops_after(0), 0, 100'000, 0, fold, std::plus{}),
               heist::cancelled);
}

// The first chunk tells nothing of the others, of which each waits for a second thread.
TEST(ReduceChunks, OthersTakePartWhereOnlyTheFirstChunkIsCheap) {
  for (const auto& pool : pools()) {
    if (pool->workers() == 1) continue;
    std::mutex noting;
    std::set<std::thread::id> noted;
    std::atomic<std::size_t> threads = 0;
    const auto note_this_thread = [&] {
      const std::lock_guard hold(noting);
      noted.insert(std::this_thread::get_id());
      threads = noted.size();
    };
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    heist::reduce_chunks(
        *pool, 0, 6400, 0,
        [&](int first, int, int s) {
          if (first == 0) return s;
          note_this_thread();
          while (threads < 2 && std::chrono::steady_clock::now() < deadline) {
          }
          return s;
        },
        std::plus{});
    EXPECT_GE(threads, 2U) << pool->workers();
  }
}

// ---- Scans.

TEST(ScanChunks, PrefixesHaveTheSameBitsForAnyNumberOfWorkers) {
  for (const std::size_t n : sizes) {
    const auto v = numbers(n);
    for (const std::size_t least : leasts) {
      std::vector<double> first_out;
      std::optional<double> first_total;
      for (const auto& pool : pools()) {
        std::vector<double> out(n);
        std::atomic<std::size_t> summed{0};
        const double total = heist::scan_chunks(
            *pool, std::size_t{0}, n, 0.5,
            [&](std::size_t f, std::size_t l) {
              summed += l - f;
              double s = 0;
              for (; f != l; ++f) s += v[f];
              return s;
            },
            std::plus{},
            [&](std::size_t f, std::size_t l, double prefix) {
              for (; f != l; ++f) out[f] = prefix += v[f];
            },
            least);
        EXPECT_EQ(summed, n);
        if (!first_total) {
          first_total = total;
          first_out = out;
          std::vector<double> serial(n);
          std::inclusive_scan(v.begin(), v.end(), serial.begin(), std::plus{}, 0.5);
          for (std::size_t i = 0; i < n; ++i)
            ASSERT_NEAR(out[i], serial[i], 1.0) << i << " of " << n;
        }
        EXPECT_EQ(total, *first_total) << n << " " << least << " on " << pool->workers();
        EXPECT_EQ(out, first_out) << n << " " << least << " on " << pool->workers();
      }
    }
  }
}

TEST(ScanChunks, OnePassWherePutOutReturnsTheNextPrefix) {
  const std::size_t n = 300'001;
  std::vector<std::uint64_t> serial(n);
  std::iota(serial.begin(), serial.end(), std::uint64_t{3});
  std::partial_sum(serial.begin(), serial.end(), serial.begin());
  for (const auto& pool : pools()) {
    std::vector<std::uint64_t> out(n);
    std::atomic<std::size_t> summed{0};
    std::atomic<std::size_t> put{0};
    const std::uint64_t total = heist::scan_chunks(
        *pool, std::size_t{0}, n, std::uint64_t{0},
        [&](std::size_t f, std::size_t l) {
          summed += l - f;
          std::uint64_t s = 0;
          for (; f != l; ++f) s += f + 3;
          return s;
        },
        std::plus{},
        [&](std::size_t f, std::size_t l, std::uint64_t prefix) {
          put += l - f;
          for (; f != l; ++f) out[f] = prefix += f + 3;
          return prefix;
        });
    EXPECT_EQ(total, serial.back());
    EXPECT_EQ(out, serial);
    EXPECT_EQ(put, n);
    if (pool->workers() == 1) {
      EXPECT_EQ(summed, 0U);
    }
  }
}

TEST(ScanChunks, CombinesFromLeftToRight) {
  for (const auto& pool : pools()) {
    std::vector<std::string> prefixes(400);
    const auto text = [](int first, int last) {
      std::string s;
      for (; first != last; ++first) s += std::to_string(first) + " ";
      return s;
    };
    const std::string total = heist::scan_chunks(
        *pool, 0, 400, std::string("> "), text,
        [](const std::string& a, const std::string& b) { return a + b; },
        [&](int f, int, std::string prefix) { prefixes[static_cast<std::size_t>(f)] = prefix; });
    EXPECT_EQ(total, "> " + text(0, 400));
    for (int i = 0; i < 400; i += 20)
      EXPECT_EQ(prefixes[static_cast<std::size_t>(i)], "> " + text(0, i)) << i;
  }
}

}  // namespace
}  // namespace heist_test
