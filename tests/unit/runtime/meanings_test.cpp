// The texts about a pool's numbers: each number has one, and the words below a table follow from
// the numbers.
#include "observe/stats/meanings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "observe/stats/stats_words.hpp"

namespace {

using heist::counters;
using heist::meaning;
using heist::pool_stats;

std::vector<std::string> names_of(std::span<const meaning> texts) {
  std::vector<std::string> names;
  for (const meaning& m : texts) names.emplace_back(m.name);
  return names;
}

// How many words of counters no text is about.
std::size_t counters_without_text(std::span<const meaning> texts) {
  counters all{};
  for (const meaning& m : texts)
    if (m.counter != nullptr) all.*m.counter = 1;
  all.steals_by_size.fill(1);
  std::size_t missing = 0;
  std::uint64_t words[sizeof(counters) / sizeof(std::uint64_t)];
  std::memcpy(words, &all, sizeof(all));
  for (const std::uint64_t word : words) missing += word == 0 ? 1 : 0;
  return missing;
}

bool has_all(const std::vector<std::string>& names, std::initializer_list<const char*> wanted) {
  for (const char* const name : wanted)
    if (std::find(names.begin(), names.end(), name) == names.end()) return false;
  return true;
}

TEST(Meanings, EveryCounterHasAText) {
  EXPECT_EQ(counters_without_text(heist::all_meanings()), 0U);
}

TEST(Meanings, AMissingTextIsFound) {
  const auto all = heist::all_meanings();
  EXPECT_EQ(counters_without_text(all.subspan(1)), 1U);
}

TEST(Meanings, EveryNumberOfAPoolHasAText) {
  // This doesn't compile when pool_stats gets another field: it needs a text, and its name here.
  [[maybe_unused]] const auto& [pool, has_histograms, histograms, workers, total, stacks_in_use,
                                stacks_peak, stacks_mapped, blocking_calls, blocking_refusals,
                                blocking_threads_in_use, blocking_threads_peak, seatless_calls,
                                processor_ns, ready_ns] = pool_stats{};
  [[maybe_unused]] const auto& [steal_ns, steal_depth, steal_places, steals_by_distance, wake_ns,
                                idle_ns] = heist::pool_histograms{};
  EXPECT_TRUE(has_all(names_of(heist::all_meanings()), {"pool",
                                                        "has_histograms",
                                                        "histograms",
                                                        "workers",
                                                        "total",
                                                        "stacks_in_use",
                                                        "stacks_peak",
                                                        "stacks_mapped",
                                                        "blocking_calls",
                                                        "blocking_refusals",
                                                        "blocking_threads_in_use",
                                                        "blocking_threads_peak",
                                                        "seatless_calls",
                                                        "processor_ns",
                                                        "ready_ns",
                                                        "steal_ns",
                                                        "steal_depth",
                                                        "steal_places",
                                                        "steals_by_distance",
                                                        "wake_ns",
                                                        "idle_ns",
                                                        "steals_by_size"}));
}

TEST(Meanings, EveryReasonToBeIdleHasAText) {
  const auto names = names_of(heist::all_meanings());
  for (const heist::idle_reason r : heist::all_idle_reasons)
    EXPECT_NE(std::find(names.begin(), names.end(), to_string(r)), names.end()) << to_string(r);
}

TEST(Meanings, NoNameStandsForTwoThings) {
  auto names = names_of(heist::all_meanings());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

pool_stats two_workers() {
  pool_stats s;
  s.workers.resize(2);
  return s;
}
bool says(const pool_stats& s, const char* words) {
  return heist::words_about(s).find(words) != std::string::npos;
}

TEST(StatsWords, OnlyColumnsWithAValueAreExplained) {
  pool_stats s = two_workers();
  s.total.steals = s.workers[0].steals = 12;
  EXPECT_TRUE(says(s, "steals       jobs taken from another worker\n"));
  EXPECT_FALSE(says(s, "parks"));
}

TEST(StatsWords, FewStealsThatSharedTheWorkAreWell) {
  pool_stats s = two_workers();
  s.total.steals = s.workers[1].steals = 12;
  s.total.exposes = 12;
  EXPECT_TRUE(says(s, "1 worker of 2 took work from others, by 12 steals: too few to cost"));
  EXPECT_FALSE(says(s, "slept"));
  EXPECT_FALSE(says(s, "attempts in vain"));
}

TEST(StatsWords, NoStealsAreExplained) {
  pool_stats s = two_workers();
  EXPECT_TRUE(says(s, "No steals, and nothing was given"));
  s.total.roots = 3;
  EXPECT_TRUE(says(s, "No steals: one worker at a time did everything"));
  s.total.exposes = 3;
  EXPECT_TRUE(says(s, "took it back before"));
  s.workers.resize(1);
  EXPECT_TRUE(says(s, "One worker: there was nobody to share with."));
}

TEST(StatsWords, WhatCallsForAChangeIsSaid) {
  pool_stats s = two_workers();
  s.total.steals = s.workers[0].steals = 200;
  s.total.parks = 300;
  s.total.naps = 150;
  s.total.failed_steals = 30'000;
  s.total.inlined_forks = 1;
  s.blocking_refusals = 2;
  s.seatless_calls = 101;
  EXPECT_TRUE(says(s, "Workers slept 300 times, more often than they stole"));
  EXPECT_TRUE(says(s, "Thieves napped 150 times"));
  EXPECT_TRUE(says(s, "For each steal there were 150 attempts in vain"));
  EXPECT_TRUE(says(s, "1 fork found the deque full"));
  EXPECT_TRUE(says(s, "2 blocking calls held a worker up"));
  EXPECT_TRUE(says(s, "101 calls from outside found no seat"));
}

TEST(StatsWords, TheMainReasonToBeIdleIsNamed) {
  pool_stats s = two_workers();
  s.has_histograms = true;
  auto& spells = s.histograms.idle_ns[static_cast<std::size_t>(heist::idle_reason::serial_phase)];
  for (int i = 0; i < 100; ++i) spells.add(1000);
  EXPECT_TRUE(says(s, "Most idle time: one worker ran, with nothing on its deque. Split what"));
}

}  // namespace
