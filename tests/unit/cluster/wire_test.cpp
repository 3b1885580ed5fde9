// Values as bytes: what is written is read again, and no bytes do harm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cluster/frame.hpp"
#include "heist/cluster/wire.hpp"
#include "lab/model/random.hpp"
#include "numbered_bag.hpp"

namespace heist::cluster {
namespace {

template <class T>
T through_bytes(const T& value) {
  std::vector<std::byte> bytes;
  wire_writer(bytes).put(value);
  wire_reader reader(bytes);
  T result = reader.get<T>();
  reader.finish();
  return result;
}

TEST(Wire, ReadsWhatWasWritten) {
  EXPECT_EQ(through_bytes(42), 42);
  EXPECT_EQ(through_bytes(-0.5), -0.5);
  EXPECT_EQ(through_bytes(std::string("a\0b", 3)), std::string("a\0b", 3));
  EXPECT_EQ(through_bytes(std::vector<int>{1, 2, 3}), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(through_bytes(std::vector<bool>{true, false}), (std::vector<bool>{true, false}));
  const std::vector<std::string> words = {"", "one", "two"};
  EXPECT_EQ(through_bytes(words), words);
  const std::map<std::string, std::pair<std::string, int>> nested = {{"a", {"b", 1}},
                                                                     {"c", {"", 2}}};
  EXPECT_EQ(through_bytes(nested), nested);
  EXPECT_EQ(through_bytes(cluster_test::numbered_bag::root(3)),
            cluster_test::numbered_bag::root(3));
}

TEST(Wire, ATypeWithPointersNeedsATraitOfItsOwn) {
  struct with_virtual {
    virtual ~with_virtual() = default;
  };
  static_assert(wireable<int> && wireable<std::string> && wireable<cluster_test::numbered_bag>);
  static_assert(!wireable<int*> && !wireable<with_virtual>);
}

template <class T>
std::string error_of(const std::vector<std::byte>& bytes) {
  try {
    wire_reader reader(bytes);
    static_cast<void>(reader.get<T>());
    reader.finish();
  } catch (const wire_error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Wire, SaysWhatIsWrongWithBytes) {
  std::vector<std::byte> bytes;
  wire_writer(bytes).put(std::uint32_t{1});
  EXPECT_EQ(error_of<std::uint64_t>(bytes),
            "a message ends after 4 bytes, where 8 more are needed");
  EXPECT_EQ(error_of<std::uint16_t>(bytes), "a message has 2 bytes too many");
  bytes.clear();
  wire_writer(bytes).put(std::uint64_t{1} << 60).put('x');
  EXPECT_EQ(error_of<std::string>(bytes),
            "a message claims 1152921504606846976 elements in 1 bytes");
  EXPECT_EQ(error_of<std::vector<double>>(bytes),
            "a message claims 1152921504606846976 elements in 1 bytes");
}

// Each byte changed, and each end cut off: an error or a value, and no memory for lengths that the
// bytes only claim.
TEST(Wire, SurvivesAnyBytes) {
  using type = std::vector<std::pair<std::string, std::vector<int>>>;
  std::vector<std::byte> good;
  wire_writer(good).put(type{{"one", {1, 2}}, {"two", {}}});
  EXPECT_EQ(error_of<type>(good), "no error");
  lab::rng random(1);
  for (int i = 0; i < 20'000; ++i) {
    auto bytes = good;
    for (auto changes = random.between(1, 4); changes > 0; --changes)
      bytes[random.below(bytes.size())] = static_cast<std::byte>(random.next());
    if (random.chance(1, 2)) bytes.resize(random.below(bytes.size()));
    static_cast<void>(error_of<type>(bytes));
  }
}

// ---- Messages as bytes.

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
