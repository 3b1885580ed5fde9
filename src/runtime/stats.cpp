#include "heist/stats.hpp"

#include <cstdio>

namespace heist::inline v0 {

namespace {

struct column {
  const char* title;
  std::uint64_t counters::*field;
};

constexpr column columns[] = {
    {"steals", &counters::steals},         {"failed", &counters::failed_steals},
    {"batched", &counters::batched},       {"exposes", &counters::exposes},
    {"remote", &counters::remote_exposes}, {"reclaims", &counters::reclaims},
    {"suspends", &counters::suspends},     {"blocked", &counters::blocked_joins},
    {"roots", &counters::roots},           {"parks", &counters::parks},
    {"wakes", &counters::wakes},           {"inlined", &counters::inlined_forks},
    {"yields", &counters::yields},
};

std::string cell(const char* format, auto value) {
  char text[32];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

std::string row(const std::string& name, const counters& c) {
  std::string line = cell("%-8s", name.c_str());
  for (const column& k : columns)
    line += cell("%12llu", static_cast<unsigned long long>(c.*k.field));
  return line + "\n";
}

}  // namespace

counters& counters::operator+=(const counters& other) noexcept {
  for (const column& k : columns) this->*k.field += other.*k.field;
  return *this;
}

std::string to_string(const pool_stats& s) {
  std::string text = cell("%-8s", "worker");
  for (const column& k : columns) text += cell("%12s", k.title);
  text += "\n";
  for (std::size_t i = 0; i < s.workers.size(); ++i) text += row(std::to_string(i), s.workers[i]);
  text += row("all", s.total);
  return text + "stacks: " + std::to_string(s.stacks_in_use) + " in use, " +
         std::to_string(s.stacks_peak) + " at most, " + std::to_string(s.stacks_mapped) +
         " mapped\nblocking: " + std::to_string(s.blocking_calls) + " calls on " +
         std::to_string(s.blocking_threads_in_use) + " threads now, " +
         std::to_string(s.blocking_threads_peak) + " at most; " +
         std::to_string(s.blocking_refusals) + " calls on workers\n";
}

}  // namespace heist::inline v0
