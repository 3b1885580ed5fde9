#include "cli/top/top.hpp"

#include <limits>
#include <memory>
#include <string>

#include <heist/error.hpp>

#include "cli/args/numbers.hpp"
#include "cli/args/suggest.hpp"

namespace heist::cli {

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
