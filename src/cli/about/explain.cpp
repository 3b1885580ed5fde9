// heist explain: what counters, numbers of a pool, reasons to be idle and findings mean.
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "cli/about/about.hpp"
#include "cli/args/suggest.hpp"
#include "cli/cli.hpp"
#include "observe/stats/meanings.hpp"

namespace heist::cli {

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
