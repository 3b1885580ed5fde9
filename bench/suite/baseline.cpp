#include "bench/suite/baseline.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <heist/error.hpp>

namespace heist::bench {

namespace {

const report::measure* to_serial(const report::row& of) {
  const auto found =
      std::find_if(of.measures.begin(), of.measures.end(), [](const report::measure& each) {
        return each.name == "to serial" && each.values.count > 0;
      });
  return found == of.measures.end() ? nullptr : &*found;
}

}  // namespace

std::vector<checked_ratio> compare(const report::results& found, const report::results& baseline,
                                   const std::string& file) {
  if (baseline.on.processors != found.on.processors)
    throw usage_error(fmt::format("{}: made with {} processors, and here are {}", file,
                                  baseline.on.processors, found.on.processors));
  std::vector<checked_ratio> result;
  for (const auto& before : baseline.rows) {
    if (!before.name.starts_with("heist")) continue;
    const auto now = std::find_if(found.rows.begin(), found.rows.end(), [&](const auto& each) {
      return each.group == before.group && each.name == before.name;
    });
    if (now == found.rows.end()) continue;
    const auto* was = to_serial(before);
    const auto* is = to_serial(*now);
    if (was != nullptr && is != nullptr)
      result.push_back({before.group, before.name, was->values.median, is->values.median});
  }
  if (result.empty())
    throw usage_error(fmt::format("{}: no row of heist in common with this run", file));
  return result;
}

}  // namespace heist::bench
