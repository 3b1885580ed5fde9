// Tests who sleeps and who is woken, without a pool.
#include "runtime/core/sleepers.hpp"
#include "runtime/core/seat.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::detail::sleepers;
const auto no_mail = [] { return false; };
heist::detail::basic_seat<heist::detail::std_parking>* const no_seat = nullptr;

TEST(Sleepers, NobodyIsWokenWhenNobodySleeps) {
  sleepers s;
  EXPECT_FALSE(s.any());
  EXPECT_FALSE(s.wake_one());
  s.wake_all();
}

TEST(Sleepers, AWakeUpBetweenAnnouncementAndSleepIsKept) {
  sleepers s;
  s.announce();
  EXPECT_TRUE(s.any());
  EXPECT_TRUE(s.wake_one());
  EXPECT_FALSE(s.any()) << "counted out at once";
  EXPECT_FALSE(s.wake_one());
  s.wait(no_seat, no_mail);
}

TEST(Sleepers, WhoeverTakesItselfOutIsNotWoken) {
  sleepers s;
  s.announce();
  s.retract();
  EXPECT_FALSE(s.wake_one());
  s.announce();
  EXPECT_TRUE(s.wake_one());
  s.retract();  // with the token that was made for it
  s.announce();
  EXPECT_FALSE(s.wait_for(no_seat, std::chrono::milliseconds(1), no_mail))
      << "a token was left over";
  EXPECT_TRUE(s.any()) << "still announced";
  s.retract();
}

// Two workers sleep, and one of them has mail. The other one is quicker, goes to sleep again and
// takes the second token too; the mail is found nevertheless.
TEST(Sleepers, MailIsFoundThoughAnotherTookTheToken) {
  const watchdog guard("mail");
  for (int round = 0; round < scaled(2000); ++round) {
    sleepers s;
    std::atomic<bool> mail{false};
    s.announce();
    s.announce();
    std::thread home(
        [&] { s.wait(no_seat, [&] { return mail.load(std::memory_order_relaxed); }); });
    if (round % 2 == 0) linger(std::chrono::microseconds(100));
    mail.store(true, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    s.wake_all();
    while (s.wait_for(no_seat, std::chrono::nanoseconds(0), no_mail)) s.announce();
    home.join();
  }
}

TEST(Sleepers, EveryTokenWakesOne) {
  const watchdog guard("tokens");
  for (int round = 0; round < scaled(500); ++round) {
    sleepers s;
    constexpr int threads = 4;
    std::thread all[threads];
    for (auto& thread : all) {
      s.announce();
      thread = std::thread([&s] { s.wait(no_seat, no_mail); });
    }
    for (int i = 0; i < threads; ++i) EXPECT_TRUE(s.wake_one());
    EXPECT_FALSE(s.wake_one());
    for (auto& thread : all) thread.join();
  }
}

}  // namespace
}  // namespace heist_test
