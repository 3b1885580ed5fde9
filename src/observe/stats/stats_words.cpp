#include "observe/stats/stats_words.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "heist/version.hpp"
#include "observe/stats/meanings.hpp"
#include "platform/copies.hpp"

namespace heist::inline v0 {

namespace {

// Below these a number is as in any run. A judgement on less than a hundred events would be one on
// chance; `heist report` has the same bound.
constexpr std::uint64_t many = 100;
// A worker looks at each other worker some times before it sleeps: of failed attempts below that,
// nothing follows.
constexpr std::uint64_t vain_attempts = 100;  // for each steal
// Each nap follows some steals that were not worth their cost. One for ten steals: crumbs are
// usual.
constexpr std::uint64_t steals_of_a_nap = 10;
// A reason is named if it explains half of the idle time.
constexpr double main_reason = 0.5;
// As `heist report` has it; a run that wanted less than a time slice says nothing of the machine.
constexpr double all_of_a_processor = 0.9;
constexpr double least_wanted_ns = 10e6;

std::string counted(std::uint64_t n, std::string_view what) {
  return std::to_string(n) + " " + std::string(what) + (n == 1 ? "" : "s");
}

std::string legend(const pool_stats& s) {
  std::string text;
  for (const meaning& m : all_meanings()) {
    const std::uint64_t n = m.counter != nullptr ? s.total.*m.counter : 0;
    if (n == 0) continue;
    std::string title = m.title;
    title.resize(std::max<std::size_t>(title.size(), 12), ' ');
    text += "  " + title + " " + m.what + "\n";
  }
  return text;
}

// What a busy machine does to a program can't be told from what the program does to itself.
void judge_machine(const pool_stats& s, std::vector<std::string>& to) {
  const double got = static_cast<double>(s.processor_ns);
  const double wanted = got + static_cast<double>(s.ready_ns);
  if (wanted < least_wanted_ns || got >= all_of_a_processor * wanted) return;
  to.push_back("The machine gave the workers " +
               std::to_string(static_cast<int>(100 * got / wanted)) +
               " % of the processor time that they wanted: what follows may be its doing. Measure "
               "again when the processors are free.");
}

// How the work was shared.
std::string sharing(const pool_stats& s) {
  const counters& all = s.total;
  const auto thieves = static_cast<std::uint64_t>(std::count_if(
      s.workers.begin(), s.workers.end(), [](const counters& c) { return c.steals; }));
  if (s.workers.size() < 2) return "One worker: there was nobody to share with.";
  if (all.steals == 0)
    return all.roots == 0 ? "No steals, and nothing was given to the pool from outside."
           : all.exposes == 0
               ? "No steals: one worker at a time did everything, since it forked nothing while "
                 "the others looked for work, or was done before they woke up."
               : "No steals: work was offered, but its owners took it back before the others came.";
  return counted(thieves, "worker") + " of " + std::to_string(s.workers.size()) +
         " took work from others, by " + counted(all.steals, "steal") +
         (all.steals < many ? ": too few to cost anything." : ".");
}

void judge_idle_time(const pool_stats& s, std::vector<std::string>& to) {
  if (!s.has_histograms) return;
  double all = 0;
  for (const log2_histogram& h : s.histograms.idle_ns)
    all += h.mean() * static_cast<double>(h.count());
  for (const idle_reason r : all_idle_reasons) {
    const log2_histogram& h = s.histograms.idle_ns[static_cast<std::size_t>(r)];
    const double mine = h.mean() * static_cast<double>(h.count());
    if (h.count() < many || mine < main_reason * all) continue;
    const meaning& m = *find_meaning(to_string(r));
    return to.push_back("Most idle time: " + std::string(m.what) + ". " + m.remedy);
  }
}

void judge(const pool_stats& s, std::vector<std::string>& to) {
  const counters& all = s.total;
  if (all.naps >= many && all.naps * steals_of_a_nap >= all.steals)
    to.push_back(
        "Thieves napped " + counted(all.naps, "time") +
        ": what they found was too short. End the division earlier, at leaves of 10 us or more.");
  if (all.parks >= many && all.parks > all.steals)
    to.push_back(
        "Workers slept " + counted(all.parks, "time") +
        ", more often than they stole: parallel parts are short or far between. Put several into "
        "one.");
  if (all.steals != 0 && all.failed_steals / all.steals >= vain_attempts)
    to.push_back(
        "For each steal there were " + std::to_string(all.failed_steals / all.steals) +
        " attempts in vain: there was mostly less work than workers. HEIST_TRACE=t.json and "
        "`heist report t.json` say why.");
  if (all.remote_exposes >= many && all.remote_exposes > all.exposes)
    to.push_back(
        "Most stolen work had to be taken from owners that did not fork for 20 us: make the leaves "
        "shorter.");
  if (all.inlined_forks != 0)
    to.push_back(counted(all.inlined_forks, "fork") +
                 " found the deque full and ran as calls: raise pool_config::fork_depth.");
  if (all.blocked_joins != 0)
    to.push_back(
        counted(all.blocked_joins, "wait") +
        " blocked a worker for lack of a stack: lower HEIST_STACK_SIZE or raise the process' "
        "limits.");
  if (s.blocking_refusals != 0)
    to.push_back(counted(s.blocking_refusals, "blocking call") +
                 " held a worker up for lack of a thread: bound how many block at once.");
  if (s.seatless_calls >= many)
    to.push_back(
        counted(s.seatless_calls, "call") +
        " from outside found no seat and waited for a worker: where more threads call than "
        "there are workers, raise pool_config::caller_seats.");
}

}  // namespace

std::vector<std::string> judgement_of(const pool_stats& s) {
  std::vector<std::string> said;
  judge_machine(s, said);
  said.push_back(sharing(s));
  judge(s, said);
  judge_idle_time(s, said);
  return said;
}

std::string words_about(const pool_stats& s) {
  std::string text = legend(s);
  for (const std::string& sentence : judgement_of(s)) text += sentence + "\n";
  return text + "`heist explain NAME` says more about each.\n";
}

std::string words_about_copies() {
  std::string text;
  const auto add = [](const platform::heist_copy& one, void* to) {
    const std::string_view version = one.version;
    if (one.is_this || (one.workers == 0 && version == HEIST_VERSION_STRING)) return;
    const std::string_view object = one.object;
    *static_cast<std::string*>(to) +=
        "  another copy, heist " + std::string(version) + " in " +
        (object.empty() ? "the program" : std::string(object)) + ", has " +
        (one.workers == 0 ? "no default pool so far"
                          : "a default pool of " + counted(one.workers, "worker") + " of its own") +
        ": see \"Programs and their plugins\" in docs/adopting.md\n";
  };
  platform::for_each_copy(add, &text);
  return text;
}

}  // namespace heist::inline v0
