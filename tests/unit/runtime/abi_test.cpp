// What the runtime takes for granted of the ABI and of its own layout, where no static_assert can
// say it: the compiler's library keeps these types to itself.
#include <gtest/gtest.h>

#include <cstring>
#include <exception>
#include <stdexcept>

#include "heist/heist.hpp"
#include "runtime/core/fiber.hpp"
#include "runtime/core/worker.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::detail::exception_globals;
using heist::detail::fiber;
using heist::detail::fiber_front;
using heist::detail::worker;
using heist::detail::worker_front;

// Itanium C++ ABI, 2.2.2: the stack of caught exceptions, then the count of uncaught ones.
TEST(Abi, AThreadsExceptionsLieWhereTheAbiSays) {
  const auto* const globals = exception_globals::of_thread();
  EXPECT_EQ(globals->caught, nullptr);
  EXPECT_EQ(globals->uncaught, 0U);
  struct looks_while_unwinding {
    const heist::detail::exceptions_of_thread* globals;
    unsigned& seen;
    ~looks_while_unwinding() { seen = globals->uncaught; }
  };
  unsigned uncaught = 0;
  try {
    const looks_while_unwinding guard{globals, uncaught};
    throw std::runtime_error("once");
  } catch (const std::runtime_error&) {
    EXPECT_NE(globals->caught, nullptr);
    EXPECT_EQ(globals->uncaught, 0U);
  }
  EXPECT_EQ(uncaught, 1U);
  EXPECT_EQ(globals->caught, nullptr);
}

// join.cpp keeps one as a plain pointer and destroys it later or never: null when it is empty, and
// the bytes are all that it has.
TEST(Abi, AnExceptionPointerIsOnePointer) {
  std::exception_ptr one = std::make_exception_ptr(7);
  void* bytes = nullptr;
  ASSERT_EQ(sizeof(one), sizeof(bytes));
  std::memcpy(&bytes, static_cast<const void*>(&one), sizeof(bytes));
  EXPECT_NE(bytes, nullptr);
  one = nullptr;
  std::memcpy(&bytes, static_cast<const void*>(&one), sizeof(bytes));
  EXPECT_EQ(bytes, nullptr);
}

// The inlined spawn reaches both by their fronts' addresses.
TEST(Abi, WorkersAndFibersBeginWithTheirFronts) {
  if (is_serial()) GTEST_SKIP() << "no worker";
  heist::pool pool({.workers = 1});
  pool.run([] {
    worker& w = heist::detail::self_worker();
    EXPECT_EQ(static_cast<void*>(static_cast<worker_front*>(&w)), static_cast<void*>(&w));
    fiber* const f = w.current;
    EXPECT_EQ(static_cast<void*>(static_cast<fiber_front*>(f)), static_cast<void*>(f));
  });
}

}  // namespace
}  // namespace heist_test
