// Waits that are not joins: the fiber may have open forks, and the thread that ends the wait
// continues its own work.
#include "heist/detail/waiting.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "heist/heist.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::detail::wait_point;

struct setting {
  unsigned workers;
  heist::deque_kind deque;
};

class Waits : public testing::TestWithParam<setting> {
 protected:
  heist::pool pool_{{.workers = GetParam().workers, .deque = GetParam().deque}};
  const watchdog guard_{"waits"};
};

TEST_P(Waits, OneForkWaitsForTheOtherWhicheverRunsFirst) {
  pool_.run([] {
    for (int round = 0; round < scaled(2000); ++round) {
      wait_point point;
      int value = 0;
      const auto [seen, ignored] = heist::fork_join(
          [&] {
            point.wait();  // on one worker the other half runs meanwhile
            return value;
          },
          [&] {
            value = round;
            point.end();
          });
      ASSERT_EQ(seen, round);
    }
  });
}

TEST_P(Waits, EndedBeforeIsNoWait) {
  pool_.run([] {
    wait_point point;
    point.end();
    point.wait();
  });
}

TEST_P(Waits, WhoeverEndsItGoesOn) {
  pool_.run([] {
    std::array<wait_point, 3> points;
    std::atomic<int> through{0};
    const auto waiter = [&](std::size_t i) {
      return [&points, &through, i] {
        points[i].wait();
        ++through;
      };
    };
    heist::fork_join(waiter(0), waiter(1), waiter(2), [&] {
      for (wait_point& p : points) p.end();
      ++through;
    });
    EXPECT_EQ(through.load(), 4);
  });
}

TEST_P(Waits, BetweenAWorkerAndAThreadOutside) {
  for (int round = 0; round < scaled(300); ++round) {
    wait_point to_worker;
    wait_point to_thread;
    int value = 0;
    std::thread outside([&] {
      to_thread.wait();
      ++value;
      to_worker.end();
    });
    const int seen = pool_.run([&] {
      value = 1;
      to_thread.end();
      to_worker.wait();
      return value;
    });
    outside.join();
    ASSERT_EQ(seen, 2);
  }
}

TEST_P(Waits, DeepInsideForksThatAreThenJoinedAsAfterASteal) {
  struct nest {
    static long sum(int depth, wait_point& point) {
      if (depth == 0) {
        point.wait();
        return 1;
      }
      const auto [deep, here] =
          heist::fork_join([&] { return sum(depth - 1, point); }, [depth] { return long{depth}; });
      return deep + here;
    }
  };
  pool_.run([] {
    for (int round = 0; round < scaled(200); ++round) {
      wait_point point;
      const auto [sum, ignored] =
          heist::fork_join([&] { return nest::sum(20, point); }, [&] { point.end(); });
      ASSERT_EQ(sum, 211);
    }
  });
}

std::vector<setting> settings() {
  std::vector<setting> all;
  for (const unsigned workers : {1U, 2U, 3U, 8U})
    all.push_back({workers, heist::deque_kind::split});
  for (const heist::deque_kind kind : heist::all_deque_kinds)
    if (kind != heist::deque_kind::split) all.push_back({3, kind});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Pools, Waits, testing::ValuesIn(settings()), [](const auto& p) {
  return std::to_string(p.param.workers) + "_" + std::string(to_string(p.param.deque));
});

}  // namespace
}  // namespace heist_test
