#include "heist/stats.hpp"

#include <cstdio>

#include "observe/stats/meanings.hpp"
#include "observe/stats/stats_json.hpp"
#include "observe/stats/stats_words.hpp"
#include "platform/json_text.hpp"

namespace heist::inline v0 {

namespace {

constexpr const char* size_titles[counters::size_classes] = {
    "1", "2", "3 to 4", "5 to 8", "9 to 16", "17 to 32", "more"};

std::string cell(const char* format, auto value) {
  char text[32];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}
std::string number(std::uint64_t n) { return cell("%12llu", static_cast<unsigned long long>(n)); }

// Calls `f` for each counter of a kind, in the order of the columns.
void for_each_counter(meaning_kind kind, auto&& f) {
  for (const meaning& m : all_meanings())
    if (m.kind == kind && m.counter != nullptr) f(m);
}

std::string titles(meaning_kind kind) {
  std::string text;
  for_each_counter(kind, [&](const meaning& m) { text += cell("%12s", m.title); });
  return text;
}
std::string numbers(meaning_kind kind, const counters& c) {
  std::string text;
  for_each_counter(kind, [&](const meaning& m) { text += number(c.*m.counter); });
  return text;
}

// A line for each worker and one for all; `cells` makes the rest of a line.
std::string lines(const pool_stats& s, auto&& cells) {
  std::string text;
  for (std::size_t i = 0; i < s.workers.size(); ++i)
    text += cell("%-8s", std::to_string(i).c_str()) + cells(s.workers[i]) + "\n";
  return text + cell("%-8s", "all") + cells(s.total) + "\n";
}

std::string deque_table(const pool_stats& s) {
  return cell("%-8s", "deque") + titles(meaning_kind::deque_counter) + cell("%12s", "ups") +
         cell("%12s", "downs") + "\n" + lines(s, [](const counters& c) {
           return numbers(meaning_kind::deque_counter, c) + number(c.bottom_ups()) +
                  number(c.bottom_downs());
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

// A time in a unit that leaves one to three digits before the point.
std::string readable_time(double ns) {
  constexpr const char* units[] = {"ns", "us", "ms"};
  for (const char* const unit : units) {
    if (ns < 999.5) return cell(ns < 9.95 ? "%.1f " : "%.0f ", ns) + unit;
    ns /= 1000;
  }
  return cell("%.1f s", ns);
}

// "steals  12 values, 310 ns in the mean, half within 256 ns, 99 % within 1.0 us"
std::string histogram_line(const char* title, const log2_histogram& h, auto&& readable) {
  std::string text = cell("%-22s", title) + number(h.count());
  if (h.count() == 0) return text + "\n";
  const auto bound = [&](double share) { return readable(static_cast<double>(h.quantile(share))); };
  return text + ", mean " + readable(h.mean()) + ", half within " + bound(0.5) + ", 99 % within " +
         bound(0.99) + "\n";
}

std::string histograms_text(const pool_histograms& h) {
  const auto jobs = [](double n) { return cell("%.1f", n); };
  std::string text = histogram_line("time of a steal", h.steal_ns, readable_time) +
                     histogram_line("jobs on its victim", h.steal_depth, jobs) +
                     histogram_line("places to its victim", h.steal_places, jobs) +
                     histogram_line("time to wake", h.wake_ns, readable_time);
  for (const idle_reason r : all_idle_reasons)
    text += histogram_line(("idle: " + std::string(to_string(r))).c_str(),
                           h.idle_ns[static_cast<std::size_t>(r)], readable_time);
  if (h.steals_by_distance.back() == h.steal_ns.count()) return text;
  text += cell("%-22s", "steals by distance");
  for (const steal_distance d : all_steal_distances)
    text += " " + std::string(to_string(d)) + " " +
            std::to_string(h.steals_by_distance[static_cast<std::size_t>(d)]);
  return text + "\n";
}

}  // namespace

pool_histograms& pool_histograms::operator+=(const pool_histograms& other) noexcept {
  steal_ns += other.steal_ns;
  steal_depth += other.steal_depth;
  steal_places += other.steal_places;
  for (std::size_t i = 0; i < steals_by_distance.size(); ++i)
    steals_by_distance[i] += other.steals_by_distance[i];
  wake_ns += other.wake_ns;
  for (std::size_t i = 0; i < idle_ns.size(); ++i) idle_ns[i] += other.idle_ns[i];
  return *this;
}

counters& counters::operator+=(const counters& other) noexcept {
  for (const meaning& m : all_meanings())
    if (m.counter != nullptr) this->*m.counter += other.*m.counter;
  for (std::size_t i = 0; i < size_classes; ++i) steals_by_size[i] += other.steals_by_size[i];
  return *this;
}

std::string to_string(const pool_stats& s) {
  std::string text = cell("%-8s", "worker") + titles(meaning_kind::counter) + "\n" +
                     lines(s, [](const counters& c) { return numbers(meaning_kind::counter, c); });
  if (s.total.puts != 0) text += deque_table(s);
  if (s.total.batch_steals() != 0) text += sizes_table(s);
  if (s.has_histograms) text += histograms_text(s.histograms);
  return text + "stacks: " + std::to_string(s.stacks_in_use) + " in use, " +
         std::to_string(s.stacks_peak) + " at most, " + std::to_string(s.stacks_mapped) +
         " mapped\nblocking: " + std::to_string(s.blocking_calls) + " calls on " +
         std::to_string(s.blocking_threads_in_use) + " threads now, " +
         std::to_string(s.blocking_threads_peak) + " at most; " +
         std::to_string(s.blocking_refusals) + " calls on workers\n";
}

}  // namespace heist::inline v0

// ---- As JSON, for traces.

namespace heist::inline v0::detail {

namespace {

using platform::json_text;

std::string object_of(const counters& c) {
  std::string to = "{";
  for (const meaning& m : all_meanings()) {
    if (m.counter == nullptr) continue;
    if (to.size() > 1) to += ',';
    to += json_text(m.name) + ":" + std::to_string(c.*m.counter);
  }
  return to + "}";
}

std::string object_of(const log2_histogram& h) {
  return "{\"count\":" + std::to_string(h.count()) +
         ",\"mean\":" + std::to_string(static_cast<std::uint64_t>(h.mean())) +
         ",\"median\":" + std::to_string(h.quantile(0.5)) +
         ",\"99_of_100\":" + std::to_string(h.quantile(0.99)) + "}";
}

std::string object_of(const pool_histograms& h) {
  std::string to = "{\"steal_ns\":" + object_of(h.steal_ns) +
                   ",\"steal_depth\":" + object_of(h.steal_depth) +
                   ",\"steal_places\":" + object_of(h.steal_places) +
                   ",\"wake_ns\":" + object_of(h.wake_ns) + ",\"idle_ns\":{";
  for (const idle_reason r : all_idle_reasons)
    to += (r == all_idle_reasons[0] ? "" : ",") + json_text(to_string(r)) + ":" +
          object_of(h.idle_ns[static_cast<std::size_t>(r)]);
  to += "},\"steals_by_distance\":{";
  for (const steal_distance d : all_steal_distances)
    to += (d == all_steal_distances[0] ? "" : ",") + json_text(to_string(d)) + ":" +
          std::to_string(h.steals_by_distance[static_cast<std::size_t>(d)]);
  return to + "}}";
}

}  // namespace

std::string to_json(const pool_stats& stats) {
  std::string to = "{\"pool\":" + json_text(stats.pool) + ",\"total\":" + object_of(stats.total);
  to += ",\"workers\":[";
  for (const counters& c : stats.workers)
    to += (&c == stats.workers.data() ? "" : ",") + object_of(c);
  to += "]";
  for (const meaning& m : all_meanings())
    if (m.number != nullptr) to += "," + json_text(m.name) + ":" + std::to_string(stats.*m.number);
  if (stats.has_histograms) to += ",\"histograms\":" + object_of(stats.histograms);
  to += ",\"judgement\":[";
  std::string_view comma;
  for (const std::string& sentence : judgement_of(stats)) {
    to += comma;
    to += json_text(sentence);
    comma = ",";
  }
  return to + "]}";
}

}  // namespace heist::inline v0::detail
