// Scopes, forks, submissions, pipelines and graphs are stopped.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "heist/parallel_for.hpp"
#include "heist/pipeline.hpp"
#include "heist/scope.hpp"
#include "heist/task_graph.hpp"
#include "tests/unit/cancellation/support.hpp"

namespace heist_test {
namespace {

constexpr auto kinds = {heist::spawn_kind::continuation, heist::spawn_kind::child};

TEST(StoppedScopes, TellHowManyChildrenRan) {
  for (const auto& pool : pools()) {
    for (const heist::spawn_kind kind : kinds) {
      for (const long moment : moments()) {
        const after_questions stop(moment);
        std::atomic<std::uint64_t> ran{0};
        std::uint64_t skipped = 0;
        const long alive = counted::alive;
        const auto told = told_by([&] {
          pool->run([&] {
            heist::scope(stop, kind, [&](heist::task_scope& s) {
              for (int i = 0; i < 300; ++i) s.spawn([&, c = counted()] { ++ran; });
              skipped = s.skipped();
            });
          });
        });
        EXPECT_EQ(told ? *told : (counts{300, 300}), (counts{ran.load(), 300}));
        EXPECT_EQ(told.has_value(), ran < 300);
        EXPECT_LE(skipped, 300 - ran);
        EXPECT_EQ(counted::alive, alive);
      }
    }
  }
}

TEST(StoppedScopes, ByTheirOwnRequestThrowNothing) {
  for (const auto& pool : pools()) {
    for (const heist::spawn_kind kind : kinds) {
      std::atomic<std::uint64_t> ran{0};
      std::uint64_t skipped = 0;
      bool seen = false;
      pool->run([&] {
        heist::scope(kind, [&](heist::task_scope& s) {
          EXPECT_FALSE(s.stop_requested());
          for (int i = 0; i < 500; ++i)
            s.spawn([&, i] {
              ++ran;
              if (i == 100) s.request_stop();
            });
          s.sync();
          seen = s.stop_requested();
          skipped = s.skipped();
        });
      });
      EXPECT_TRUE(seen);
      EXPECT_EQ(ran + skipped, 500U);
      EXPECT_GT(ran, 0U);
    }
  }
}

TEST(StoppedScopes, AreAConditionForWhatTheirChildrenCall) {
  for (const auto& pool : pools()) {
    std::atomic<int> stopped{0};
    heist::scope(*pool, [&](heist::task_scope& s) {
      for (int i = 0; i < 4; ++i)
        s.spawn([&] {
          stopped += told_by([&] {
                       heist::parallel_for(s, 0L, 1L << 50, [&](long k) {
                         if (k == 1000) s.request_stop();
                       });
                     }).has_value();
        });
    });
    EXPECT_GE(stopped, 1);
  }
}

TEST(StoppedScopes, SyncTellsAndWhatFollowsIsCountedOn) {
  const after_questions stop(3);
  std::atomic<int> ran{0};
  pools()[0]->run([&] {
    EXPECT_THROW(heist::scope(stop,
                              [&](heist::task_scope& s) {
                                for (int i = 0; i < 5; ++i) s.spawn([&] { ++ran; });
                                s.sync();
                                ADD_FAILURE() << "sync() came back";
                              }),
                 heist::cancelled);
  });
  EXPECT_EQ(ran, 2);
}

TEST(StoppedScopes, AChildsExceptionGoesFirst) {
  for (const auto& pool : pools()) {
    std::stop_source source;
    EXPECT_THROW(heist::scope(*pool, source.get_token(),
                              [&](heist::task_scope& s) {
                                s.spawn([&] {
                                  source.request_stop();
                                  throw injected_fault{};
                                });
                                for (int i = 0; i < 100; ++i) s.spawn([] {});
                              }),
                 injected_fault);
  }
}

TEST(ThrowingScopes, PushedChildrenToTheRightDoNotBegin) {
  for (const auto& pool : pools()) {
    std::atomic<int> first{1 << 20};
    pool->run([&] {
      try {
        heist::scope(heist::spawn_kind::child, [&](heist::task_scope& s) {
          for (int i = 0; i < 200; ++i)
            s.spawn([&, i] {
              if (i % 10 == 7) throw i;
            });
        });
        ADD_FAILURE() << "nothing thrown";
      } catch (int i) {
        first = i;
      }
    });
    EXPECT_EQ(first % 10, 7);
    if (pool->workers() == 1) {
      EXPECT_EQ(first, 7);
    }
  }
}

TEST(StoppedForks, BeginNothingMore) {
  for (const auto& pool : pools()) {
    for (long moment = 1; moment <= 4; ++moment) {
      const after_questions stop(moment);
      std::atomic<std::uint64_t> ran{0};
      const auto told = told_by([&] {
        pool->run([&] {
          const auto [a, b, c] = heist::fork_join(
              stop, [&] { return static_cast<int>(ran++ * 0) + 1; },
              [&] { return static_cast<int>(ran++ * 0) + 2; },
              [&] { return static_cast<int>(ran++ * 0) + 3; });
          EXPECT_EQ(a * 100 + b * 10 + c, 123);
        });
      });
      EXPECT_EQ(told ? *told : (counts{3, 3}), (counts{ran.load(), 3}));
      EXPECT_EQ(told.has_value(), moment <= 3);
    }
  }
}

TEST(StoppedSubmissions, AreCancelledIfTheyHaveNotBegun) {
  for (const auto& pool : pools()) {
    std::stop_source source;
    const std::stop_token token = source.get_token();
    EXPECT_EQ(pool->submit(token, [] { return 1; }).then(token, [](int n) { return n + 1; }).get(),
              2);
    source.request_stop();
    bool called = false;
    auto late = pool->submit(token, [&] { called = true; });
    EXPECT_EQ(told_by([&] { late.get(); }), (counts{0, 1}));
    auto after = pool->submit([] {}).then(token, [&] { called = true; });
    EXPECT_EQ(told_by([&] { after.get(); }), (counts{0, 1}));
    EXPECT_FALSE(called);
    EXPECT_EQ(
        told_by([&] { heist::submit(heist::deadline(std::chrono::seconds(-1)), [] {}).get(); }),
        (counts{0, 1}));
  }
}

TEST(StoppedPipelines, TellHowManyItemsAreThrough) {
  for (const auto& pool : pools()) {
    for (const std::uint64_t at : {0U, 1U, 5U, 50U}) {
      std::stop_source source;
      std::uint64_t begun = 0;
      std::uint64_t written = 0;
      if (at == 0) source.request_stop();
      const std::uint64_t told =
          heist::make_pipeline([&]() -> std::optional<std::uint64_t> { return begun++; },
                               heist::in_parallel([&](std::uint64_t i) {
                                 if (i + 1 == at) source.request_stop();
                                 return i;
                               }),
                               heist::in_order([&](std::uint64_t i) { EXPECT_EQ(i, written++); }))
              .run(*pool, {.tokens = 6, .stop = source.get_token()});
      EXPECT_EQ(told, written);
      EXPECT_EQ(told, begun);
      EXPECT_GE(told, at);
    }
  }
}

// The condition is asked before each item, so the number of the question is that of the first
// missing item.
TEST(StoppedPipelines, EndAtTheQuestion) {
  for (const auto& pool : pools()) {
    for (const long moment : moments()) {
      if (moment > 10'000) continue;  // the source has no end
      const after_questions stop(moment);
      std::uint64_t begun = 0;
      std::uint64_t written = 0;
      auto line =
          heist::make_pipeline([&]() -> std::optional<std::uint64_t> { return begun++; },
                               heist::in_parallel([](std::uint64_t i) { return i; }),
                               heist::in_order([&](std::uint64_t i) { EXPECT_EQ(i, written++); }));
      const auto expected = static_cast<std::uint64_t>(moment - 1);
      EXPECT_EQ(line.run(*pool, stop, {.tokens = 3}), expected);
      EXPECT_EQ(begun, expected);
      EXPECT_EQ(written, expected);
    }
  }
}

TEST(StoppedPipelines, TakeADeadlineToo) {
  std::atomic<std::uint64_t> through{0};
  auto line = heist::make_pipeline([]() -> std::optional<int> { return 1; },
                                   heist::in_parallel([&](int) { ++through; }));
  EXPECT_EQ(line.run(heist::deadline(std::chrono::milliseconds(5))), through);
  EXPECT_EQ(line.run(heist::deadline(std::chrono::seconds(-1))), 0U);
  std::stop_source source;
  source.request_stop();
  const heist::deadline never(std::chrono::hours::max());
  EXPECT_EQ(line.run(*pools()[0], never, {.stop = source.get_token()}), 0U);
}

// In chains of functions, those before the question have run, and skipped functions do not ask.
TEST(StoppedGraphs, EndAtTheQuestion) {
  for (const auto& pool : pools()) {
    for (const long moment : moments()) {
      const after_questions stop(moment);
      std::atomic<long> ran{0};
      heist::task_graph g;
      std::vector<heist::task_graph::node> nodes;
      for (std::size_t i = 0; i < 60; ++i) {
        nodes.push_back(g.add([&] { ++ran; }));
        if (i >= 3) g.edge(nodes[i - 3], nodes[i]);
      }
      const auto report = g.run(*pool, stop);
      EXPECT_EQ(ran, std::min(moment - 1, 60L));
      EXPECT_EQ(static_cast<long>(report.done), ran);
      EXPECT_EQ(report.done + report.skipped, 60U);
      EXPECT_EQ(g.run(*pool).done, 60U);  // the next run is not affected
    }
  }
}

TEST(StoppedGraphs, TakeADeadlineToo) {
  heist::task_graph g;
  std::atomic<std::size_t> ran{0};
  struct endless {
    std::atomic<std::size_t>& ran;
    void operator()(heist::task_graph::running& r) const {
      ++ran;
      r.add(endless{ran});
    }
  };
  g.add(endless{ran});
  const auto report = g.run(heist::deadline(std::chrono::milliseconds(5)));
  EXPECT_EQ(report.done, ran);
  EXPECT_EQ(report.skipped, 1U);
  std::stop_source source;
  source.request_stop();
  const heist::deadline never(std::chrono::hours::max());
  EXPECT_EQ(g.run(*pools()[0], never, {.stop = source.get_token()}).done, 0U);
}

TEST(StoppedGraphs, TellWhatWasSkipped) {
  for (const auto& pool : pools()) {
    for (const std::size_t at : {0U, 1U, 10U, 1000U}) {
      std::stop_source source;
      std::atomic<std::size_t> ran{0};
      heist::task_graph g;
      std::vector<heist::task_graph::node> nodes;
      for (std::size_t i = 0; i < 60; ++i) {
        nodes.push_back(g.add([&] {
          if (++ran == at) source.request_stop();
        }));
        if (i >= 3) g.edge(nodes[i - 3], nodes[i]);
      }
      if (at == 0) source.request_stop();
      const auto report = g.run(*pool, {.stop = source.get_token()});
      EXPECT_EQ(report.done, ran);
      EXPECT_EQ(report.done + report.skipped, 60U);
      EXPECT_EQ(report.skipped == 0, at == 1000U);
    }
  }
}

}  // namespace
}  // namespace heist_test
