// Each allocation in turn is refused. A construct then either works without it or throws
// std::bad_alloc, loses nothing, and works the next time. Memory for stacks comes from the system
// and is not an allocation (refusals_test.cpp).
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <ostream>
#include <random>

#include "heist/heist.hpp"
#include "heist/task.hpp"
#include "tests/stress/budget.hpp"
#include "tests/unit/api/constructs.hpp"
#include "tests/unit/parallel/support.hpp"

#if !defined(HEIST_TEST_ASAN) && !defined(HEIST_TEST_TSAN)  // they replace these functions

namespace {

std::atomic<long> refuse_at{0};  // counts down; at 1 an allocation is refused
std::atomic<long> alive{0};      // allocations

void* allocate(std::size_t size, std::size_t alignment) {
  if (refuse_at.load(std::memory_order_relaxed) > 0 &&
      refuse_at.fetch_sub(1, std::memory_order_relaxed) == 1)
    throw std::bad_alloc();
  void* const p =
      alignment <= alignof(std::max_align_t)
          ? std::malloc(size)
          : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (p == nullptr) throw std::bad_alloc();
  alive.fetch_add(1, std::memory_order_relaxed);
  return p;
}

void release(void* p) noexcept {
  if (p != nullptr) alive.fetch_sub(1, std::memory_order_relaxed);
  std::free(p);
}

}  // namespace

// This is not inlined, because g++ warns of free() if it sees that the memory came from new.
[[gnu::noinline]] void* operator new(std::size_t size) { return allocate(size, 1); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { release(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { release(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { release(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  release(p);
}

namespace heist_test {
namespace {

class Unprovided : public testing::TestWithParam<construct> {};
INSTANTIATE_TEST_SUITE_P(Constructs, Unprovided, testing::ValuesIn(all_constructs()),
                         [](const auto& one) { return one.param.name; });

TEST_P(Unprovided, SaysSoOrDoesWithout) {
  const construct& c = GetParam();
  for (const auto& pool : {&pools()[0], &pools()[2]}) {
    const watchdog guard(c.name);
    std::atomic<unsigned> calls{0};
    const body f = [&] { ++calls; };
    const auto run = [&] { (*pool)->run([&] { c.run(f); }); };
    for (int i = 0; i < 20; ++i) run();  // fills all caches
    const long before = alive.load();
    long refusals = 0;
    bool was_refused = true;
    for (long at = 1; was_refused; ++at) {
      calls = 0;
      bool was_told = false;
      refuse_at = at;
      try {
        run();
      } catch (const std::bad_alloc&) {
        was_told = true;
      } catch (const heist::resource_error&) {
        was_told = true;
      }
      was_refused = refuse_at.exchange(0) <= 0;
      refusals += was_refused;
      if (!was_told) {
        EXPECT_EQ(calls.load(), c.calls) << "at allocation " << at;
      }
      ASSERT_LT(at, 1000) << "allocates without end";
    }
    std::printf("%s: %ld allocations were refused\n", c.name.c_str(), refusals);
    calls = 0;
    run();
    EXPECT_EQ(calls.load(), c.calls);
    EXPECT_TRUE(eventually([&] { return alive.load() <= before; }))
        << alive.load() - before << " more than before, after " << refusals << " refusals";
  }
}

// A deque that cannot grow is full, so the child runs at once. Its spawner may wait for it to
// begin.
TEST(ChildrenWithoutMemory, AreCalledWhereTheDequeCannotGrow) {
  if (is_serial()) GTEST_SKIP() << "no deque";
  for (const heist::deque_kind kind :
       {heist::deque_kind::locked, heist::deque_kind::chase_lev, heist::deque_kind::multi_steal,
        heist::deque_kind::steal_half}) {
    heist::pool pool({.workers = 1, .deque = kind});
    pool.run([&] {
      int ran = 0;
      heist::scope(heist::spawn_kind::child, [&](heist::task_scope& s) {
        constexpr int first_capacity = 256;
        for (int i = 0; i < first_capacity; ++i) s.spawn([&ran] { ++ran; });
        EXPECT_EQ(ran, 0);
        refuse_at.store(1, std::memory_order_relaxed);  // the closure lies in the slot
        s.spawn([&ran] { heist::fork_join([&ran] { ran += 1000; }, [] {}); });
        EXPECT_EQ(refuse_at.exchange(0, std::memory_order_relaxed), 0) << to_string(kind);
        EXPECT_EQ(ran, 1000) << to_string(kind);
        s.spawn([&ran] { ++ran; });
      });
      EXPECT_EQ(ran, 1257) << to_string(kind);
    });
  }
}

class one_of_many final : public heist::task {
 public:
  explicit one_of_many(int& ran) : ran_(ran) {}
  void execute() override { ++ran_; }

 private:
  int& ran_;
};

class spawner_of_many final : public heist::task {
 public:
  void execute() override {
    for (int i = 0; i < 256; ++i) spawn(std::make_unique<one_of_many>(ran_));
    EXPECT_EQ(ran_, 0);
    auto last = std::make_unique<one_of_many>(ran_);
    refuse_at.store(1, std::memory_order_relaxed);
    spawn(std::move(last));
    EXPECT_EQ(refuse_at.exchange(0, std::memory_order_relaxed), 0);
    EXPECT_EQ(ran_, 1);
    wait_for_all();
    EXPECT_EQ(ran_, 257);
  }

 private:
  int ran_ = 0;
};

TEST(ChildrenWithoutMemory, OfTasksToo) {
  if (is_serial()) GTEST_SKIP() << "no deque";
  heist::pool pool({.workers = 1, .deque = heist::deque_kind::steal_half});
  spawner_of_many root;
  heist::run_task(pool, root);
}

}  // namespace
}  // namespace heist_test

#endif

// ---- Runs every construct inside every other, also with calls that throw.

namespace heist_test {
namespace {

class Outer : public testing::TestWithParam<construct> {};
INSTANTIATE_TEST_SUITE_P(Constructs, Outer, testing::ValuesIn(all_constructs()),
                         [](const auto& one) { return one.param.name; });

TEST_P(Outer, NestsWithEveryInner) {
  const construct& outer = GetParam();
  for (const auto& pool : pools()) {
    for (const construct& inner : all_constructs()) {
      const watchdog guard(outer.name + " of " + inner.name);
      std::atomic<unsigned> calls{0};
      pool->run([&] { outer.run([&] { inner.run([&] { ++calls; }); }); });
      EXPECT_EQ(calls.load(), outer.calls * inner.calls)
          << inner.name << " with " << pool->workers();
    }
  }
}

TEST_P(Outer, RunsOutsideAnyPool) {
  std::atomic<unsigned> calls{0};
  GetParam().run([&] { ++calls; });
  EXPECT_EQ(calls.load(), GetParam().calls);
}

// Chance determines which call throws first, but one exception must arrive, and everything must
// work as before.
TEST_P(Outer, HandsOnWhatACallThrows) {
  const construct& outer = GetParam();
  for (const auto& pool : pools()) {
    for (const construct& inner : all_constructs()) {
      const watchdog guard(outer.name + " of " + inner.name);
      for (unsigned at = 1; at <= outer.calls * inner.calls; at += 1 + at / 4) {
        std::atomic<unsigned> calls{0};
        EXPECT_THROW(pool->run([&] {
          outer.run([&] {
            inner.run([&] {
              if (++calls == at) throw injected_fault{};
            });
          });
        }),
                     injected_fault)
            << inner.name << " with " << pool->workers() << " at call " << at;
        EXPECT_GE(calls.load(), at);
        EXPECT_LE(calls.load(), outer.calls * inner.calls);
      }
      if (HasFailure()) return;
    }
  }
}

// Nests four constructs drawn at random, some with a throw; HEIST_STRESS_SEED repeats a run.
TEST(Nesting, GoesDeep) {
  const std::uint64_t seed = announced_seed();
  std::mt19937_64 random(seed);
  const auto& all = all_constructs();
  for (int round = 0; round < scaled(150); ++round) {
    std::string names;
    unsigned expected = 1;
    std::atomic<unsigned> calls{0};
    const bool throws = random() % 3 == 0;
    body f = [&] {
      if (++calls == 3 && throws) throw injected_fault{};
    };
    for (int depth = 0; depth < 4; ++depth) {
      const construct& c = all[random() % all.size()];
      names += c.name + ' ';
      expected *= c.calls;
      f = [run = c.run, inner = std::move(f)] { run(inner); };
    }
    const watchdog guard(names);
    auto& pool = *pools()[random() % pools().size()];
    try {
      pool.run(f);
      EXPECT_EQ(calls.load(), expected) << names;
      EXPECT_FALSE(throws && expected >= 3) << "lost what a call threw: " << names;
    } catch (const injected_fault&) {
      EXPECT_TRUE(throws) << names;
    }
  }
}

}  // namespace
}  // namespace heist_test
