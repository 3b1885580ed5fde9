// Messages as bytes.
#include "cluster/frame.hpp"

#include <gtest/gtest.h>

#include "lab/model/random.hpp"

namespace heist::cluster {
namespace {

message some_message(message_kind kind) {
  message m{.kind = kind, .epoch = 3, .number = 1, .sent = UINT64_MAX, .received = 2};
  if (kind == message_kind::loot) m.payload.assign(100, std::byte{7});
  return m;
}

TEST(Frame, HoldsEachKindOfMessage) {
  for (unsigned i = 0; i <= static_cast<unsigned>(last_message_kind); ++i) {
    const auto m = some_message(static_cast<message_kind>(i));
    EXPECT_EQ(from_frame(to_frame(m)), m) << "kind " << i;
  }
}

std::string error_of(const bytes& frame) {
  try {
    static_cast<void>(from_frame(frame));
  } catch (const wire_error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Frame, SaysWhatIsWrong) {
  const auto good = to_frame(some_message(message_kind::loot));
  EXPECT_EQ(good.size(), frame_header_bytes + 100);
  auto bad = good;
  bad[0] ^= std::byte{1};
  EXPECT_EQ(error_of(bad), "a message does not begin like one of this version of heist");
  bad = good;
  bad[4] = std::byte{200};
  EXPECT_EQ(error_of(bad), "there is no kind 200 of message");
  bad = good;
  bad[4] = std::byte{static_cast<unsigned char>(message_kind::wave)};
  EXPECT_EQ(error_of(bad), "a message of kind 8 has a payload");
  bad = good;
  bad.pop_back();
  EXPECT_EQ(error_of(bad), "a message ends after 99 bytes, where 100 more are needed");
  bad = good;
  bad.push_back({});
  EXPECT_EQ(error_of(bad), "a message has 1 bytes too many");
  EXPECT_EQ(error_of({}), "a message ends after 0 bytes, where 4 more are needed");
}

TEST(Frame, SurvivesAnyBytes) {
  const auto good = to_frame(some_message(message_kind::loot));
  lab::rng random(1);
  for (int i = 0; i < 20'000; ++i) {
    auto frame = good;
    for (auto changes = random.between(1, 4); changes > 0; --changes)
      frame[4 + random.below(frame_header_bytes - 4)] = static_cast<std::byte>(random.next());
    frame.resize(random.below(frame.size() + 1));
    static_cast<void>(error_of(frame));
  }
}

}  // namespace
}  // namespace heist::cluster
