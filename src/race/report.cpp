#include "race/report.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fnmatch.h>

#include "checker/places.hpp"
#include "heist/detail/race.hpp"
#include "platform/json_text.hpp"

namespace heist::inline v0::race {

namespace {

using detail::race::kind;

struct settings {
  int exit_code = 3;
  std::string report;
  std::vector<std::string> suppressed;
};

struct finding {
  std::string earlier, later;  // places
  std::string lines;
  std::string text;
  std::string json;
};

struct said {
  settings how;
  std::set<std::pair<code_id, code_id>> known;
  std::set<std::string> known_lines;
  std::deque<finding> findings;
  std::uint64_t left_out = 0;  // beyond `most`
  std::uint64_t suppressed = 0;
  bool has_other_threads = false;
};

said& all() {
  static said* const it = new said;  // never destroyed: used until the process ends
  return *it;
}

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "heist: HEIST_RACE: %s\n", why.c_str());
  std::_Exit(2);
}

void read_suppressions(const std::string& path, settings& to) {
  std::ifstream in(path);
  if (!in) refuse("can't read " + path + ": " + std::strerror(errno));
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    to.suppressed.push_back("*" + line + "*");
  }
  if (in.bad()) refuse("can't read " + path);
}

settings read_settings() {
  settings how;
  const char* const value = std::getenv("HEIST_RACE");
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const std::string_view name = one.substr(0, one.find(':'));
    const std::string text(one.substr(std::min(one.size(), name.size() + 1)));
    if (name == "exit" && !text.empty() && text.size() <= 3 &&
        text.find_first_not_of("0123456789") == std::string::npos && std::stoi(text) <= 255) {
      how.exit_code = std::stoi(text);
    } else if (name == "report" && !text.empty()) {
      how.report = text;
    } else if (name == "suppress" && !text.empty()) {
      read_suppressions(text, how);
    } else {
      refuse("'" + std::string(one) +
             "': must be exit:CODE from 0 to 255, report:FILE or suppress:FILE, with commas");
    }
  }
  return how;
}

std::string count_of(std::uint64_t n, const char* what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string text_of(kind k, std::uint64_t index) {
  switch (k) {
    case kind::fork:
      return "function " + std::to_string(index + 1) + " of the fork";
    case kind::loop:
      return "iteration " + std::to_string(index) + " of the loop";
    case kind::spawn:
      return "the spawn";
    case kind::task:
      return "the task";
    case kind::future:
      return "the future";
    case kind::stage: {
      const stage_index at(index);
      const std::string item = "item " + std::to_string(at.item);
      if (at.stage == 0) return "the source, for " + item + ", of the pipeline";
      return "stage " + std::to_string(at.stage) + ", for " + item + ", of the pipeline";
    }
    case kind::node:
      break;
  }
  return "function " + std::to_string(index & 0xffffffff) + " of the task graph";
}

}  // namespace

constexpr std::size_t most_calls_shown = 12;

// Reads what the detector knows.
struct describer {
  detector& d;

  [[nodiscard]] std::uintptr_t address_of(code_id by) const {
    const std::uint32_t low = by & ((std::uint32_t{1} << 28U) - 1);
    return (by >> 31U) != 0 ? d.codes_[low] : d.program_ + low;
  }
  [[nodiscard]] std::string place(code_id by) const { return place_at(address_of(by)); }
  // Of the access that is being made: where a library makes it, the call of that.
  [[nodiscard]] std::string place_here(code_id by) const {
    std::vector<std::uintptr_t> chain{address_of(by) - 1};
    for (std::size_t i = std::min(d.depth_, detector::most_calls); i != 0 && chain.size() < 16; --i)
      chain.push_back(d.calls_[i - 1] - 1);
    return checker::place_of(chain);
  }
  [[nodiscard]] static std::string place_at(std::uintptr_t address) {
    const std::uintptr_t call = address - 1;
    return checker::place_of({&call, 1}, true);
  }
  [[nodiscard]] static std::string what(const one_access& a) {
    static constexpr const char* sizes[] = {"1 byte",   "2 bytes", "4 bytes", "8 bytes",
                                            "16 bytes", "",        "",        ""};
    const unsigned how = a.by >> 28U & 7U;
    if (how == 5) return "a free";
    const std::string kind = a.writes ? "write" : "read";
    if (how == 6) return "a " + kind + " of a range";
    if (how == 7) return "an atomic " + kind;
    return "a " + kind + " of " + sizes[how];
  }
  // From the branch to the outermost.
  [[nodiscard]] std::vector<branch_id> ancestors(branch_id b) const {
    std::vector<branch_id> up;
    for (b = d.bags_.first_number(b); b != 0; b = d.bags_.origin(b).parent) up.push_back(b);
    return up;
  }
  [[nodiscard]] std::string part(branch_id b) const {
    const branch_origin& o = d.bags_.origin(b);
    const beginning& how = d.beginnings_[o.how];
    std::vector<std::uintptr_t> chain;
    for (const std::uintptr_t call : how.from)
      if (call != 0) chain.push_back(call - 1);
    return text_of(static_cast<kind>(how.kind), o.index) + " at " + checker::place_of(chain);
  }
  // The two branches that are parallel, and those within the first one that lead to the access.
  struct parallel_parts {
    std::string earlier, later;
    std::vector<std::string> inside;  // the innermost first
  };
  [[nodiscard]] parallel_parts parts(branch_id earlier, branch_id later) const {
    const std::vector<branch_id> a = ancestors(earlier), b = ancestors(later);
    std::size_t i = a.size(), j = b.size();
    while (i != 0 && j != 0 && a[i - 1] == b[j - 1]) {
      --i;
      --j;
    }
    const std::string rest = "what goes on beside it";
    parallel_parts found{i != 0 ? part(a[i - 1]) : rest, j != 0 ? part(b[j - 1]) : rest, {}};
    for (std::size_t k = 0; k + 1 < i && k < most_calls_shown; ++k)
      found.inside.push_back(part(a[k]));
    return found;
  }
  [[nodiscard]] std::string object(std::uintptr_t address) const {
    if (address >= d.stack_end_ && address < d.stack_end_ + (std::uintptr_t{1} << 33U) &&
        address >= d.lowest_)
      return "a variable on the stack";
    // The beginning of its allocation lies before it.
    for (std::uintptr_t at = address & ~std::uintptr_t{15};
         at != 0 && address - at < (std::uintptr_t{1} << 30U); at -= 16) {
      shadow::chunk* const c = d.shadow_.find(at);
      if (c == nullptr) {
        at &= ~(shadow::chunk_bytes - 1);
        continue;
      }
      const std::uint32_t* const place = &c->allocations[(at & (shadow::chunk_bytes - 1)) / 16];
      const std::uint32_t by = place[0];
      if (by == 0 || (by & shadow::is_size) != 0) continue;
      const std::size_t bytes = std::size_t{place[1] & ~shadow::is_size} * 8;
      if (address - at >= bytes) break;
      return "byte " + std::to_string(address - at) + " of the memory that was allocated at " +
             place_at(d.allocators_[by]);
    }
    const std::string name = checker::symbol_at(address);
    return name.empty() ? "memory that was neither allocated nor has a name" : name;
  }
  // Where the thread is, the innermost call first.
  [[nodiscard]] std::vector<std::string> calls() const {
    std::vector<std::string> found;
    const std::size_t depth = std::min(d.depth_, detector::most_calls);
    for (std::size_t i = depth; i != 0 && found.size() < most_calls_shown; --i) {
      const std::uintptr_t call = d.calls_[i - 1] - 1;
      std::string at = checker::place_of({&call, 1}, false);
      if (!at.empty() && at != "?" && (found.empty() || found.back() != at) &&
          at.find('+') == std::string::npos && at.find("__libc_start") == std::string::npos)
        found.push_back(std::move(at));
    }
    return found;
  }
};

namespace reports {

void begin() noexcept { all().how = read_settings(); }

void give_up(const char* why, int error) noexcept {
  std::fprintf(stderr, "heist: race: %s%s%s; the program ends here, since no verdict is possible\n",
               why, error == 0 ? "" : ": ", error == 0 ? "" : std::strerror(error));
  std::_Exit(1);
}

void give_up_waiting(const detector& d) noexcept {
  if (all().has_other_threads) return;
  const std::vector<std::string> calls = describer{const_cast<detector&>(d)}.calls();
  std::fprintf(stderr,
               "heist: race: a wait for what comes later in the serial order, or never, called "
               "from %s; the program ends here, since no verdict is possible\n",
               calls.empty() ? "the program" : calls.front().c_str());
  std::_Exit(1);
}

void add(detector& d, std::uintptr_t address, const one_access& earlier,
         const one_access& later) noexcept {
  said& s = all();
  if (!s.known.emplace(earlier.by, later.by).second) return;
  if (s.findings.size() == most) {
    ++s.left_out;
    return;
  }
  const describer say{d};
  finding f;
  f.earlier = say.place(earlier.by);
  f.later = say.place_here(later.by);
  for (const std::string& pattern : s.how.suppressed) {
    if (::fnmatch(pattern.c_str(), f.earlier.c_str(), 0) == 0 ||
        ::fnmatch(pattern.c_str(), f.later.c_str(), 0) == 0) {
      ++s.suppressed;
      return;
    }
  }
  const auto line = [](const std::string& place) { return place.substr(0, place.find(" in ")); };
  f.lines = line(f.earlier) + " " + line(f.later);
  // A place that is read and written has one report.
  if (!s.known_lines.insert(f.lines).second) return;
  const auto [one, other, inside] = say.parts(earlier.branch, later.branch);
  const std::string object = say.object(address);
  f.text = "heist: race: " + say.what(earlier) + " at " + f.earlier + "\n         and " +
           say.what(later) + " at " + f.later +
           "\n       may happen at the same time, or in either order.\n       To: " + object +
           "\n       The first is in " + one + ",\n       the second in " + other + ".\n";
  const auto add_lines = [&f](const char* first, const char* next,
                              const std::vector<std::string>& lines) {
    for (const std::string& each : lines)
      f.text += (&each == &lines.front() ? first : next) + each + "\n";
  };
  add_lines("       Further in, the first is in ", "         in ", inside);
  const std::vector<std::string> calls = say.calls();
  add_lines("       The second is called from ", "         from ", calls);
  using platform::json_text;
  const auto json_list = [](const std::vector<std::string>& lines) {
    std::string list;
    for (const std::string& each : lines) list += (list.empty() ? "" : ",") + json_text(each);
    return "[" + list + "]";
  };
  f.json = "{\"earlier\":{\"access\":" + json_text(say.what(earlier)) +
           ",\"at\":" + json_text(f.earlier) + ",\"branch\":" + json_text(one) +
           ",\"inside\":" + json_list(inside) +
           "},\"later\":{\"access\":" + json_text(say.what(later)) +
           ",\"at\":" + json_text(f.later) + ",\"branch\":" + json_text(other) +
           ",\"calls\":" + json_list(calls) + "},\"object\":" + json_text(object) + "}";
  std::fputs(f.text.c_str(), stderr);
  s.findings.push_back(std::move(f));
}

void note_other_thread() noexcept {
  said& s = all();
  if (s.has_other_threads) return;
  s.has_other_threads = true;
  std::fputs("heist: race: the program starts threads of its own; what they do isn't looked at\n",
             stderr);
}

int finish(detector& d) noexcept {
  said& s = all();
  if (!s.how.report.empty()) {
    std::string text = "{\"races\":[";
    for (std::size_t i = 0; i != s.findings.size(); ++i)
      text += (i == 0 ? "\n" : ",\n") + s.findings[i].json;
    text += "\n],\"left_out\":" + std::to_string(s.left_out) +
            ",\"suppressed\":" + std::to_string(s.suppressed) +
            ",\"accesses\":" + std::to_string(d.accesses()) +
            ",\"branches\":" + std::to_string(d.branches()) + "}\n";
    std::ofstream out(s.how.report);
    out << text << std::flush;
    if (!out) {
      std::fprintf(stderr, "heist: HEIST_RACE: can't write %s: %s\n", s.how.report.c_str(),
                   std::strerror(errno));
      return 1;
    }
  }
  if (d.accesses() == 0) {
    std::fputs("heist: race: nothing was looked at: compile the program with -fsanitize=thread\n",
               stderr);
    return 2;
  }
  if (s.findings.empty()) return 0;
  std::fprintf(stderr, "heist: race: %s found%s%s\n", count_of(s.findings.size(), "race").c_str(),
               s.left_out != 0 ? ", and more that aren't shown: " : "",
               s.left_out != 0 ? std::to_string(s.left_out).c_str() : "");
  return s.how.exit_code;
}

const char* lines_of(std::size_t i) noexcept {
  return i < all().findings.size() ? all().findings[i].lines.c_str() : nullptr;
}
std::size_t count() noexcept { return all().findings.size(); }

}  // namespace reports

}  // namespace heist::inline v0::race
