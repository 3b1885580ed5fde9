// Prometheus' text exposition format, version 0.0.4: for each metric a HELP and a TYPE line, then
// all of its samples. https://prometheus.io/docs/instrumenting/exposition_formats/
#include "heist/prometheus.hpp"

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "observe/stats/meanings.hpp"
#include "platform/utf8.hpp"

namespace heist::inline v0 {

namespace {

// What a histogram's buckets are counted in, and the metric's unit.
enum class unit { nanoseconds, one };

// A label's value: backslash, quote and line end are written as \\, \" and \n.
std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = platform::character_at(text);
    if (length == 0)
      result += "\xEF\xBF\xBD";
    else if (text[0] == '\\' || text[0] == '"')
      result += std::string("\\") + text[0];
    else if (text[0] == '\n')
      result += "\\n";
    else
      result += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.12g", value);
  // The locale's decimal point may be a comma.
  for (char& c : text)
    if (c == ',') c = '.';
  return text;
}

std::string label(const char* name, std::string_view value) {
  return std::string(name) + "=\"" + escaped(value) + "\"";
}

class exposition {
 public:
  void begin(const std::string& name, const char* type, const std::string& help) {
    text_ += "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
  }
  void sample(std::string_view name, const std::string& labels, const std::string& value) {
    text_ += std::string(name) + "{" + labels + "} " + value + "\n";
  }
  void sample(std::string_view name, const std::string& labels, std::uint64_t value) {
    sample(name, labels, std::to_string(value));
  }
  void histogram(const std::string& name, const std::string& labels, const log2_histogram& h,
                 unit of) {
    const double scale = of == unit::nanoseconds ? 1e-9 : 1;
    std::uint64_t below = 0;
    for (std::size_t b = 0; b + 1 < log2_histogram::buckets; ++b) {
      below += h.counts[b];
      const double end = static_cast<double>(log2_histogram::greatest_of(b)) * scale;
      sample(name + "_bucket", labels + "," + label("le", decimal(end)), below);
    }
    // Not count(): the two must agree, and the cells may be written meanwhile.
    const std::uint64_t all = below + h.counts.back();
    sample(name + "_bucket", labels + "," + label("le", "+Inf"), all);
    sample(name + "_sum", labels, decimal(static_cast<double>(h.sum) * scale));
    sample(name + "_count", labels, all);
  }
  [[nodiscard]] std::string take() && { return std::move(text_); }

 private:
  std::string text_;
};

struct named_pool {
  std::string label;
  const pool_stats* stats;
};

// A name that an earlier pool has, too, gets a number.
std::vector<named_pool> with_names(std::span<const pool_stats> pools) {
  std::vector<named_pool> named;
  const auto is_taken = [&named](const std::string& l) {
    for (const named_pool& n : named)
      if (n.label == l) return true;
    return false;
  };
  for (const pool_stats& each : pools) {
    std::string l = label("pool", each.pool);
    for (unsigned k = 2; is_taken(l); ++k) l = label("pool", each.pool + "-" + std::to_string(k));
    named.push_back({l, &each});
  }
  return named;
}

void add_histograms(exposition& to, const std::vector<named_pool>& pools) {
  struct histogram_metric {
    const char* name;
    const char* help;
    log2_histogram pool_histograms::*field;
    unit of;
  };
  constexpr histogram_metric metrics[] = {
      {"heist_steal_seconds", "Time of a successful attempt to steal.", &pool_histograms::steal_ns,
       unit::nanoseconds},
      {"heist_steal_depth_jobs", "Jobs on the victim's deque at a steal.",
       &pool_histograms::steal_depth, unit::one},
      {"heist_steal_distance_workers", "Places between a thief and its victim.",
       &pool_histograms::steal_places, unit::one},
      {"heist_wake_seconds", "Time from the decision to wake a worker until it runs.",
       &pool_histograms::wake_ns, unit::nanoseconds},
  };
  for (const histogram_metric& m : metrics) {
    to.begin(m.name, "histogram", m.help);
    for (const named_pool& p : pools)
      to.histogram(m.name, p.label, p.stats->histograms.*m.field, m.of);
  }
  to.begin("heist_idle_seconds", "histogram", "Length of idle spells, by their reason.");
  for (const named_pool& p : pools)
    for (const idle_reason r : all_idle_reasons)
      to.histogram("heist_idle_seconds", p.label + "," + label("reason", to_string(r)),
                   p.stats->histograms.idle_ns[static_cast<std::size_t>(r)], unit::nanoseconds);
  to.begin("heist_steals_by_distance_total", "counter",
           "Steals by how near the processors are, where workers are pinned.");
  for (const named_pool& p : pools)
    for (const steal_distance d : all_steal_distances)
      to.sample("heist_steals_by_distance_total", p.label + "," + label("distance", to_string(d)),
                p.stats->histograms.steals_by_distance[static_cast<std::size_t>(d)]);
}

}  // namespace

std::string to_prometheus(const pool_stats& stats) { return to_prometheus({&stats, 1}); }

std::string to_prometheus(std::span<const pool_stats> pools) {
  exposition to;
  if (pools.empty()) return {};
  const std::vector<named_pool> named = with_names(pools);
  for (const meaning& m : all_meanings()) {
    if (m.counter == nullptr && m.number == nullptr) continue;
    const std::string name = m.metric();
    to.begin(name, m.kind == meaning_kind::number ? "gauge" : "counter", m.help());
    for (const named_pool& p : named) {
      if (m.number != nullptr) to.sample(name, p.label, p.stats->*m.number);
      for (std::size_t i = 0; m.counter != nullptr && i < p.stats->workers.size(); ++i)
        to.sample(name, p.label + "," + label("worker", std::to_string(i)),
                  p.stats->workers[i].*m.counter);
    }
  }
  std::vector<named_pool> measured;
  for (const named_pool& p : named)
    if (p.stats->has_histograms) measured.push_back(p);
  if (!measured.empty()) add_histograms(to, measured);
  return std::move(to).take();
}

}  // namespace heist::inline v0
