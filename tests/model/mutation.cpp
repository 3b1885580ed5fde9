#include "tests/model/mutation.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>

namespace heist_model {

mutant running_mutant;

namespace {

// The memory is fixed, because Relacy attributes allocations during a run to the test and would
// report them as leaks.
constexpr std::size_t max_sites = 128;
std::array<site, max_sites> recorded;
std::size_t recorded_count = 0;
bool recording = false;

bool same_place(const site& a, const site& b) {
  return a.line == b.line && a.what == b.what && std::strcmp(a.function, b.function) == 0 &&
         std::strcmp(a.file, b.file) == 0;
}

void record(const site& here) {
  for (std::size_t i = 0; i < recorded_count; ++i) {
    if (!same_place(recorded[i], here)) continue;
    recorded[i].changes_tag |= here.changes_tag;
    return;
  }
  if (recorded_count < max_sites) recorded[recorded_count++] = here;
}

const char* name_of(operation what) {
  switch (what) {
    case operation::load:
      return "load";
    case operation::store:
      return "store";
    case operation::exchange:
      return "exchange";
    case operation::fence:
      return "fence";
  }
  return "";
}

std::string name_of(const std::vector<site>& sites, const site& one) {
  int number = 0;
  int like = 0;
  for (const site& s : sites) {
    if (s.what != one.what || std::strcmp(s.function, one.function) != 0) continue;
    ++like;
    if (s.line <= one.line) ++number;
  }
  const std::string function = one.function;  // of a template with its arguments
  std::string name = function.substr(0, function.find('<')) + ' ' + name_of(one.what);
  if (like > 1) name += ' ' + std::to_string(number);
  return name;
}

std::vector<std::memory_order> one_step_weaker(const site& s) {
  switch (s.order) {
    case std::memory_order_acquire:
    case std::memory_order_release:
      return {std::memory_order_relaxed};
    case std::memory_order_acq_rel:
      return {std::memory_order_acquire, std::memory_order_release};
    case std::memory_order_seq_cst:
      if (s.what == operation::load) return {std::memory_order_acquire};
      if (s.what == operation::store) return {std::memory_order_release};
      if (s.what == operation::exchange) return {std::memory_order_acq_rel};
      // The mutants are a fence that only acquires and releases, and no fence at all.
      return {std::memory_order_acq_rel, std::memory_order_relaxed};
    default:
      return {};
  }
}

}  // namespace

const char* name_of(std::memory_order order) {
  switch (order) {
    case std::memory_order_acquire:
      return "acquire";
    case std::memory_order_release:
      return "release";
    case std::memory_order_acq_rel:
      return "acq_rel";
    case std::memory_order_seq_cst:
      return "seq_cst";
    default:
      return "relaxed";
  }
}

bool is_running(change c, const site& here) {
  return running_mutant.what == c && same_place(running_mutant.where, here);
}

bool is_without_release(std::string_view function) {
  const std::string_view changed = running_mutant.where.function;
  return is_running(change::weaker_order) && running_mutant.where.what == operation::exchange &&
         (running_mutant.order == std::memory_order_relaxed ||
          running_mutant.order == std::memory_order_acquire) &&
         changed.substr(0, changed.find('<')) == function;
}

std::memory_order effective_order(const site& here) {
  if (recording) record(here);
  return is_running(change::weaker_order, here) ? running_mutant.order : here.order;
}

void start_recording() {
  recorded_count = 0;
  recording = true;
}

std::vector<site> stop_recording(const std::string& file) {
  recording = false;
  std::vector<site> found;
  for (std::size_t i = 0; i < recorded_count; ++i)
    if (std::string(recorded[i].file).ends_with(file)) found.push_back(recorded[i]);
  std::sort(found.begin(), found.end(), [](const site& a, const site& b) {
    return std::tie(a.line, a.what) < std::tie(b.line, b.what);
  });
  return found;
}

std::vector<mutant> mutants_of(const std::vector<site>& sites) {
  std::vector<mutant> all;
  for (const site& s : sites) {
    const std::string place = name_of(sites, s);
    for (const std::memory_order weaker : one_step_weaker(s))
      all.push_back({place + ' ' + name_of(weaker), change::weaker_order, s, weaker});
    if (s.changes_tag) all.push_back({place + " keeps the tag", change::tag_kept, s});
  }
  return all;
}

}  // namespace heist_model
