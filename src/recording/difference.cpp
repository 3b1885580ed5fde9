#include "recording/difference.hpp"

#include <cmath>
#include <map>

#include "trace/sort_stably.hpp"

namespace heist::inline v0::trace {

namespace {

std::map<std::string, region_summary> by_name(const recording& of, const summary& numbers) {
  std::map<std::string, region_summary> all;
  for (const region_summary& r : numbers.regions) all[of.names[r.number]] = r;
  return all;
}

// The square of the standard error of a pass's mean.
double error_of(const region_summary& r) {
  return r.pass_deviation_ns * r.pass_deviation_ns / static_cast<double>(r.passes);
}

std::vector<compared> compare_runs(const recording& before, const summary& x,
                                   const recording& after, const summary& y) {
  const auto pair = [](const std::string& what, auto a, auto b) {
    return compared{what, static_cast<double>(a), static_cast<double>(b), 0};
  };
  std::vector<compared> all = {
      pair("duration", before.duration_ns, after.duration_ns),
      pair("processor time", x.processor_ns, y.processor_ns),
      pair("waiting for a processor", x.ready_ns, y.ready_ns),
      pair("work", x.work_ns, y.work_ns),
      pair("work of one thread alone", x.alone_ns, y.alone_ns),
  };
  for (std::size_t k = 0; k < cause_count; ++k)
    all.push_back(pair(std::string("idle: ") + cause_names[k], x.idle_ns[k], y.idle_ns[k]));
  return all;
}

}  // namespace

double compared::change() const {
  if (before != 0) return after / before - 1;
  return after == 0 ? 0 : HUGE_VAL;
}

bool compared::is_clear() const { return noise > 0 && std::abs(after - before) > 2 * noise; }

difference compare(const recording& before, const summary& of_before, const recording& after,
                   const summary& of_after) {
  difference d;
  d.run = compare_runs(before, of_before, after, of_after);
  const auto x = by_name(before, of_before);
  const auto y = by_name(after, of_after);
  std::map<std::string, region_summary> all = x;
  all.insert(y.begin(), y.end());
  for (const auto& [name, any] : all) {
    const region_summary a = x.contains(name) ? x.at(name) : region_summary{};
    const region_summary b = y.contains(name) ? y.at(name) : region_summary{};
    d.regions.push_back({name, static_cast<double>(a.work_ns), static_cast<double>(b.work_ns), 0});
    if (a.passes > 1 && b.passes > 1)
      d.passes.push_back(
          {name, a.pass_mean_ns, b.pass_mean_ns, std::sqrt(error_of(a) + error_of(b))});
  }
  sort_stably(d.regions, [](const auto& a, const auto& b) {
    return std::abs(a.after - a.before) > std::abs(b.after - b.before);
  });
  return d;
}

nlohmann::json to_json(const difference& d) {
  const auto list = [](const std::vector<compared>& of) {
    auto all = nlohmann::json::array();
    for (const compared& c : of)
      all.push_back({{"what", c.what},
                     {"before", c.before},
                     {"after", c.after},
                     {"noise", c.noise},
                     {"is_clear", c.is_clear()}});
    return all;
  };
  return {{"run", list(d.run)}, {"regions", list(d.regions)}, {"passes", list(d.passes)}};
}

}  // namespace heist::inline v0::trace
