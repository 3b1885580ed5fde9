// What pools measure under stats_kind::timed.
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "heist/heist.hpp"
#include "heist/prometheus.hpp"
#include "heist/sync/latch.hpp"
#include "tests/unit/runtime/child.hpp"
#include "tests/unit/runtime/fib.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::deque_kind;
using heist::idle_reason;
using heist::log2_histogram;
using heist::pool_histograms;
using heist::stats_kind;

TEST(Log2Histogram, PutsEachValueInTheBucketOfItsPowerOfTwo) {
  EXPECT_EQ(log2_histogram::bucket_of(0), 0U);
  EXPECT_EQ(log2_histogram::bucket_of(1), 0U);
  for (std::size_t b = 1; b + 1 < log2_histogram::buckets; ++b) {
    const std::uint64_t greatest = log2_histogram::greatest_of(b);
    EXPECT_EQ(log2_histogram::bucket_of(greatest), b);
    EXPECT_EQ(log2_histogram::bucket_of(greatest + 1), b + 1);
    EXPECT_EQ(log2_histogram::bucket_of(greatest / 2 + 1), b == 1 ? 1 : b);
  }
  EXPECT_EQ(log2_histogram::bucket_of(~std::uint64_t{0}), log2_histogram::buckets - 1);
}

TEST(Log2Histogram, CountsSumsAndBoundsShares) {
  log2_histogram h;
  EXPECT_EQ(h.count(), 0U);
  EXPECT_EQ(h.mean(), 0);
  EXPECT_EQ(h.quantile(0.5), 0U);
  for (int i = 0; i < 90; ++i) h.add(3);
  for (int i = 0; i < 10; ++i) h.add(1000);
  EXPECT_EQ(h.count(), 100U);
  EXPECT_DOUBLE_EQ(h.mean(), 102.7);
  EXPECT_EQ(h.quantile(0.5), 4U);
  EXPECT_EQ(h.quantile(0.9), 4U);
  EXPECT_EQ(h.quantile(0.91), 1024U);
  log2_histogram twice = h;
  twice += h;
  EXPECT_EQ(twice.count(), 200U);
  EXPECT_EQ(twice.sum, 2 * h.sum);
}

std::uint64_t spells(const pool_histograms& h, idle_reason r) {
  return h.idle_ns[static_cast<std::size_t>(r)].count();
}

TEST(Histograms, ArentKeptUnlessAskedFor) {
  heist::pool pool({.workers = 2});
  pool.run([] { return fib(15); });
  const auto s = pool.stats();
  EXPECT_FALSE(s.has_histograms);
  EXPECT_EQ(s.histograms, pool_histograms{});
}

class Histograms : public testing::TestWithParam<deque_kind> {
 protected:
  const watchdog guard_{"measuring"};
};

TEST_P(Histograms, EachStealIsInEachOfThem) {
  heist::pool pool({.workers = 3, .deque = GetParam(), .stats = stats_kind::timed});
  // Longer and longer: on a busy machine a thief may come when a short run is over, each time.
  unsigned n = 18;
  ASSERT_TRUE(eventually([&] {
    pool.run([n] { return fib(n); });
    if (n < 27) ++n;
    return pool.stats().total.steals >= 10;
  }));
  pool_histograms h;
  std::uint64_t steals = 0;
  // A thief counts a steal in one histogram after the other.
  ASSERT_TRUE(eventually([&] {
    const auto s = pool.stats();
    h = s.histograms;
    steals = s.total.steals;
    return h.steal_ns.count() == steals && h.steal_depth.count() == steals &&
           h.steal_places.count() == steals;
  }));
  const auto& d = h.steals_by_distance;
  EXPECT_EQ(std::accumulate(d.begin(), d.end(), std::uint64_t{0}), steals);
  EXPECT_EQ(d.back(), steals);                // nobody is pinned
  EXPECT_GE(h.steal_depth.sum, steals);       // each took at least one job
  EXPECT_EQ(h.steal_places.quantile(1), 1U);  // in a circle of three
  EXPECT_GT(h.steal_ns.sum, 0U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Histograms, testing::ValuesIn(heist::all_deque_kinds),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST(IdleSpells, OfAWorkerBesideALongLeafAreOfASerialPhase) {
  const watchdog guard("idle spells");
  heist::pool pool({.workers = 2, .stats = stats_kind::timed});
  // Only one worker has anything to do, for longer than the other one looks for work; then there is
  // something for both.
  ASSERT_TRUE(eventually([&] {
    pool.run([] {
      linger(std::chrono::milliseconds(2));
      signal_flag other;
      heist::fork_join([&] { static_cast<void>(other.wait()); }, [&] { other.raise(); });
    });
    return spells(pool.stats().histograms, idle_reason::serial_phase) > 0;
  }));
  EXPECT_GT(
      pool.stats().histograms.idle_ns[static_cast<std::size_t>(idle_reason::serial_phase)].sum, 0U);
}

TEST(IdleSpells, WhileEveryFiberWaitsAreBlocked) {
  const watchdog guard("idle spells");
  heist::pool pool({.workers = 2, .callers = heist::caller_kind::wait, .stats = stats_kind::timed});
  ASSERT_TRUE(eventually([&] {
    heist::latch opened(1);
    std::thread opener([&] {
      // Both workers sleep by then.
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      opened.count_down();
    });
    pool.run([&] { opened.wait(); });
    opener.join();
    return spells(pool.stats().histograms, idle_reason::blocked) > 0;
  }));
}

TEST(IdleSpells, BetweenTwoCallsHaveNoWork) {
  const watchdog guard("idle spells");
  heist::pool pool({.workers = 1, .callers = heist::caller_kind::wait, .stats = stats_kind::timed});
  ASSERT_TRUE(eventually([&] {
    pool.run([] {});
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return spells(pool.stats().histograms, idle_reason::no_work) > 0;
  }));
  const auto h = pool.stats().histograms;
  EXPECT_EQ(spells(h, idle_reason::private_work), 0U);
  EXPECT_EQ(spells(h, idle_reason::serial_phase), 0U);
}

TEST(Histograms, AWakeUpFromOutsideIsTimed) {
  const watchdog guard("wake-ups");
  heist::pool pool({.workers = 1, .callers = heist::caller_kind::wait, .stats = stats_kind::timed});
  ASSERT_TRUE(eventually([&] {
    static_cast<void>(eventually([&] { return pool.stats().total.parks > 0; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    pool.run([] {});
    return pool.stats().histograms.wake_ns.count() > 0;
  }));
  EXPECT_GT(pool.stats().histograms.wake_ns.sum, 0U);
}

TEST(Histograms, AreInTheText) {
  heist::pool pool({.workers = 2, .stats = stats_kind::timed});
  pool.run([] { return fib(15); });
  const std::string text = to_string(pool.stats());
  for (const char* line : {"time of a steal", "jobs on its victim", "places to its victim",
                           "time to wake", "idle: no_work", "idle: serial_phase"})
    EXPECT_NE(text.find(line), std::string::npos) << text;
}

TEST(Histograms, PinnedWorkersKnowTheirDistance) {
  heist::pool pool(
      {.workers = 2, .placement = heist::placement_kind::pinned, .stats = stats_kind::timed});
  const watchdog guard("pinned workers");
  ASSERT_TRUE(eventually([&] {
    pool.run([] { return fib(18); });
    return pool.stats().total.steals > 0;
  }));
  ASSERT_TRUE(eventually([&] {
    const auto s = pool.stats();
    const auto& d = s.histograms.steals_by_distance;
    return std::accumulate(d.begin(), d.end(), std::uint64_t{0}) == s.total.steals;
  }));
}

using HistogramsFromEnvironment = fresh_process;

TEST_F(HistogramsFromEnvironment, TimedIsALeastWhatEveryPoolMeasures) {
  EXPECT_EXIT(run_and_exit([] {
                ::setenv("HEIST_STATS", "timed", 1);
                heist::pool pool({.workers = 2});
                if (!pool.stats().has_histograms || pool.config().stats != stats_kind::timed)
                  throw std::runtime_error("it measures nothing");
                heist::pool full({.workers = 1, .stats = stats_kind::full});
                if (full.config().stats != stats_kind::full)
                  throw std::runtime_error("it counts less than was asked for");
              }),
              testing::ExitedWithCode(0), "time of a steal");
}

// ---- to_prometheus(): every line against the grammar of the text format, and what it promises of
// histograms.

struct sample {
  std::string name, labels, value;
};

struct family {
  std::string help, type;
  std::vector<sample> samples;
};

// The families of a text in their order, or an exception that names the line which is wrong. Of
// https://prometheus.io/docs/instrumenting/exposition_formats/
class parsed {
 public:
  explicit parsed(const std::string& text) {
    if (!text.empty() && text.back() != '\n') throw std::runtime_error("no line end at the end");
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("# "))
        add_comment(line);
      else
        add_sample(line);
    }
  }

  std::map<std::string, family> families;

 private:
  static constexpr const char* metric = "[a-zA-Z_:][a-zA-Z0-9_:]*";

  void add_comment(const std::string& line) {
    static const std::regex help(std::string("# HELP (") + metric + R"() ((?:[^\\\n]|\\\\|\\n)*))");
    static const std::regex type(std::string("# TYPE (") + metric + ") (counter|gauge|histogram)");
    std::smatch m;
    if (std::regex_match(line, m, help)) {
      if (!families.emplace(m[1], family{m[2], "", {}}).second)
        throw std::runtime_error("a family twice: " + line);
      current_ = m[1];
    } else if (std::regex_match(line, m, type) && m[1] == current_ &&
               families[current_].samples.empty()) {
      families[current_].type = m[2];
    } else {
      throw std::runtime_error("not in the grammar, or out of place: " + line);
    }
  }

  void add_sample(const std::string& line) {
    static const std::regex whole(
        std::string("(") + metric +
        R"re()\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\\\|\\"|\\n)*",?)*)\} ([-+0-9.eE]+|NaN|[+-]Inf))re");
    std::smatch m;
    if (!std::regex_match(line, m, whole)) throw std::runtime_error("not in the grammar: " + line);
    const std::string name = m[1];
    family& f = families[current_];
    const bool belongs =
        name == current_ ||
        (f.type == "histogram" && (name == current_ + "_bucket" || name == current_ + "_sum" ||
                                   name == current_ + "_count"));
    if (!belongs || f.type.empty()) throw std::runtime_error("of another family: " + line);
    if (!seen_.insert(name + "{" + std::string(m[2])).second)
      throw std::runtime_error("twice: " + line);
    f.samples.push_back({name, m[2], m[3]});
  }

  std::string current_;
  std::set<std::string> seen_;
};

std::string without_le(const std::string& labels, std::string& le) {
  static const std::regex last(R"re((.*),le="([^"]*)")re");
  std::smatch m;
  if (!std::regex_match(labels, m, last)) return labels;
  le = m[2];
  return m[1];
}

// Buckets grow, end with +Inf, and their last is the count.
void expect_sound_histogram(const family& f) {
  struct one {
    double end = -1;
    double below = -1;
    bool is_closed = false;
    double sum = -1, count = -1;
  };
  std::map<std::string, one> of;
  for (const sample& s : f.samples) {
    std::string le;
    one& h = of[without_le(s.labels, le)];
    const double value = std::stod(s.value);
    if (s.name.ends_with("_bucket")) {
      EXPECT_FALSE(h.is_closed);
      h.is_closed = le == "+Inf";
      const double end = h.is_closed ? HUGE_VAL : std::stod(le);
      EXPECT_GT(end, h.end);
      EXPECT_GE(value, h.below);
      h.end = end;
      h.below = value;
    } else {
      (s.name.ends_with("_sum") ? h.sum : h.count) = value;
    }
  }
  EXPECT_FALSE(of.empty());
  for (const auto& [labels, h] : of) {
    EXPECT_TRUE(h.is_closed) << labels;
    EXPECT_EQ(h.count, h.below) << labels;
    EXPECT_GE(h.sum, 0) << labels;
  }
}

TEST(Prometheus, APoolsTextIsInTheGrammar) {
  heist::pool pool({.workers = 3, .stats = heist::stats_kind::full, .name = "of three"});
  pool.run([] { return fib(18); });
  const parsed text(to_prometheus(pool.stats()));
  std::size_t histograms = 0;
  for (const auto& [name, f] : text.families) {
    EXPECT_FALSE(f.help.empty()) << name;
    EXPECT_FALSE(f.samples.empty()) << name;
    EXPECT_TRUE(name.starts_with("heist_")) << name;
    EXPECT_EQ(name.ends_with("_total"), f.type == "counter") << name;
    if (f.type != "histogram") continue;
    ++histograms;
    expect_sound_histogram(f);
  }
  EXPECT_EQ(histograms, 5U);
  EXPECT_EQ(text.families.at("heist_idle_seconds").samples.size(), 4U * (42 + 2));
}

TEST(Prometheus, HasTheNumbersOfTheStatistics) {
  heist::pool_stats s;
  s.pool = "p";
  s.workers.resize(2);
  s.workers[0].steals = 3;
  s.workers[1].steals = 4;
  s.stacks_peak = 7;
  s.has_histograms = true;
  s.histograms.wake_ns.add(1000);
  s.histograms.wake_ns.add(3000);
  const std::string text = to_prometheus(s);
  const auto has = [&text](const char* line) { return text.find(line) != std::string::npos; };
  EXPECT_TRUE(has("heist_steals_total{pool=\"p\",worker=\"0\"} 3\n")) << text;
  EXPECT_TRUE(has("heist_steals_total{pool=\"p\",worker=\"1\"} 4\n"));
  EXPECT_TRUE(has("heist_stacks_peak{pool=\"p\"} 7\n"));
  EXPECT_TRUE(has("heist_wake_seconds_bucket{pool=\"p\",le=\"5.12e-07\"} 0\n"));
  EXPECT_TRUE(has("heist_wake_seconds_bucket{pool=\"p\",le=\"1.024e-06\"} 1\n"));
  EXPECT_TRUE(has("heist_wake_seconds_bucket{pool=\"p\",le=\"4.096e-06\"} 2\n"));
  EXPECT_TRUE(has("heist_wake_seconds_bucket{pool=\"p\",le=\"+Inf\"} 2\n"));
  EXPECT_TRUE(has("heist_wake_seconds_sum{pool=\"p\"} 4e-06\n"));
  EXPECT_TRUE(has("heist_wake_seconds_count{pool=\"p\"} 2\n"));
}

TEST(Prometheus, EscapesNames) {
  heist::pool_stats s;
  s.pool = "a\"b\\c\nd\xff\xc3\xa9\xed\xa0\x80}";
  s.workers.resize(1);
  const std::string text = to_prometheus(s);
  const parsed sound(text);
  EXPECT_NE(text.find("pool=\"a\\\"b\\\\c\\nd\xEF\xBF\xBD\xc3\xa9\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF"
                      "\xBD}\""),
            std::string::npos)
      << text;
}

TEST(Prometheus, SeveralPoolsAreInOneTextUnderDifferentNames) {
  std::vector<heist::pool_stats> pools(3);
  for (auto& each : pools) {
    each.pool = "same";
    each.workers.resize(1);
  }
  pools[1].has_histograms = true;
  const std::string text = heist::to_prometheus(pools);
  const parsed sound(text);
  EXPECT_EQ(sound.families.at("heist_steals_total").samples.size(), 3U);
  for (const char* name : {"{pool=\"same\",", "{pool=\"same-2\",", "{pool=\"same-3\","})
    EXPECT_NE(text.find(name), std::string::npos) << name;
  EXPECT_EQ(heist::to_prometheus(std::span<const heist::pool_stats>{}), "");
}

// What the checks above must find.
TEST(Prometheus, TheParserRefusesWhatIsNotInTheGrammar) {
  const std::string head = "# HELP a b\n# TYPE a gauge\n";
  EXPECT_NO_THROW(parsed(head + "a{x=\"1\"} 2\n"));
  for (const char* wrong : {"a{x=\"1\"} 2", "a{x=\"\"1\"} 2\n", "a{x=\"1\"} two\n", "b{} 1\n",
                            "a{x=\"1\"} 2\na{x=\"1\"} 3\n", "# TYPE a counter\n"})
    EXPECT_THROW(parsed(head + "a{} 1\n" + wrong), std::runtime_error) << wrong;
}

}  // namespace
}  // namespace heist_test
