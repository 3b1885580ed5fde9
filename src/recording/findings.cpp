#include <algorithm>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "observe/stats/meanings.hpp"
#include "recording/summary.hpp"
#include "trace/sort_stably.hpp"

namespace heist::inline v0::trace {

namespace {

// Below these a finding would only distract.
constexpr double least_share = 0.02;   // of the workers' time
constexpr double least_region = 0.05;  // of the time of the run
constexpr std::uint64_t many_jobs = 100;
constexpr double enough_parallelism = 4;  // for each worker
// Of independent work for each worker (CS149, lecture 5): enough to spread it, and few enough to
// cost nothing.
constexpr double enough_pieces = 8;
// Of what the machine has taken: less than this part of it may be a mistake, since it can't be told
// how much of that time was the program's own doing.
constexpr double least_of_taken = 0.3;
// Of a processor, when a thread could run. Below the first the machine is named. Below the second
// it hides too much of the program: what is said of that is said with a reserve.
constexpr double all_of_a_processor = 0.9;
constexpr double enough_of_a_processor = 0.75;
constexpr double least_surplus = 0.1;  // of the run: the busiest worker beyond the mean of all

std::string time_text(double ns) {
  if (ns < 1e3) return fmt::format("{:.0f} ns", ns);
  if (ns < 1e6) return fmt::format("{:.3g} us", ns * 1e-3);
  if (ns < 1e9) return fmt::format("{:.3g} ms", ns * 1e-6);
  return fmt::format("{:.3g} s", ns * 1e-9);
}

// A number of a profile, which may come from any file; 0 where there is none.
double number_of(const nlohmann::json& of, const char* key) {
  const auto at = of.find(key);
  return at != of.end() && at->is_number() ? at->get<double>() : 0;
}

class examiner {
 public:
  examiner(const recording& of, const summary& numbers)
      : of_(of),
        s_(numbers),
        all_ns_(static_cast<double>(numbers.capacity_ns)),
        idle_ns_(static_cast<double>(numbers.all_idle_ns())),
        share_(processor_share(numbers)),
        least_(std::max(least_share,
                        least_of_taken * static_cast<double>(numbers.taken_ns) /
                            static_cast<double>(std::max<std::uint64_t>(numbers.capacity_ns, 1)))) {
  }

  std::vector<finding> examine() {
    if (s_.capacity_ns == 0 || of_.duration_ns == 0) {
      add("nothing_recorded", 1, "No worker has recorded anything.",
          "Record a run that uses a pool: HEIST_TRACE counts from the first pool on.");
      return std::move(found_);
    }
    look_for_serial_regions();
    look_for_reasons();
    look_at_jobs();
    look_at_locks();
    look_at_sleep();
    // How long a wake-up takes, and who works for how long, is the machine's doing if it is busy.
    if (share_ >= all_of_a_processor) {
      look_at_wakes();
      look_at_balance();
    }
    look_at_profile();
    sort_stably(found_, [](const auto& x, const auto& y) { return x.weight > y.weight; });
    look_at_machine();
    if (found_.empty()) say_all_is_well();
    look_for_losses();
    return std::move(found_);
  }

 private:
  void add(const char* key, double weight, std::string what, std::string remedy) {
    found_.push_back({key, std::move(what), std::move(remedy), weight});
  }
  [[nodiscard]] double share(double ns) const { return ns / all_ns_; }
  [[nodiscard]] double of_idle(double ns) const { return idle_ns_ > 0 ? 100 * ns / idle_ns_ : 0; }

  void look_for_serial_regions() {
    for (const region_summary& r : s_.regions) {
      const double of_run = static_cast<double>(r.alone_ns) / static_cast<double>(of_.duration_ns);
      if (of_run < least_region) continue;
      const std::string name = name_of(r.number);
      const std::string for_how_long = fmt::format("for {:.0f} % of the run ({})", 100 * of_run,
                                                   time_text(static_cast<double>(r.alone_ns)));
      if (const auto ns = static_cast<double>(r.serial_idle_ns); share(ns) >= least_) {
        serial_named_ns_ += ns;
        add("serial_phase", share(ns),
            fmt::format("{:.0f} % of all idle time: nothing to steal while {} ran on one worker, "
                        "{}.",
                        of_idle(ns), name, for_how_long),
            r.number == 0
                ? "Name the parts of the program by heist::region, to see which it is; then "
                  "split that part, or run it beside something else."
                : fmt::format("Split {}, or run it beside something else.{}", name,
                              of_critical_path(of_.names[r.number])));
      }
      if (const auto ns = static_cast<double>(r.outside_idle_ns); share(ns) >= least_) {
        outside_named_ns_ += ns;
        add("not_given", share(ns),
            fmt::format("{:.0f} % of all idle time: nothing was given to the pool while {} ran "
                        "outside of it, {}.",
                        of_idle(ns), name, for_how_long),
            fmt::format("Run {} in the pool, in parts, or let the pool work on the next part "
                        "meanwhile.",
                        r.number == 0 ? "it" : name));
      }
    }
  }
  void look_for_reasons() {
    const auto idle_for = [this](idle_cause c) {
      return static_cast<double>(s_.idle_ns[static_cast<std::size_t>(c)]);
    };
    for (const idle_cause c :
         {idle_cause::private_work, idle_cause::blocked, idle_cause::no_work}) {
      const char* const name = cause_names[static_cast<std::size_t>(c)];
      if (const double ns = idle_for(c); share(ns) >= least_)
        add(name, share(ns),
            fmt::format("{:.0f} % of all idle time: {}.", of_idle(ns), words_for(c)),
            find_meaning(name)->remedy);
    }
    if (const double ns = idle_for(idle_cause::serial_phase) - serial_named_ns_;
        share(ns) >= least_)
      add("serial_phase", share(ns),
          fmt::format("{:.0f} % of all idle time: nothing to steal while one worker ran, in many "
                      "short phases.",
                      of_idle(ns)),
          "Split what runs alone; HEIST_PROFILE=workspan says where the critical path is.");
    if (const double ns = idle_for(idle_cause::not_given) - outside_named_ns_; share(ns) >= least_)
      add("not_given", share(ns),
          fmt::format("{:.0f} % of all idle time: nothing was given to the pool.", of_idle(ns)),
          "Name what the program does meanwhile by heist::region, to see it here, or record the "
          "parallel part alone by pool::start_trace().");
  }
  void look_at_jobs() {
    if (s_.job_ns.count < many_jobs || s_.job_ns.median > short_job_ns) return;
    const auto most =
        std::max_element(s_.regions.begin(), s_.regions.end(),
                         [](const auto& x, const auto& y) { return x.short_jobs < y.short_jobs; });
    const std::string where =
        most == s_.regions.end() || most->short_jobs == 0 || s_.regions.size() == 1
            ? ""
            : fmt::format(" Most of the short ones were of {}.", name_of(most->number));
    add("short_jobs", share(s_.job_ns.sum),
        fmt::format("Half of the {} stolen jobs took {} or less, and a steal takes {}.{}",
                    s_.job_ns.count, time_text(s_.job_ns.median), time_text(s_.steal_ns.median),
                    where),
        "Make jobs longer where the division ends: a leaf of 10 us or more hides the steal.");
  }
  [[nodiscard]] std::string object_of(const wait_summary& w) const {
    return w.name != 0 ? of_.names[w.name] : fmt::format("at {:#x}", w.object);
  }
  [[nodiscard]] std::string name_of(std::uint32_t region) const {
    return region == 0 ? "code outside of any region" : "'" + of_.names[region] + "'";
  }
  // Of heist's locks, for which a worker does something else meanwhile: they count for as much as
  // workers had nothing to do.
  void look_at_locks() {
    for (const wait_summary& w : s_.waits) {
      if (std::string_view(awaited_names[w.kind]).find("mutex") == std::string_view::npos) continue;
      const double ns = std::min(static_cast<double>(w.sum_ns), idle_ns_);
      if (share(ns) < least_) continue;
      add("contended_lock", share(ns),
          fmt::format("{} waits for one {} ({}) in {} took {} in all, {} at most.", w.count,
                      awaited_names[w.kind], object_of(w), name_of(w.region),
                      time_text(static_cast<double>(w.sum_ns)),
                      time_text(static_cast<double>(w.greatest_ns))),
          "Hold it for shorter, divide what it guards, or give each worker its own part "
          "(heist::worker_local, heist::reducer).");
      return;
    }
  }
  void look_at_sleep() {
    double ns = 0;
    for (const lane_summary& l : s_.lanes) ns += static_cast<double>(l.slept_ns);
    if (share(ns) < least_) return;
    const auto most =
        std::max_element(s_.regions.begin(), s_.regions.end(),
                         [](const auto& x, const auto& y) { return x.slept_ns < y.slept_ns; });
    add("hidden_waits", share(ns),
        fmt::format("Workers slept for {} while they seemed to work, mostly in {}: a lock that "
                    "isn't heist's, input and output, or pages that weren't in memory.",
                    time_text(ns), name_of(most == s_.regions.end() ? 0 : most->number)),
        "`heist check` names the calls. A worker goes on meanwhile where the lock is a "
        "heist::mutex, and the call is made by heist::blocking. A large trace has such pages "
        "itself: "
        "HEIST_TRACE_MEMORY=1.");
  }
  void look_at_wakes() {
    if (share(s_.wake_ns.sum) < least_) return;
    add("slow_wakes", share(s_.wake_ns.sum),
        fmt::format("{} wake-ups took {} in all, {} each at the median.", s_.wake_ns.count,
                    time_text(s_.wake_ns.sum), time_text(s_.wake_ns.median)),
        "Parallel parts that come close together keep the workers awake: join less often, or put "
        "several small parts into one.");
  }
  // The busiest worker beside the mean of all: only where nobody worked in the places of others.
  void look_at_balance() {
    double most_ns = 0;
    double sum_ns = 0;
    const lane* first = nullptr;  // of the workers, who must be of one pool
    for (std::size_t i = 0; i < of_.lanes.size(); ++i) {
      const auto ns = static_cast<double>(s_.lanes[i].in_state[0]);
      if (!of_.lanes[i].is_worker) {
        if (ns > 0) return;
        continue;
      }
      if (first == nullptr) first = &of_.lanes[i];
      if (of_.lanes[i].pool != first->pool) return;
      most_ns = std::max(most_ns, ns);
      sum_ns += ns;
    }
    const double mean_ns = sum_ns / s_.workers;
    const double surplus = (most_ns - mean_ns) / static_cast<double>(of_.duration_ns);
    if (surplus < least_surplus || most_ns < 1.5 * mean_ns) return;
    add("imbalance", surplus,
        fmt::format("The busiest worker worked {:.3g} times as long as the mean of all.",
                    most_ns / mean_ns),
        "Work that can't be stolen lies with it: the timeline shows what it runs while the others "
        "are idle.");
  }
  // What the profile says of a region; "" of one that it doesn't have.
  [[nodiscard]] std::string of_critical_path(std::string_view name) const {
    const double span = number_of(of_.profile, "span");
    for (const nlohmann::json& r : regions_of_profile()) {
      const std::string full = r.value("name", "");
      if (span > 0 && (full == name || full.ends_with("/" + std::string(name))))
        return fmt::format(" It is {:.0f} % of the critical path.",
                           100 * number_of(r, "on_path") / span);
    }
    return "";
  }
  [[nodiscard]] std::vector<nlohmann::json> regions_of_profile() const {
    std::vector<nlohmann::json> result;
    const auto at = of_.profile.find("regions");
    if (at == of_.profile.end() || !at->is_array()) return result;
    for (const nlohmann::json& r : *at) {
      const auto name = r.is_object() ? r.find("name") : r.end();
      if (r.is_object() && name != r.end() && name->is_string()) result.push_back(r);
    }
    return result;
  }
  void look_at_profile() {
    const double parallelism = number_of(of_.profile, "parallelism");
    const double burdened = number_of(of_.profile, "burdened_parallelism");
    const double enough = enough_parallelism * s_.workers;
    if (parallelism > 0 && parallelism < enough) {
      std::string where = "the critical path";
      double longest = 0;
      for (const nlohmann::json& r : regions_of_profile()) {
        const double on_path = number_of(r, "on_path");
        if (on_path <= longest || r.at("name") == "") continue;
        longest = on_path;
        where = fmt::format("'{}', which is {:.0f} % of the critical path",
                            r.at("name").get<std::string>(),
                            100 * on_path / number_of(of_.profile, "span"));
      }
      add("parallelism", std::max(0.0, 1 - parallelism / s_.workers),
          fmt::format("The program's parallelism is {0:.3g}: no number of processors makes it more "
                      "than {0:.3g} times as fast as one.",
                      parallelism),
          fmt::format("Its work T1 takes {}, its span Tinf {}: shorten {}.",
                      time_text(1e9 * number_of(of_.profile, "work")),
                      time_text(1e9 * number_of(of_.profile, "span")), where));
    }
    const double pieces = number_of(of_.profile, "forks") + number_of(of_.profile, "spawns") + 1;
    if (const double wanted = enough_pieces * s_.workers; pieces > 1 && pieces < wanted)
      add("few_pieces", 1 - pieces / wanted,
          fmt::format("The work was divided into {:.0f} pieces for {} workers: the last one to end "
                      "keeps the others waiting.",
                      pieces, s_.workers),
          "Divide it further: about eight pieces for each worker can be spread evenly.");
    if (burdened > 0 && burdened < 0.5 * parallelism && burdened < enough)
      add("burden", std::max(0.0, 1 - burdened / s_.workers),
          fmt::format(
              "With the costs of forks and steals the parallelism of {:.3g} becomes {:.3g}.",
              parallelism, burdened),
          "The pieces are too small for these costs: make them larger where the division ends.");
  }
  void say_all_is_well() {
    const double use = static_cast<double>(s_.work_ns) / all_ns_;
    add("all_is_well", 1 - use,
        fmt::format("The workers worked for {:.1f} % of the time.", 100 * use),
        "More speed needs more processors or less work.");
  }
  // It comes first: what the program lacks can be told only of a run that had its processors.
  void look_at_machine() {
    if (share_ >= all_of_a_processor) return;
    if (share_ < enough_of_a_processor)
      for (finding& f : found_)
        if (std::string_view(f.key) != "parallelism" && std::string_view(f.key) != "few_pieces")
          f.what = "As far as can be told: " + f.what;
    found_.insert(found_.begin(),
                  {"busy_machine", machine_line_of(s_),
                   "Other programs ran on the processors, or a quota held this one back: measure "
                   "again when they are free.",
                   1 - share_});
  }
  void look_for_losses() {
    if (of_.end == ending::none)
      add("unfinished", 0,
          "The recording has no end: the program was ended in the middle, or runs.",
          "What is shown lasts until the last event that was recorded.");
    if (of_.end == ending::no_space)
      add("no_space", 0, "The disk was full before the program ended: the recording ends earlier.",
          "Make room, set HEIST_TRACE_EVENTS to keep the newest events alone, or record a shorter "
          "part by pool::start_trace().");
    if (s_.lost_events == 0) return;
    add("lost_events", 0,
        fmt::format("There was no room for {} events, the oldest ones: what is said about the "
                    "beginning of the run may be wrong.",
                    s_.lost_events),
        "Raise HEIST_TRACE_EVENTS, or record a shorter part by pool::start_trace().");
  }

  const recording& of_;
  const summary& s_;
  const double all_ns_, idle_ns_;
  const double share_;  // of a processor that the threads got
  const double least_;  // share of the workers' time that is worth a sentence
  // Idle time that a finding about a region has explained.
  double serial_named_ns_ = 0, outside_named_ns_ = 0;
  std::vector<finding> found_;
};

}  // namespace

std::vector<finding> findings_of(const recording& of, const summary& numbers) {
  return examiner(of, numbers).examine();
}

std::string words_for(idle_cause c) {
  const std::string_view what = find_meaning(cause_names[static_cast<std::size_t>(c)])->what;
  return std::string(what.substr(0, what.find(" (")));
}

std::string machine_line_of(const summary& numbers) {
  if (!numbers.knows_usage)
    return "Whether the machine gave the threads their processors isn't known: the system doesn't "
           "tell (/proc/PID/task/TID/schedstat).";
  const auto got = static_cast<double>(numbers.processor_ns);
  const auto wanted = got + static_cast<double>(numbers.ready_ns);
  if (wanted == 0)
    return "Whether the machine gave the threads their processors isn't known: they were asked "
           "once, "
           "or didn't run.";
  return fmt::format(
      "The machine gave the threads {:.0f} % of the processor time that they wanted "
      "({} of {}).",
      100 * processor_share(numbers), time_text(got), time_text(wanted));
}

std::string headline_of(const summary& numbers) {
  if (numbers.capacity_ns == 0) return "No worker has recorded anything.";
  const auto all_ns = static_cast<double>(numbers.capacity_ns);
  std::string text = fmt::format("{} worker{} worked for {:.1f} % of the time", numbers.workers,
                                 numbers.workers == 1 ? "" : "s",
                                 100 * static_cast<double>(numbers.work_ns) / all_ns);
  const auto idle_ns = static_cast<double>(numbers.all_idle_ns());
  if (idle_ns < 0.005 * all_ns) return text + ".";
  const auto most = std::max_element(numbers.idle_ns.begin(), numbers.idle_ns.end());
  return text + fmt::format(" and {} idle for {:.1f} %, mostly: {}.",
                            numbers.workers == 1 ? "was" : "were", 100 * idle_ns / all_ns,
                            words_for(static_cast<idle_cause>(most - numbers.idle_ns.begin())));
}

}  // namespace heist::inline v0::trace
