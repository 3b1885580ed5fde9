// Channels: each item arrives once, in its sender's order, whichever side waits.
#include "heist/sync/channel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "tests/unit/sync/support.hpp"

namespace heist_test {
namespace {

class Channels : public on_pools {};
INSTANTIATE_TEST_SUITE_P(Pools, Channels, testing::ValuesIn(few_pools()), name_of);

class ChannelChains : public on_pools {};
INSTANTIATE_TEST_SUITE_P(Pools, ChannelChains, testing::ValuesIn(all_pools()), name_of);

struct item : counted {
  item(int f, int n) noexcept : from(f), number(n) {}
  item(item&&) noexcept = default;
  item& operator=(item&&) noexcept = default;
  int from;
  int number;
};

TEST_P(Channels, EachItemArrivesOnceAndInItsSendersOrder) {
  constexpr int senders = 5;    // the last two are threads
  constexpr int receivers = 4;  // the first two are threads
  const int items = scaled(500);
  for (const std::size_t capacity : {0U, 1U, 2U, 7U}) {
    heist::channel<item> c(capacity);
    std::atomic<int> open{senders};
    std::array<std::vector<item>, receivers> got;
    run_mixed(pool_, 5, 4, [&](int who) {
      // Fibers: 2 receivers, 3 senders; threads: 2 senders, 2 receivers.
      if (who >= 2 && who < 7) {
        for (int i = 0; i < items; ++i) ASSERT_TRUE(c.send(item(who - 2, i)));
        if (--open == 0) c.close();
        return;
      }
      auto& mine = got[static_cast<std::size_t>(who < 2 ? who : who - 5)];
      while (std::optional<item> next = c.receive()) mine.push_back(std::move(*next));
    });
    std::vector<int> times(static_cast<std::size_t>(senders * items), 0);
    for (const auto& mine : got) {
      std::array<int, senders> last;
      last.fill(-1);
      for (const item& i : mine) {
        EXPECT_LT(std::exchange(last[static_cast<std::size_t>(i.from)], i.number), i.number);
        ++times[static_cast<std::size_t>(i.from * items + i.number)];
      }
    }
    EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](int t) { return t == 1; }));
    EXPECT_FALSE(c.send(item(0, 0)));
    EXPECT_FALSE(c.receive().has_value());
  }
  EXPECT_EQ(counted::alive, 0);
}

// Every stage waits for its neighbours; one worker must be enough.
TEST_P(ChannelChains, AChainOfFibersPassesItemsOn) {
  constexpr int stages = 6;
  const int items = scaled(300);
  std::array<heist::channel<std::unique_ptr<int>>, stages> c{
      heist::channel<std::unique_ptr<int>>(2), heist::channel<std::unique_ptr<int>>(1),
      heist::channel<std::unique_ptr<int>>(0), heist::channel<std::unique_ptr<int>>(3),
      heist::channel<std::unique_ptr<int>>(1), heist::channel<std::unique_ptr<int>>(0)};
  std::vector<int> out;
  auto stage = [&](int s) {
    const auto i = static_cast<std::size_t>(s);
    if (s == 0) {
      for (int n = 0; n < items; ++n) EXPECT_TRUE(c[0].send(std::make_unique<int>(n)));
      c[0].close();
    } else if (s == stages) {
      while (auto p = c[i - 1].receive()) out.push_back(**p);
    } else {
      while (auto p = c[i - 1].receive()) {
        **p += 1;
        EXPECT_TRUE(c[i].send(std::move(*p)));
      }
      c[i].close();
    }
  };
  pool_.run([&] { fork_all(0, stages + 1, stage); });
  ASSERT_EQ(out.size(), static_cast<std::size_t>(items));
  for (int n = 0; n < items; ++n) EXPECT_EQ(out[static_cast<std::size_t>(n)], n + stages - 1);
}

TEST_P(Channels, ClosingRefusesTheSendersThatWait) {
  for (int round = 0; round < scaled(60); ++round) {
    heist::channel<std::unique_ptr<int>> c(1);
    std::atomic<int> accepted{0};
    std::atomic<int> kept{0};
    run_mixed(pool_, 6, 2, [&](int who) {
      if (who == 5) {
        c.close();
        return;
      }
      auto mine = std::make_unique<int>(who);
      if (c.send(std::move(mine)))
        ++accepted;
      else if (mine != nullptr)
        ++kept;
    });
    ASSERT_LE(accepted, 1);
    ASSERT_EQ(accepted + kept, 7);
    ASSERT_EQ(c.receive().has_value(), accepted == 1);
  }
}

TEST_P(Channels, ClosingLetsTheReceiversThatWaitGo) {
  for (int round = 0; round < scaled(60); ++round) {
    heist::channel<int> c(4);
    std::atomic<int> got{0};
    std::atomic<int> nothing{0};
    run_mixed(pool_, 6, 2, [&](int who) {
      if (who == 5) {
        EXPECT_TRUE(c.send(1));
        c.close();
        c.close();
      } else {
        ++(c.receive() ? got : nothing);
      }
    });
    ASSERT_EQ(got, 1);
    ASSERT_EQ(nothing, 6);
  }
}

TEST(ChannelsAlone, TryFormsDontWait) {
  heist::channel<std::unique_ptr<int>> c(2);
  EXPECT_EQ(c.capacity(), 2U);
  EXPECT_FALSE(c.try_receive());
  auto one = std::make_unique<int>(1);
  EXPECT_TRUE(c.try_send(std::move(one)));
  EXPECT_TRUE(c.try_send(std::make_unique<int>(2)));
  auto three = std::make_unique<int>(3);
  EXPECT_FALSE(c.try_send(std::move(three)));
  ASSERT_NE(three, nullptr);
  EXPECT_EQ(**c.try_receive(), 1);
  EXPECT_FALSE(c.is_closed());
  c.close();
  EXPECT_TRUE(c.is_closed());
  EXPECT_FALSE(c.try_send(std::move(three)));
  EXPECT_NE(three, nullptr);
  EXPECT_EQ(**c.try_receive(), 2);
  EXPECT_FALSE(c.try_receive());
}

TEST(ChannelsAlone, WhatWasNotReceivedIsDestroyed) {
  {
    heist::channel<item> c(3);
    EXPECT_TRUE(c.send(item(0, 0)));
    static_cast<void>(c.receive());
    for (int i = 1; i < 4; ++i) EXPECT_TRUE(c.send(item(0, i)));
    EXPECT_EQ(counted::alive, 3);
  }
  EXPECT_EQ(counted::alive, 0);
}

}  // namespace
}  // namespace heist_test
