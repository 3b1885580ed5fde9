#include "heist/stats.hpp"

#include <cstdio>

namespace heist::inline v0 {

namespace {

struct column {
  const char* title;
  std::uint64_t counters::*field;
};

constexpr column columns[] = {
    {"steals", &counters::steals},
    {"failed", &counters::failed_steals},
    {"batched", &counters::batched},
    {"exposes", &counters::exposes},
    {"remote", &counters::remote_exposes},
    {"reclaims", &counters::reclaims},
    {"suspends", &counters::suspends},
    {"blocked", &counters::blocked_joins},
    {"roots", &counters::roots},
    {"parks", &counters::parks},
    {"naps", &counters::naps},
    {"wakes", &counters::wakes},
    {"inlined", &counters::inlined_forks},
    {"yields", &counters::yields},
};

// Of the second table, which is about the deques.
constexpr column deque_columns[] = {
    {"puts", &counters::puts},
    {"takes", &counters::takes},
    {"failed", &counters::failed_takes},
    {"resizes", &counters::resizes},
};

constexpr const char* size_titles[counters::size_classes] = {
    "1", "2", "3 to 4", "5 to 8", "9 to 16", "17 to 32", "more"};

std::string cell(const char* format, auto value) {
  char text[32];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}
std::string number(std::uint64_t n) { return cell("%12llu", static_cast<unsigned long long>(n)); }

// A line for each worker and one for all; `cells` makes the rest of a line.
std::string lines(const pool_stats& s, auto&& cells) {
  std::string text;
  for (std::size_t i = 0; i < s.workers.size(); ++i)
    text += cell("%-8s", std::to_string(i).c_str()) + cells(s.workers[i]) + "\n";
  return text + cell("%-8s", "all") + cells(s.total) + "\n";
}

std::string deque_table(const pool_stats& s) {
  std::string text = cell("%-8s", "deque");
  for (const column& k : deque_columns) text += cell("%12s", k.title);
  text += cell("%12s", "ups") + cell("%12s", "downs") + "\n";
  return text + lines(s, [](const counters& c) {
           std::string line;
           for (const column& k : deque_columns) line += number(c.*k.field);
           return line + number(c.bottom_ups()) + number(c.bottom_downs());
         });
}

std::string sizes_table(const pool_stats& s) {
  std::string text = cell("%-8s", "of size");
  for (const char* const title : size_titles) text += cell("%12s", title);
  return text + "\n" + lines(s, [](const counters& c) {
           std::string line;
           for (const std::uint64_t n : c.steals_by_size) line += number(n);
           return line;
         });
}

}  // namespace

counters& counters::operator+=(const counters& other) noexcept {
  for (const column& k : columns) this->*k.field += other.*k.field;
  for (const column& k : deque_columns) this->*k.field += other.*k.field;
  for (std::size_t i = 0; i < size_classes; ++i) steals_by_size[i] += other.steals_by_size[i];
  return *this;
}

std::string to_string(const pool_stats& s) {
  std::string text = cell("%-8s", "worker");
  for (const column& k : columns) text += cell("%12s", k.title);
  text += "\n" + lines(s, [](const counters& c) {
            std::string line;
            for (const column& k : columns) line += number(c.*k.field);
            return line;
          });
  if (s.total.puts != 0) text += deque_table(s);
  if (s.total.batch_steals() != 0) text += sizes_table(s);
  return text + "stacks: " + std::to_string(s.stacks_in_use) + " in use, " +
         std::to_string(s.stacks_peak) + " at most, " + std::to_string(s.stacks_mapped) +
         " mapped\nblocking: " + std::to_string(s.blocking_calls) + " calls on " +
         std::to_string(s.blocking_threads_in_use) + " threads now, " +
         std::to_string(s.blocking_threads_peak) + " at most; " +
         std::to_string(s.blocking_refusals) + " calls on workers\n";
}

}  // namespace heist::inline v0
