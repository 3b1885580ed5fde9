#include "cli/args/parse_top.hpp"

#include <charconv>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <heist/error.hpp>

#include "cli/args/bound_options.hpp"
#include "cli/args/numbers.hpp"
#include "cli/args/suggest.hpp"

namespace heist::cli {

struct top_parser::texts {
  std::string pid, count, interval;
  bool json = false, once = false;
};

namespace {

// std::from_chars: not of the locale.
double seconds_of(const std::string& text) {
  constexpr double least = 0.05;
  constexpr double most = 3600;
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !(value >= least) ||
      value > most)
    throw usage_error(
        fmt::format("top: --interval takes seconds from {} to {}, not '{}'", least, most, text));
  return value;
}

}  // namespace

top_parser::top_parser(CLI::App& root)
    : app_(*root.add_subcommand("top", "what a program's workers do, as it runs")),
      given_(std::make_unique<texts>()) {
  app_.allow_extras();
  app_.add_option("PID", given_->pid,
                  "a process that was started with HEIST_MONITOR=1 [the only one that was]");
  app_.add_flag("--json", given_->json, "an object a line for each interval, and no screen");
  app_.add_flag("--once", given_->once, "one object: --count 1");
  app_.add_option("--count", given_->count, "so many objects [until the process ends]");
  app_.add_option("--interval", given_->interval, "seconds between two looks [1]");
}
top_parser::~top_parser() = default;

bool top_parser::is_given() const { return app_.parsed(); }

top_request top_parser::to_request() const {
  refuse_extras(extras_of(app_), "top");
  const texts& t = *given_;
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
  if (!t.interval.empty()) request.interval = seconds_of(t.interval);
  return request;
}

}  // namespace heist::cli
