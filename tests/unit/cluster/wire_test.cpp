// Values as bytes: what is written is read again, and no bytes do harm.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace heist::cluster
