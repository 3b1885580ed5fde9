// to_prometheus(): every line against the grammar of the text format, and what it promises of
// histograms.
#include "heist/prometheus.hpp"

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "heist/heist.hpp"
#include "tests/unit/runtime/fib.hpp"

namespace heist_test {
namespace {

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
