#include "cli/args/suggest.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <heist/error.hpp>

namespace heist::cli {

namespace {

// The optimal string alignment distance, computed row by row of the usual table.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view wrong, const std::vector<std::string_view>& names) {
  std::string_view best;
  std::size_t least = 0;
  for (const auto name : names) {
    const auto steps = distance(wrong, name);
    const auto most = std::max<std::size_t>(1, name.size() / 3);
    if (steps > most || steps >= wrong.size() || (!best.empty() && steps >= least)) continue;
    best = name;
    least = steps;
  }
  return best;
}

std::string unknown(std::string_view what, std::string_view wrong,
                    const std::vector<std::string_view>& names, std::string_view where_to_look) {
  const auto nearest = nearest_name(wrong, names);
  if (!nearest.empty())
    return fmt::format("unknown {} '{}': did you mean '{}'?", what, wrong, nearest);
  return fmt::format("unknown {} '{}': not one of {}; see {}", what, wrong, fmt::join(names, ", "),
                     where_to_look);
}

void refuse_extras(std::vector<std::string> extras, std::string_view command) {
  std::erase(extras, "--");
  if (extras.empty()) return;
  const auto name = command.substr(command.rfind(' ') + 1);
  if (extras.front().starts_with('-'))
    throw usage_error(
        fmt::format("{} has no option {}: see heist {} --help", name, extras.front(), command));
  throw usage_error(fmt::format("{} takes no argument '{}'", name, extras.front()));
}

}  // namespace heist::cli
