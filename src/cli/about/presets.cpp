// heist presets: the schedulers that `heist run --preset` knows.
#include <fmt/format.h>

#include <heist/presets.hpp>

#include "cli/about/about.hpp"
#include "cli/cli.hpp"
#include "cli/run/run_json.hpp"

namespace heist::cli {

namespace {

std::string programs_of(const presets::preset& preset) {
  auto text = std::string(to_string(preset.construct));
  if (preset.construct == presets::construct_kind::plan)
    text += fmt::format(" {}", to_string(preset.plan));
  if (preset.construct == presets::construct_kind::jobs)
    text += fmt::format(", memory {}", to_string(preset.memory));
  return text;
}

int list_presets(const bool& as_json, output& out) {
  bool is_first = true;
  for (const auto& each : presets::all()) {
    if (as_json) {
      out.print("{}\n", to_json(each));
      continue;
    }
    if (!is_first) out.print("\n");
    is_first = false;
    out.print("{}\n  parts     {}\n  programs  {}\n  pool      {}\n", each.name, each.parts,
              programs_of(each), to_string(each.config));
    if (!each.limits.empty()) out.print("  limits    {}\n", each.limits);
    out.print("  source    {}\n", each.source);
  }
  return success;
}

}  // namespace

action add_presets(arguments& own) {
  return add_small(own, "--json", "an object a line", list_presets);
}

}  // namespace heist::cli
