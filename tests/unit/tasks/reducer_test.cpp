// Reducers give the result in program order, whichever worker stole what.
#include "heist/reducer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "heist/find.hpp"
#include "heist/future.hpp"
#include "heist/job_system.hpp"
#include "heist/parallel_for.hpp"
#include "heist/policy.hpp"
#include "heist/scope.hpp"
#include "heist/task.hpp"
#include "tests/unit/tasks/support.hpp"

namespace heist_test {
namespace {

class Reducers : public on_pools {};
INSTANTIATE_TEST_SUITE_P(Pools, Reducers, testing::ValuesIn(pools()), name_of);

// A random program of forks, scopes, loops and calls. Each step appends a number of its own; the
// serial program determines the order. Append is void(unsigned). Serial means that forks and so on
// are calls.
template <class Append>
struct random_program {
  const Append& append;
  bool serial;
  bool scopes;  // may spawn: not in a stalling pool, which steals children

  void run(unsigned seed, int depth) const {
    std::minstd_rand random(seed | 1);
    append(seed);
    if (depth == 0) {
      if (seed % 4 == 0 && !serial) linger(std::chrono::microseconds(2));
      return;
    }
    const unsigned a = static_cast<unsigned>(random());
    const unsigned b = static_cast<unsigned>(random());
    const unsigned c = static_cast<unsigned>(random());
    switch (random() % 4) {
      case 0:
        run(a, depth - 1);
        break;
      case 1:
        fork(a, b, depth);
        break;
      case 2:
        loop(a, depth);
        break;
      default:
        if (scopes)
          spawn(a, b, c, depth);
        else
          fork(a, c, depth);
    }
    append(seed + 1);
  }

 private:
  void fork(unsigned a, unsigned b, int depth) const {
    if (serial) {
      run(a, depth - 1);
      run(b, depth - 1);
    } else {
      heist::fork_join([=, this] { run(a, depth - 1); }, [=, this] { run(b, depth - 1); });
    }
  }
  void loop(unsigned a, int depth) const {
    const auto body = [=, this](unsigned i) { run(a + i, depth >= 3 ? depth - 3 : 0); };
    if (serial) {
      for (unsigned i = 0; i < 9; ++i) body(i);
    } else {
      heist::parallel_for(0U, 9U, body);
    }
  }
  void spawn(unsigned a, unsigned b, unsigned c, int depth) const {
    if (serial) {
      run(a, depth - 1);
      append(1);
      run(b, depth - 1);
      run(c, depth - 1);
      append(2);
      run(a, depth - 1);
      return;
    }
    heist::scope([=, this](heist::task_scope& s) {
      s.spawn([=, this] { run(a, depth - 1); });
      append(1);
      s.spawn([=, this] { run(b, depth - 1); });
      run(c, depth - 1);
      s.sync();
      append(2);
      s.spawn([=, this] { run(a, depth - 1); });
    });
  }
};

TEST_P(Reducers, RandomProgramsAsTheSerialOnes) {
  const unsigned first = std::random_device()();
  SCOPED_TRACE("first seed " + std::to_string(first));
  const bool scopes = GetParam().join == heist::join_kind::greedy;
  for (unsigned seed = first; seed != first + static_cast<unsigned>(scaled(60)); ++seed) {
    std::string expected;
    const auto to_expected = [&](unsigned n) { expected += std::to_string(n) + ' '; };
    random_program<decltype(to_expected)>{to_expected, true, scopes}.run(seed, 7);

    heist::reducer<std::string> text;
    heist::reducer<long> count;
    const auto to_reducer = [&](unsigned n) {
      *text += std::to_string(n) + ' ';
      *count += 1;
    };
    const random_program<decltype(to_reducer)> program{to_reducer, false, scopes};
    pool_.run([&] { program.run(seed, 7); });
    ASSERT_EQ(text.get(), expected) << "seed " << seed;
    ASSERT_EQ(count.get(), std::count(expected.begin(), expected.end(), ' '));
    // This reducer is made inside the pool.
    pool_.run([&] {
      heist::fork_join(
          [&] {
            text.get();
            heist::reducer<std::string> inner;
            const auto to_inner = [&](unsigned n) { *inner += std::to_string(n) + ' '; };
            random_program<decltype(to_inner)>{to_inner, false, scopes}.run(seed, 5);
            std::string again;
            const auto to_again = [&](unsigned n) { again += std::to_string(n) + ' '; };
            random_program<decltype(to_again)>{to_again, true, scopes}.run(seed, 5);
            EXPECT_EQ(inner.take(), again) << "seed " << seed;
            EXPECT_EQ(inner.get(), "");
          },
          [] {});
    });
  }
}

TEST_P(Reducers, ALoopOfManyIterations) {
  constexpr int n = tsan || emulated ? 2'000 : 50'000;
  heist::reducer<std::vector<int>, std::vector<int> (*)(std::vector<int>&&, std::vector<int>&&)>
      order({}, [](std::vector<int>&& a, std::vector<int>&& b) {
        a.insert(a.end(), b.begin(), b.end());
        return std::move(a);
      });
  heist::parallel_for(pool_, 0, n, [&](int i) { order->push_back(i); });
  const std::vector<int> seen = order.take();
  ASSERT_EQ(seen.size(), std::size_t{n});
  for (int i = 0; i < n; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], i);
}

// A loop of spawns whose spawner is stolen repeatedly.
TEST_P(Reducers, ALoopOfSpawns) {
  if (GetParam().join == heist::join_kind::stalling) GTEST_SKIP() << "it steals children";
  for (int round = 0; round < scaled(20); ++round) {
    heist::reducer<std::string> text;
    std::string expected;
    for (int i = 0; i < 200; ++i) expected += std::to_string(i) + ',' + std::to_string(-i) + ' ';
    pool_.run([&] {
      heist::scope([&](heist::task_scope& s) {
        for (int i = 0; i < 200; ++i) {
          s.spawn([&text, i] {
            if (i % 16 == 0) linger(std::chrono::microseconds(2));
            *text += std::to_string(i) + ',';
          });
          *text += std::to_string(-i) + ' ';
        }
      });
    });
    ASSERT_EQ(text.get(), expected);
  }
}

// The program also uses other pools, waits, policies and exceptions.
TEST_P(Reducers, AcrossWhateverAFunctionDoes) {
  heist::pool inner(config());
  for (int round = 0; round < scaled(30); ++round) {
    heist::reducer<std::string> text;
    *text += "<";  // outside
    pool_.run([&] {
      *text += "a";
      heist::fork_join(
          [&] {
            *text += "b";
            inner.run([&] {
              *text += "c";
              heist::fork_join([&] { *text += "d"; }, [&] { *text += "e"; });
            });
            *text += "f";
          },
          [&] {
            *text += "g";
            heist::with(heist::policy::serial,
                        [&] { heist::fork_join([&] { *text += "h"; }, [&] { *text += "i"; }); });
          },
          [&] {
            try {
              heist::fork_join([&] { *text += "j"; },
                               [&] {
                                 *text += "k";
                                 throw std::runtime_error("x");
                               });
            } catch (const std::runtime_error&) {
              *text += "l";
            }
          });
      heist::with(heist::policy::stalling,
                  [&] { heist::fork_join([&] { *text += "m"; }, [&] { *text += "n"; }); });
      EXPECT_EQ(heist::submit([] { return 1; }).get(), 1);
      pool_.run_on(0, [&] { *text += "o"; });
    });
    *text += ">";
    ASSERT_EQ(text.get(), "<abcdefghijklmno>");
  }
}

TEST_P(Reducers, NothingIsLeftBehind) {
  const long before = counted::alive;
  struct owner : counted {
    long n = 0;
  };
  const auto add = [](owner&& a, owner&& b) {
    a.n += b.n;
    return std::move(a);
  };
  {
    heist::reducer<owner, decltype(add)> total(owner{}, add);
    pool_.run([&] { fork_tree(8, [&] { total->n += 1; }); });
    EXPECT_EQ(total.get().n, 256);
    pool_.run([&] {
      heist::reducer<owner, decltype(add)> dropped(owner{}, add);
      fork_tree(8, [&] { dropped->n += 1; });
    });
  }
  EXPECT_EQ(counted::alive, before);
}

TEST(ReducersOutOfOrder, EndTheProgram) {
  if (tsan || is_serial()) GTEST_SKIP() << "no death tests here, or no order to miss";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        heist::reducer<long> n;
        heist::submit([&] { *n += 1; }).wait();
        for (;;) linger(std::chrono::microseconds(100));
      },
      "no place in the order");
  EXPECT_DEATH(
      {
        heist::reducer<long> n;
        heist::job_system jobs(heist::default_pool());
        const auto j = jobs.create_job([&] { *n += 1; });
        jobs.run(j);
        jobs.wait(j);
        for (;;) linger(std::chrono::microseconds(100));
      },
      "no place in the order");
  EXPECT_DEATH(
      {
        heist::reducer<long> n;
        heist::scope(heist::spawn_kind::child,
                     [&](heist::task_scope& s) { s.spawn([&] { *n += 1; }); });
      },
      "no place in the order");
}

}  // namespace
}  // namespace heist_test
