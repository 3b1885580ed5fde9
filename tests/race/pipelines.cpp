// Verdicts about pipelines.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heist/heist.hpp"
#include "heist/pipeline.hpp"
#include "tests/race/programs.hpp"

using heist_test::clean;
using heist_test::racy;
using heist_test::use;

namespace {

// The numbers from 0 to n - 1.
struct numbers {
  int n;
  int next = 0;
  std::optional<int> operator()() { return next < n ? std::optional(next++) : std::nullopt; }
};

PROGRAM("pipeline: what an item has made belongs to it", clean) {
  std::vector<int> sums;
  heist::make_pipeline(
      numbers{20},
      heist::in_parallel([](int i) { return std::make_unique<std::vector<int>>(i, 1); }),
      heist::in_parallel([](std::unique_ptr<std::vector<int>> v) {
        v->push_back(2);
        return std::to_string(v->size());
      }),
      heist::in_order([&](const std::string& s) { sums.push_back(int(s.size())); }))
      .run();
  use(sums);
}

PROGRAM("pipeline: a counter in a parallel stage", racy) {
  int seen = 0;
  heist::make_pipeline(numbers{5}, heist::in_parallel([&](int i) {
                         seen += i;  // (1) (2)
                         return i;
                       }),
                       heist::in_order([](int) {}))
      .run();
  use(seen);
}

PROGRAM("pipeline: a counter in a stage in order", clean) {
  int seen = 0;
  heist::make_pipeline(numbers{5}, heist::in_order([&](int i) { seen += i; })).run();
  ++seen;
  use(seen);
}

PROGRAM("pipeline: a counter in a stage out of order", clean) {
  int seen = 0;
  heist::make_pipeline(numbers{5}, heist::out_of_order([&](int i) { seen += i; })).run();
  ++seen;
  use(seen);
}

PROGRAM("pipeline: two stages in order share a variable", racy) {
  int last = 0;
  heist::make_pipeline(numbers{5}, heist::in_order([&](int i) {
                         last = i;  // (2)
                         use(last);
                         return i;
                       }),
                       heist::in_order([&](int) {
                         int seen = last;  // (1)
                         use(seen);
                       }))
      .run();
}

PROGRAM("pipeline: the source and a later stage", racy) {
  int position = 0;
  heist::make_pipeline(
      [&]() -> std::optional<int> {
        if (position == 5) return std::nullopt;  // (2)
        return 1;
      },
      heist::in_order([&](int i) {
        position += i;  // (1)
        use(position);
      }))
      .run();
}

// An item follows those before it as far as the next stage in order.
PROGRAM("pipeline: through the next stage in order", clean) {
  std::vector<int> made(10);
  heist::make_pipeline(numbers{9}, heist::in_parallel([&](int i) {
                         made[std::size_t(i)] = i;
                         return i;
                       }),
                       heist::in_order([](int i) { return i; }), heist::in_parallel([&](int i) {
                         int before = i == 0 ? 0 : made[std::size_t(i) - 1];
                         use(before);
                       }))
      .run();
}

PROGRAM("pipeline: without a stage in order between them", racy) {
  std::vector<int> made(10);
  heist::make_pipeline(numbers{9}, heist::in_parallel([&](int i) {
                         made[std::size_t(i)] = i;  // (1)
                         return i;
                       }),
                       heist::in_parallel([&](int i) {
                         int before = i == 0 ? 0 : made[std::size_t(i) - 1];  // (2)
                         use(before);
                       }))
      .run();
}

// With three tokens item 3 begins when item 0 has ended.
PROGRAM("pipeline: as many buffers as tokens", clean) {
  std::vector<int> buffers(3);
  heist::make_pipeline(numbers{9}, heist::in_parallel([&](int i) {
                         buffers[std::size_t(i) % 3] = i;
                         return i;
                       }),
                       heist::in_order([&](int i) {
                         int seen = buffers[std::size_t(i) % 3];
                         use(seen);
                       }))
      .run({.tokens = 3});
}

PROGRAM("pipeline: fewer buffers than tokens", racy) {
  std::vector<int> buffers(3);
  heist::make_pipeline(numbers{9}, heist::in_parallel([&](int i) {
                         buffers[std::size_t(i) % 3] = i;  // (2)
                         return i;
                       }),
                       heist::in_order([&](int i) {
                         int seen = buffers[std::size_t(i) % 3];  // (1)
                         use(seen);
                       }))
      .run({.tokens = 4});
}

PROGRAM("pipeline: a fork in a stage", racy) {
  heist::make_pipeline(numbers{2}, heist::in_order([](int i) {
                         int x = i;
                         heist::fork_join([&] { ++x; },   // (1)
                                          [&] { ++x; });  // (2)
                         use(x);
                       }))
      .run();
}

}  // namespace
