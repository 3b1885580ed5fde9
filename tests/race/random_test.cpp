// Random programs: the detector's verdict on each location beside that of brute force, which knows
// of every pair of strands whether they are parallel.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "heist/detail/race.hpp"
#include "heist/detail/xorshift.hpp"

// What the compiler would call.
extern "C" {
void __tsan_read1(void* p);
void __tsan_write1(void* p);
void __tsan_read4(void* p);
void __tsan_write4(void* p);
void __tsan_read8(void* p);
void __tsan_write8(void* p);
std::uint64_t heist_v0_race_detected() noexcept;  // every one, as often as it is found
}

namespace heist_test {
namespace {

namespace race = heist::detail::race;

constexpr std::size_t words = 4;

struct access {
  std::vector<unsigned> strand;  // see is_parallel
  std::size_t first, bytes;
  bool writes;
  std::set<unsigned> locks;
};

// A strand's name: the way from the program's beginning, as pairs of how many joins the enclosing
// construct has had, and which of its branches it lies in; 0 for none of them.
bool is_parallel(const std::vector<unsigned>& a, const std::vector<unsigned>& b) {
  for (std::size_t i = 0; i + 1 < a.size() && i + 1 < b.size(); i += 2) {
    if (a[i] != b[i]) return false;      // a join lies between
    if (a[i + 1] == b[i + 1]) continue;  // the same branch
    // A branch is parallel to those beside it, and to what goes on after it.
    const unsigned x = a[i + 1], y = b[i + 1];
    if (x % 2 == 1 && y % 2 == 1) return true;  // two branches
    return x % 2 == 1 ? y > x : x > y;          // a branch, and the continuation
  }
  return false;
}

// Runs a random program and keeps its accesses.
class random_program {
 public:
  random_program(std::uint64_t seed, bool locks, unsigned char* memory)
      : state_(seed * 0x9E3779B97F4A7C15u + 1), uses_locks_(locks), memory_(memory) {}

  [[gnu::noinline]] void run(unsigned depth) {
    // In one construct: pairs of (joins, position); positions are even in the continuation and odd
    // in a branch.
    const std::size_t here = strand_.size();
    strand_.insert(strand_.end(), {0, 0});
    std::uint32_t bag = 0;
    const unsigned steps = 1 + next(5);
    for (unsigned i = 0; i < steps; ++i) {
      switch (next(depth == 0 ? 2 : 5)) {
        case 0:
        case 1:
          touch();
          break;
        case 2:
          heist_v0_race_join(&bag);
          ++strand_[here];
          strand_[here + 1] = 0;
          break;
        default: {
          ++strand_[here + 1];
          {
            const race::branch in(bag, race::kind::spawn, i, nullptr);
            run(depth - 1);
          }
          ++strand_[here + 1];
        }
      }
    }
    heist_v0_race_join(&bag);
    strand_.resize(here);
    // What follows is after all of this: the enclosing construct goes on, and a plain call is one
    // more step of it, whose branches are joined.
  }

  [[nodiscard]] bool has_found() const { return has_found_; }
  [[nodiscard]] bool has_race() const {
    for (std::size_t i = 0; i < done_.size(); ++i)
      for (std::size_t k = i + 1; k < done_.size(); ++k)
        if (is_race(done_[i], done_[k])) return true;
    return false;
  }

 private:
  static bool is_race(const access& a, const access& b) {
    if (!a.writes && !b.writes) return false;
    if (a.first + a.bytes <= b.first || b.first + b.bytes <= a.first) return false;
    for (const unsigned lock : a.locks)
      if (b.locks.contains(lock)) return false;
    return is_parallel(a.strand, b.strand);
  }

  unsigned next(unsigned n) {
    state_ = heist::detail::xorshift(state_);
    return static_cast<unsigned>(state_ >> 33U) % n;
  }

  void touch() {
    access a{strand_, 0, 0, next(3) == 0, {}};
    if (uses_locks_)
      for (unsigned lock = 0; lock < 3; ++lock)
        if (next(2) == 0) a.locks.insert(lock);
    for (const unsigned lock : a.locks) heist_v0_race_take(&locks_[lock], false);
    constexpr std::size_t sizes[] = {1, 4, 8};
    a.bytes = sizes[next(3)];
    a.first = next(static_cast<unsigned>(words * 8 / a.bytes)) * a.bytes;
    void* const at = memory_ + a.first;
    // Races of this test's own vectors are found, too: its copies are looked at.
    const std::uint64_t before = heist_v0_race_detected();
    switch (a.bytes) {
      case 1:
        a.writes ? __tsan_write1(at) : __tsan_read1(at);
        break;
      case 4:
        a.writes ? __tsan_write4(at) : __tsan_read4(at);
        break;
      default:
        a.writes ? __tsan_write8(at) : __tsan_read8(at);
    }
    has_found_ = has_found_ || heist_v0_race_detected() != before;
    for (const unsigned lock : a.locks) heist_v0_race_drop(&locks_[lock]);
    done_.push_back(std::move(a));
  }

  std::uint64_t state_;
  bool uses_locks_;
  unsigned char* memory_;
  std::vector<unsigned> strand_;
  std::vector<access> done_;
  bool has_found_ = false;
  std::uint64_t locks_[3]{};
};

void compare(bool locks, std::uint64_t programs) {
  alignas(16) static unsigned char memory[words * 8];
  std::uint64_t racy = 0;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    heist_v0_race_fresh(memory, sizeof(memory));
    random_program p(seed, locks, memory);
    p.run(3);
    ASSERT_EQ(p.has_found(), p.has_race()) << "the program of seed " << seed;
    racy += p.has_race() ? 1 : 0;
  }
  // Both verdicts, often.
  EXPECT_GT(racy, programs / 20);
  EXPECT_LT(racy, programs - programs / 20);
}

TEST(RandomPrograms, HaveTheVerdictOfBruteForce) { compare(false, 100'000); }
TEST(RandomPrograms, WithLocksHaveTheVerdictOfBruteForce) { compare(true, 100'000); }

}  // namespace
}  // namespace heist_test
