// heist info: what heist finds on this machine.
#include "cli/about/info.hpp"

#include <chrono>
#include <memory>

#include <fmt/format.h>

#include <heist/config.hpp>
#include <heist/version.hpp>

#include "cli/about/about.hpp"
#include "cli/about/line_latency.hpp"
#include "cli/cli.hpp"
#include "cli/run/run_json.hpp"
#include "platform/barrier.hpp"
#include "platform/cpu_count.hpp"
#include "platform/topology.hpp"
#include "runtime/core/environment.hpp"
#include "workloads/memory.hpp"

namespace heist::cli {

namespace {

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

std::string explain_workers(const platform::cpu_limits& limits, unsigned from_environment) {
  if (from_environment != 0) return "HEIST_WORKERS";
  if (limits.quota && limits.workers < limits.affinity) return "the CPU quota, rounded up";
  return "the affinity mask";
}

std::string describe_topology() {
  const auto result = platform::load_topology();
  return result.found ? result.found->summary() : "unknown: " + result.reason;
}

}  // namespace

info_report collect_info() {
  const auto limits = platform::find_cpu_limits();
  const auto workers = detail::workers_from_environment();
  const auto stack_size = detail::stack_size_from_environment();
  return {.version = HEIST_VERSION_STRING,
          .compiler = compiler(),
          .workers = workers != 0 ? workers : static_cast<unsigned>(limits.workers),
          .workers_source = explain_workers(limits, workers),
          .affinity_cpus = limits.affinity,
          .quota_cpus = limits.quota,
          .quota_source = limits.quota_source,
          .topology = describe_topology(),
          .barrier = std::string(name_of(platform::asymmetric_barrier::instance().kind())),
          .stack_bytes = stack_size != 0 ? stack_size : pool_config::default_stack_size,
          .stack_source = stack_size != 0 ? "HEIST_STACK_SIZE" : "the default"};
}

namespace {

struct info_request {
  bool as_json = false, latency = false;
};

int print_latency(const info_request& request, output& out) {
  constexpr std::chrono::milliseconds pair{1};
  const line_latency found = measure_line_latency(platform::affinity_cpus(), pair);
  if (request.as_json) {
    out.print("{}\n", to_json(found));
    return success;
  }
  const auto topology = platform::load_topology();
  out.print("a cache line's way from one processor to another\n{}",
            picture(found, topology.found ? &*topology.found : nullptr));
  return success;
}

int info(const info_request& request, output& out) {
  if (request.latency) return print_latency(request, out);
  const auto report = collect_info();
  if (request.as_json) {
    out.print("{}\n", to_json(report));
    return success;
  }
  const auto quota = report.quota_cpus ? fmt::format("{:.2f} processors, by {}", *report.quota_cpus,
                                                     report.quota_source)
                                       : std::string("none");
  out.print("version       {}\n", report.version);
  out.print("compiler      {}\n", report.compiler);
  out.print("workers       {}, from {}\n", report.workers, report.workers_source);
  out.print("affinity      {} processors\n", report.affinity_cpus);
  out.print("quota         {}\n", quota);
  out.print("topology      {}\n", report.topology);
  out.print("barrier       {}\n", report.barrier);
  out.print("stack size    {}, {}\n", workloads::readable_bytes(report.stack_bytes),
            report.stack_source);
  return success;
}

}  // namespace

action add_info(arguments& own) {
  const auto request = std::make_shared<info_request>();
  own.add({"--json", &request->as_json, "as an object"});
  own.add({"--latency", &request->latency,
           "measures a cache line's way between processors, a millisecond a pair"});
  return [request, &own](const call& with) {
    refuse_extras(own.extras(), own.name());
    return info(*request, with.out);
  };
}

}  // namespace heist::cli
