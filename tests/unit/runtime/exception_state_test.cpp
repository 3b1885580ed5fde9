// The thread's exception state moves with the fiber: forks inside handlers and during unwinding.
#include <gtest/gtest.h>

#include <exception>
#include <stdexcept>
#include <string>

#include "heist/heist.hpp"
#include "platform/thread.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

[[gnu::noinline]] pid_t where() { return heist::platform::thread_id(); }

// Makes a join that suspends: the second function is stolen and ends after the first one waits for
// it. With a greedy join the frame continues on the thief's thread. Returns true if the thread
// changed.
bool suspending_join(bool thief_throws = false) {
  signal_flag begun;
  signal_flag first_ended;
  const pid_t before = where();
  heist::fork_join(
      [&] {
        EXPECT_TRUE(begun.wait());
        first_ended.raise();
      },
      [&] {
        begun.raise();
        EXPECT_TRUE(first_ended.wait());
        // The thief uses exceptions of its own meanwhile, so that a state left behind would be
        // noticed.
        try {
          throw std::logic_error("the thief's");
        } catch (const std::logic_error&) {
          linger(std::chrono::microseconds(200));
          EXPECT_EQ(std::uncaught_exceptions(), 0);
        }
        if (thief_throws) throw std::domain_error("stolen");
      });
  return where() != before;
}

// Most joins of two loaded processors do suspend; each test ends when so many have changed their
// thread.
constexpr int wanted_moves = 20;
constexpr int most_rounds = 5000;

class ExceptionState : public testing::TestWithParam<heist::join_kind> {
 protected:
  // Repeats the body on a worker until its frames have changed threads often enough.
  template <class Body>
  void repeat(Body&& body) {
    const watchdog guard("exception state");
    int moves = 0;
    const bool moving = GetParam() == heist::join_kind::greedy;
    for (int round = 0; round < (moving ? most_rounds : wanted_moves); ++round) {
      if (moves == wanted_moves) break;
      moves += pool_.run([&] { return body(); }) ? 1 : 0;
      if (HasFatalFailure()) return;
    }
    EXPECT_EQ(moves, moving ? wanted_moves : 0);
    EXPECT_EQ(counted::alive.load(std::memory_order_relaxed), 0);
  }

  heist::pool pool_{{.workers = 2, .join = GetParam()}};
};

TEST_P(ExceptionState, AHandlerCanJoinAndRethrow) {
  repeat([] {
    bool moved = false;
    bool again = false;
    try {
      try {
        throw std::runtime_error("outer");
      } catch (const std::runtime_error&) {
        const std::exception_ptr before = std::current_exception();
        moved = suspending_join();
        EXPECT_EQ(std::current_exception(), before);
        EXPECT_EQ(std::uncaught_exceptions(), 0);
        throw;
      }
    } catch (const std::runtime_error& e) {
      again = true;
      EXPECT_STREQ(e.what(), "outer");
    }
    EXPECT_TRUE(again);
    EXPECT_EQ(std::current_exception(), nullptr);
    return moved;
  });
}

TEST_P(ExceptionState, NestedHandlersKeepTheirOrder) {
  repeat([] {
    bool moved = false;
    try {
      throw std::runtime_error("outer");
    } catch (const std::runtime_error&) {
      try {
        throw std::invalid_argument("inner");
      } catch (const std::invalid_argument&) {
        moved = suspending_join();
        const std::string inner = [] {
          try {
            throw;
          } catch (const std::exception& e) {
            return std::string(e.what());
          }
        }();
        EXPECT_EQ(inner, "inner");
      }
      try {
        throw;
      } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "outer");
      }
    }
    EXPECT_EQ(std::current_exception(), nullptr);
    return moved;
  });
}

TEST_P(ExceptionState, AStolenExceptionArrivesInsideAHandler) {
  repeat([] {
    const pid_t before = where();
    try {
      throw std::runtime_error("outer");
    } catch (const std::runtime_error&) {
      try {
        suspending_join(true);
        ADD_FAILURE() << "nothing was thrown";
      } catch (const std::domain_error& e) {
        EXPECT_STREQ(e.what(), "stolen");
      }
      try {
        throw;
      } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "outer");
      }
    }
    return where() != before;
  });
}

TEST_P(ExceptionState, ADestructorCanJoinDuringUnwinding) {
  struct joins_in_destructor {
    bool& moved;
    int& uncaught;
    ~joins_in_destructor() {
      moved = suspending_join();
      uncaught = std::uncaught_exceptions();
    }
  };
  repeat([] {
    bool moved = false;
    int uncaught = 0;
    try {
      const joins_in_destructor outer{moved, uncaught};
      const counted local;
      throw std::runtime_error("unwinding");
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "unwinding");
    }
    EXPECT_EQ(uncaught, 1);
    EXPECT_EQ(std::uncaught_exceptions(), 0);
    return moved;
  });
}

// The join of a frame whose first function threw must not happen inside the handler.
TEST_P(ExceptionState, AFrameWhoseFirstFunctionThrewWaitsOutsideOfTheHandler) {
  repeat([] {
    const pid_t before = where();
    signal_flag begun;
    signal_flag thrown;
    try {
      heist::fork_join(
          [&] {
            EXPECT_TRUE(begun.wait());
            thrown.raise();
            throw std::runtime_error("first");
          },
          [&] {
            begun.raise();
            EXPECT_TRUE(thrown.wait());
            linger(std::chrono::microseconds(200));
          });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "first");
      EXPECT_EQ(std::uncaught_exceptions(), 0);
    }
    EXPECT_EQ(std::current_exception(), nullptr);
    return where() != before;
  });
}

INSTANTIATE_TEST_SUITE_P(Joins, ExceptionState,
                         testing::Values(heist::join_kind::greedy, heist::join_kind::stalling),
                         [](const auto& p) {
                           return p.param == heist::join_kind::greedy ? "Greedy" : "Stalling";
                         });

}  // namespace
}  // namespace heist_test
