// Single nodes, and what they answer: the cases that a whole schedule does not show.
#include "cluster/node.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cluster/frame.hpp"
#include "heist/cluster/wire.hpp"
#include "lab/model/random.hpp"
#include "numbered_bag.hpp"

namespace heist::cluster_test {
namespace {

using namespace cluster;

struct kept_letters final : port {
  std::deque<std::pair<rank, message>> sent;

  void send(rank to, message what) override { sent.emplace_back(to, std::move(what)); }
  [[nodiscard]] std::uint64_t now_ns() const override { return 0; }

  [[nodiscard]] std::vector<rank> receivers_of(message_kind kind) const {
    std::vector<rank> result;
    for (const auto& [to, m] : sent)
      if (m.kind == kind) result.push_back(to);
    return result;
  }
};

// A node of a cluster that has begun.
struct lone_node {
  lone_node(rank self, rank nodes, numbered_bag first = {}, node_settings with = {})
      : settings(with), bag(std::move(first)), node(settings, self, nodes, bag, letters) {
    node.start();
    if (self != 0) node.receive(tree_place(self, nodes).parent(), {.kind = message_kind::begin});
  }

  node_settings settings;
  kept_letters letters;
  work_of<numbered_bag> bag;
  cluster::node node;
};

message bag_message(message_kind kind, const numbered_bag& of) {
  message m{.kind = kind};
  wire_writer(m.payload).put(of);
  return m;
}

TEST(ClusterNode, AsksTwoVictimsThenItsLifelinesAndIsQuiet) {
  lone_node five(5, 12);
  EXPECT_EQ(five.letters.receivers_of(message_kind::request).size(), 1u);
  five.node.receive(1, {.kind = message_kind::refusal, .number = 1});
  EXPECT_EQ(five.letters.receivers_of(message_kind::request).size(), 2u);
  EXPECT_TRUE(five.letters.receivers_of(message_kind::lifeline).empty());
  five.node.receive(1, {.kind = message_kind::refusal, .number = 2});
  EXPECT_EQ(five.letters.receivers_of(message_kind::lifeline), (std::vector<rank>{4, 7, 1}));
  five.letters.sent.clear();
  five.node.receive(3, {.kind = message_kind::request, .number = 1});
  ASSERT_EQ(five.letters.sent.size(), 1u) << "an answer, and nothing else";
  EXPECT_EQ(five.letters.sent.front().second.kind, message_kind::refusal);
}

TEST(ClusterNode, GivesHalfToAThiefAndToThoseThatItRemembers) {
  lone_node zero(0, 1);
  lone_node two(2, 8);
  two.node.receive(3, {.kind = message_kind::lifeline});
  two.node.receive(6, {.kind = message_kind::lifeline});
  two.letters.sent.clear();
  two.node.receive(0, bag_message(message_kind::loot, {99, {1, 2, 3, 4, 5, 6, 7, 8}, {}}));
  EXPECT_EQ(two.letters.receivers_of(message_kind::gift), (std::vector<rank>{6, 3}));
  EXPECT_EQ(two.bag.get().open, (std::vector<std::uint64_t>{7, 8}));
  two.node.receive(5, {.kind = message_kind::request, .number = 9});
  EXPECT_EQ(two.letters.sent.back().second.kind, message_kind::loot);
  EXPECT_EQ(two.letters.sent.back().second.number, 9u);
  two.node.receive(7, {.kind = message_kind::request, .number = 4});
  EXPECT_EQ(two.letters.sent.back().second.kind, message_kind::refusal) << "one item is kept";
}

TEST(ClusterNode, RefusesAProgramThatDiffers) {
  kept_letters letters;
  work_of<numbered_bag> bag(numbered_bag::root(1));
  const node_settings settings{.fingerprint = 7};
  cluster::node root(settings, 0, 2, bag, letters);
  root.start();
  root.receive(1, {.kind = message_kind::hello, .number = 8, .sent = 1});
  ASSERT_TRUE(root.why_failed());
  EXPECT_EQ(root.why_failed()->at, 1u);
  EXPECT_EQ(root.why_failed()->text, "it runs another program, version or arguments");
  EXPECT_EQ(letters.receivers_of(message_kind::stop), std::vector<rank>{1});
}

TEST(ClusterNode, WorkThatIsNoBagEndsTheRun) {
  lone_node one(1, 2);
  message broken = bag_message(message_kind::loot, {99, {1, 2, 3}, {}});
  broken.payload.pop_back();
  one.node.receive(0, broken);
  ASSERT_TRUE(one.node.why_failed());
  EXPECT_EQ(one.node.why_failed()->at, 0u);
  EXPECT_EQ(one.letters.receivers_of(message_kind::stop), std::vector<rank>{0});
}

TEST(ClusterNode, AMessageFromANodeThatDoesNotSendItEndsTheRun) {
  const std::vector<std::pair<rank, message_kind>> odd = {
      {3, message_kind::begin},     // not from its parent
      {0, message_kind::hello},     // not from a child
      {1, message_kind::lifeline},  // 1 and 2 differ in two bits
      {9, message_kind::request},   // there is no such node
      {2, message_kind::request},   // itself
      {0, message_kind::part},      // which only node 0 collects
  };
  for (const auto& [from, kind] : odd) {
    lone_node two(2, 4);
    two.node.receive(from, {.kind = kind});
    ASSERT_TRUE(two.node.why_failed()) << "kind " << static_cast<int>(kind);
    EXPECT_EQ(two.node.why_failed()->at, from);
    EXPECT_EQ(two.node.why_failed()->text, "it sends what a node in its place does not send");
  }
}

TEST(ClusterNode, ASecondBeginHasNoEffect) {
  lone_node five(5, 12);
  const auto sent = five.letters.sent.size();
  five.node.receive(1, {.kind = message_kind::begin});
  EXPECT_EQ(five.letters.sent.size(), sent);
  EXPECT_FALSE(five.node.why_failed());
}

TEST(ClusterNode, IsAloneDoneAtOnce) {
  lone_node alone(0, 1, numbered_bag::root(10));
  EXPECT_FALSE(alone.node.is_finished());
  alone.bag.process(UINT64_MAX);
  alone.node.worked();
  EXPECT_TRUE(alone.node.is_finished());
  EXPECT_TRUE(alone.bag.get().has_each_once());
  EXPECT_TRUE(alone.letters.sent.empty());
}

// From any node the others are reached over lifelines, however many there are.
TEST(ClusterNode, LifelinesConnectAllNodes) {
  for (rank nodes = 1; nodes <= 70; ++nodes) {
    std::vector<char> reached(nodes);
    std::vector<rank> next = {nodes - 1};
    while (!next.empty()) {
      const rank at = next.back();
      next.pop_back();
      if (std::exchange(reached[at], 1) != 0) continue;
      lifeline_set::all_of(at, nodes).for_each(at, [&](rank other) {
        ASSERT_LT(other, nodes);
        next.push_back(other);
      });
    }
    EXPECT_EQ(std::count(reached.begin(), reached.end(), 1), nodes);
  }
}

// The tree has each node once below its parent.
TEST(ClusterNode, TheTreeReachesEachNodeOnce) {
  for (const rank nodes : {1u, 2u, 5u, 6u, 21u, 22u, 1000u}) {
    std::vector<rank> parents(nodes);
    for (rank i = 0; i < nodes; ++i)
      tree_place(i, nodes).for_each_child([&](rank child) {
        ASSERT_LT(child, nodes);
        EXPECT_EQ(tree_place(child, nodes).parent(), i);
        ++parents[child];
      });
    EXPECT_EQ(std::count(parents.begin() + 1, parents.end(), 1u), nodes - 1);
    EXPECT_EQ(parents[0], 0u);
  }
}

}  // namespace
}  // namespace heist::cluster_test

// ---- Values as bytes: what is written is read again, and no bytes do harm.

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
