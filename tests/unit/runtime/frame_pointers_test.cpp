// `perf record --call-graph fp` can walk a fiber: from inside it the chain of frame pointers leads
// through our own frames to a zero at the stack's base. This file is compiled with frame pointers,
// as any program must be that is profiled this way.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "heist/heist.hpp"
#include "heist/sync/latch.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

struct mapping {
  std::uintptr_t first = 0;
  std::uintptr_t last = 0;
};

// The stack that contains the address: a fiber's or a thread's.
mapping mapping_of(std::uintptr_t address) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen("/proc/self/maps", "re"),
                                                             &std::fclose);
  std::array<char, 512> line{};
  while (maps && std::fgets(line.data(), static_cast<int>(line.size()), maps.get()) != nullptr) {
    mapping m;
    if (std::sscanf(line.data(), "%lx-%lx", &m.first, &m.last) == 2 && m.first <= address &&
        address < m.last)
      return m;
  }
  return {};
}

// A description of an error in the chain from here on; nothing if the chain ends with a zero.
[[gnu::noinline]] std::string walk() {
  auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const mapping stack = mapping_of(frame);
  for (int frames = 0;; ++frames) {
    const std::uintptr_t next = *reinterpret_cast<const std::uintptr_t*>(frame);
    if (next == 0) return frames < 2 ? "it ends before our frames" : "";
    if (next <= frame || next >= stack.last || next % 8 != 0) {
      std::array<char, 160> text{};
      std::snprintf(text.data(), text.size(), "frame %d, at %#lx, is followed by one at %#lx",
                    frames, frame, next);
      return text.data();
    }
    frame = next;
  }
}

// Adds one frame, so that the frame of walk() is not optimised away.
[[gnu::noinline]] void expect_chain(const char* where) { EXPECT_EQ(walk(), "") << where; }

class FramePointers : public testing::Test {
 protected:
  void SetUp() override {
#if defined(HEIST_TEST_BOOST_CONTEXT)
    GTEST_SKIP() << "Boost.Context leaves an address in a fresh context's frame pointer";
#endif
    if (is_serial()) GTEST_SKIP() << "no fibers";
  }
  heist::pool pool{{.workers = 3}};
};

TEST_F(FramePointers, OfARootAndItsForks) {
  pool.run([] {
    expect_chain("root");
    for (int round = 0; round < scaled(200); ++round) {
      signal_flag taken;
      heist::fork_join(
          [&] {
            EXPECT_TRUE(taken.wait());
            expect_chain("the half that its owner runs");
          },
          [&] {
            taken.raise();
            expect_chain("the stolen half");
          });
      expect_chain("after the join");
    }
  });
}

TEST_F(FramePointers, OfChildrenAndTheirSpawners) {
  pool.run([] {
    for (int round = 0; round < scaled(200); ++round) {
      heist::scope([&](heist::task_scope& s) {
        signal_flag stolen;
        s.spawn([&] {
          EXPECT_TRUE(stolen.wait());
          expect_chain("a child");
        });
        stolen.raise();
        expect_chain("a stolen spawner");
        s.spawn([] { expect_chain("a child of a stolen spawner"); });
        s.sync();
        expect_chain("after the sync");
      });
      expect_chain("after the scope");
    }
  });
}

TEST_F(FramePointers, OfLoopsFuturesAndWhatWasSuspended) {
  std::atomic<int> looked{0};
  heist::parallel_for(pool, 0, 10'000, [&](int i) {
    if (i % 1000 != 0) return;
    expect_chain("a loop's body");
    looked.fetch_add(1, std::memory_order_relaxed);
  });
  EXPECT_EQ(looked.load(std::memory_order_relaxed), 10);
  heist::latch opened(1);
  auto waits = pool.submit([&] {
    opened.wait();
    expect_chain("after a latch");
  });
  auto opens = pool.submit([&] {
    expect_chain("a submitted function");
    opened.count_down();
  });
  waits.get();
  opens.get();
  EXPECT_THROW(pool.run([] {
    heist::fork_join([] { throw 1; }, [] { expect_chain("beside one that throws"); });
  }),
               int);
}

}  // namespace
}  // namespace heist_test
