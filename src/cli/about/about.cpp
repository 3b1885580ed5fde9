// What `heist run` knows, and what numbers mean.
#include "cli/about/about.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <heist/error.hpp>
#include <heist/presets.hpp>

#include "cli/args/suggest.hpp"
#include "cli/cli.hpp"
#include "cli/run/run_json.hpp"
#include "observe/stats/meanings.hpp"

namespace heist::cli {

// ---- heist list.

namespace {

int list(const bool& as_json, output& out) {
  for (const auto* workload : workloads::all()) {
    if (as_json)
      out.print("{}\n", to_json(*workload));
    else
      out.print("{:<12}{}\n{:<12}shape: {}; stresses: {}; source: {}\n", workload->name(),
                workload->summary(), "", workload->describe().shape, workload->describe().stresses,
                workload->describe().source);
  }
  return success;
}

}  // namespace

action add_list(arguments& own) {
  return add_small(own, "--json", "with their options, an object a line", list);
}

// ---- heist presets.

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

// ---- heist explain.

namespace {

void list_all(output& out) {
  auto last = meaning_kind::finding;
  bool is_first = true;
  for (const meaning& m : all_meanings()) {
    if (is_first || m.kind != last)
      out.print("{}{}:\n", is_first ? "" : "\n", std::string(to_string(m.kind)));
    is_first = false;
    last = m.kind;
    out.print("  {:<24}{}\n", m.name, m.what);
  }
}

// By its name, or else by its title in tables, which another one may have as its name.
const meaning& meaning_of(const std::string& name) {
  if (const meaning* m = find_meaning(name)) return *m;
  std::vector<std::string_view> names;
  for (const meaning& m : all_meanings()) names.emplace_back(m.name);
  for (const meaning& m : all_meanings())
    if (m.title[0] != '\0' && name == m.title) return m;
  throw usage_error(unknown("name", name, names, "heist explain"));
}

int explain(const std::string& name, output& out) {
  if (name.empty()) {
    list_all(out);
    return success;
  }
  const meaning& m = meaning_of(name);
  out.print("{}: {}\n  {}{}\n  {}\n  {}\n", m.name, m.what, std::string(to_string(m.kind)),
            m.title[0] == '\0' || m.title == std::string_view(m.name)
                ? ""
                : fmt::format(", shown as '{}'", m.title),
            m.high, m.remedy);
  return success;
}

}  // namespace

action add_explain(arguments& own) {
  return add_small(own, "NAME", "of a field or a column [all, a line each]", explain);
}

}  // namespace heist::cli
