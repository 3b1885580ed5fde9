#include "cli/top/top.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <thread>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "cli/args/numbers.hpp"
#include "cli/args/suggest.hpp"
#include "cli/cli.hpp"
#include "cli/top/top_process.hpp"
#include "cli/top/top_screen.hpp"
#include "report/columns.hpp"

namespace heist::cli {

namespace {

using clock = std::chrono::steady_clock;

// How long a process may take to answer: its threads may have to wait for processors.
constexpr std::chrono::milliseconds answer_patience{3000};

[[noreturn]] void refuse_silence(const monitored_process& process) {
  throw resource_error(fmt::format("top: process {} ({}) doesn't answer: is it stopped?",
                                   process.pid(), process.command()));
}

// An object for each interval, until the process ends.
int write_objects(monitored_process& process, const top_request& request, output& out) {
  std::optional<seen_process> before;
  auto next = clock::now();
  for (std::uint64_t n = 0; request.count == 0 || n < request.count; ++n) {
    if (n != 0) std::this_thread::sleep_until(next);
    next += std::chrono::nanoseconds(std::llround(request.interval * 1e9));
    auto now = process.look(answer_patience);
    if (!now && process.has_ended()) return success;
    if (!now) refuse_silence(process);
    out.print("{}\n", to_json(*now, before ? &*before : nullptr));
    out.flush();
    before = std::move(now);
  }
  return success;
}

pid_t only_process() {
  const auto all = monitored_processes();
  if (all.empty())
    throw resource_error("top: no process shows itself: start one with HEIST_MONITOR=1");
  if (all.size() == 1) return all.front().pid;
  std::string list;
  for (const auto& each : all)
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", each.pid, each.command);
  throw usage_error(fmt::format("top: which process? {}", list));
}

report::value rate(const std::optional<seen_rates>& rates, double seen_rates::*which) {
  return rates ? report::value(*rates.*which) : report::value();
}

report::members worker_json(const seen_worker& w, const std::optional<seen_rates>& rates) {
  using report::value;
  return {{"worker", value(std::uint64_t{w.index})},
          {"state", value(std::string(to_string(w.state)))},
          {"is_caller", value(w.is_caller)},
          {"thread", value(w.thread)},
          {"depth", value(w.depth)},
          {"steals", value(w.counts.steals)},
          {"failed_steals", value(w.counts.failed_steals)},
          {"exposes", value(w.counts.exposes)},
          {"suspends", value(w.counts.suspends)},
          {"roots", value(w.counts.roots)},
          {"parks", value(w.counts.parks)},
          {"naps", value(w.counts.naps)},
          {"wakes", value(w.counts.wakes)},
          {"steals_per_s", rate(rates, &seen_rates::steals)},
          {"failed_steals_per_s", rate(rates, &seen_rates::failed_steals)},
          {"wakes_per_s", rate(rates, &seen_rates::wakes)},
          {"parks_per_s", rate(rates, &seen_rates::parks)}};
}

}  // namespace

std::string_view to_string(seen_state s) noexcept {
  constexpr std::string_view names[] = {"searches", "runs", "blocked", "asleep"};
  return names[static_cast<std::size_t>(s)];
}

std::optional<seen_rates> rates_of(const seen_process& now, const seen_process* before,
                                   std::size_t pool, std::size_t worker) {
  if (before == nullptr || now.taken_ns <= before->taken_ns ||
      now.pools.size() != before->pools.size() || pool >= before->pools.size() ||
      worker >= before->pools[pool].workers.size())
    return std::nullopt;
  const counters& a = before->pools[pool].workers[worker].counts;
  const counters& b = now.pools[pool].workers[worker].counts;
  const double seconds = static_cast<double>(now.taken_ns - before->taken_ns) * 1e-9;
  // A pool may have ended and another one come: its counters are lower.
  const auto per_second = [&](std::uint64_t counters::*field) {
    return b.*field < a.*field ? 0 : static_cast<double>(b.*field - a.*field) / seconds;
  };
  return seen_rates{per_second(&counters::steals), per_second(&counters::failed_steals),
                    per_second(&counters::wakes), per_second(&counters::parks)};
}

std::string to_json(const seen_process& now, const seen_process* before) {
  using report::members;
  using report::value;
  std::vector<members> pools;
  std::string text;
  for (std::size_t p = 0; p < now.pools.size(); ++p) {
    const seen_pool& pool = now.pools[p];
    std::vector<members> workers;
    for (std::size_t w = 0; w < pool.workers.size(); ++w)
      workers.push_back(worker_json(pool.workers[w], rates_of(now, before, p, w)));
    pools.push_back({{"name", value(pool.name)},
                     {"policies", value(pool.policies)},
                     {"suspended_fibers", value(pool.suspended)},
                     {"injected", value(pool.injected)},
                     {"stacks_in_use", value(pool.stacks_in_use)},
                     {"stacks_peak", value(pool.stacks_peak)},
                     {"stacks_mapped", value(pool.stacks_mapped)},
                     {"blocking_calls", value(pool.blocking_calls)},
                     {"blocking_threads", value(pool.blocking_threads)},
                     {"workers", value(std::move(workers))}});
  }
  return report::json_object({{"pid", value(static_cast<std::uint64_t>(now.pid))},
                              {"command", value(now.command)},
                              {"time_s", value(static_cast<double>(now.taken_ns) * 1e-9)},
                              {"workers_left_out", value(now.left_out)},
                              {"pools", value(std::move(pools))}});
}

int top(const top_request& request, output& out) {
  if (!request.json && (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0))
    throw usage_error("top: standard input and output must be a terminal; --json needs none");
  monitored_process process(request.pid != 0 ? request.pid : only_process());
  if (request.json) return write_objects(process, request, out);
  const screen_end end = show_on_screen(process, request.interval);
  if (end.signal != 0) return 128 + end.signal;
  if (end.has_ended) out.print("process {} ({}) has ended\n", process.pid(), process.command());
  return success;
}

namespace {

struct texts {
  std::string pid, count, interval;
  bool json = false, once = false;
};

top_request to_request(const texts& t) {
  top_request request;
  if (!t.pid.empty())
    request.pid =
        static_cast<pid_t>(whole_number("top", "PID", t.pid, 1, std::numeric_limits<pid_t>::max()));
  request.json = t.json;
  if ((t.once || !t.count.empty()) && !t.json)
    throw usage_error("top: --once and --count go with --json");
  if (t.once && !t.count.empty()) throw usage_error("top: --once and --count exclude each other");
  if (t.once) request.count = 1;
  if (!t.count.empty())
    request.count = whole_number("top", "--count", t.count, 1, std::uint64_t{1} << 53);
  if (!t.interval.empty())
    request.interval = decimal_number("top", "--interval", t.interval, 0.05, 3600, "seconds");
  return request;
}

}  // namespace

reader<top_request> add_top(arguments& own) {
  const auto given = std::make_shared<texts>();
  own.add({"PID", &given->pid,
           "a process that was started with HEIST_MONITOR=1 [the only one that was]"});
  own.add({"--json", &given->json, "an object a line for each interval, and no screen"});
  own.add({"--once", &given->once, "one object: --count 1"});
  own.add({"--count", &given->count, "so many objects [until the process ends]", "N"});
  own.add({"--interval", &given->interval, "seconds between two looks [1]", "SECONDS"});
  return [given, &own](const std::string&) {
    refuse_extras(own.extras(), "top");
    return to_request(*given);
  };
}

}  // namespace heist::cli
