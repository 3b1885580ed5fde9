// Single nodes, and what they answer: the cases that a whole schedule does not show.
#include "cluster/node.hpp"

#include <deque>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

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
