// heist info: what heist finds on this machine.
#include "cli/about/info.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <heist/config.hpp>
#include <heist/error.hpp>
#include <heist/version.hpp>

#include "cli/about/about.hpp"
#include "cli/cli.hpp"
#include "cli/run/run_json.hpp"
#include "platform/affinity.hpp"
#include "platform/barrier.hpp"
#include "platform/cpu.hpp"
#include "platform/cpu_count.hpp"
#include "platform/topology.hpp"
#include "runtime/core/environment.hpp"
#include "workloads/memory.hpp"

// ---- heist info --latency: what is measured.

namespace heist::cli {

namespace {

using clock = std::chrono::steady_clock;

// The line, whose number the one side makes odd and the other side even.
class ping_pong {
 public:
  static constexpr std::uint64_t no_more = ~std::uint64_t{0};

  // By the far side, until the near one stops.
  void answer() noexcept {
    for (std::uint64_t next = 1;; next += 2) {
      const std::uint64_t seen = await(next);
      if (seen == no_more) return;
      line_.store(next + 1, std::memory_order_release);
    }
  }

  // By the near side: the best time of a trip there and back, over ten parts of `time`.
  [[nodiscard]] double best_trip_ns(std::chrono::microseconds time) noexcept {
    constexpr int parts = 10;
    double best = std::numeric_limits<double>::infinity();
    for (int part = 0; part < parts; ++part) {
      const auto begin = clock::now();
      const auto end = begin + time / parts;
      std::uint64_t trips = 0;
      do {
        for (int i = 0; i < 16; ++i) trip();
        trips += 16;
      } while (clock::now() < end);
      const std::chrono::duration<double, std::nano> took = clock::now() - begin;
      best = std::min(best, took.count() / static_cast<double>(trips));
    }
    return best;
  }
  void stop() noexcept { line_.store(no_more, std::memory_order_release); }

 private:
  void trip() noexcept {
    line_.store(++sent_, std::memory_order_release);
    ++sent_;
    await(sent_);
  }
  // Yields now and then: a processor that the other side waits for may be this very one.
  std::uint64_t await(std::uint64_t wanted) noexcept {
    for (int looks = 0;; ++looks) {
      const std::uint64_t seen = line_.load(std::memory_order_acquire);
      if (seen == wanted || seen == no_more) return seen;
      if (looks % 4096 == 4095) std::this_thread::yield();
      platform::pause();
    }
  }

  alignas(platform::cache_line_bytes) std::atomic<std::uint64_t> line_{0};
  alignas(platform::cache_line_bytes) std::uint64_t sent_ = 0;
};

// Nothing if a thread can't be bound.
std::optional<double> one_way_ns(int near, int far, std::chrono::microseconds time) {
  ping_pong line;
  std::atomic<bool> is_bound{false};
  std::optional<double> result;
  std::jthread answering([&] {
    is_bound.store(platform::pin_this_thread(far), std::memory_order_relaxed);
    line.answer();
  });
  try {
    std::jthread([&] {
      if (!platform::pin_this_thread(near)) return;
      const double trip_ns = line.best_trip_ns(time);
      if (is_bound.load(std::memory_order_relaxed)) result = trip_ns / 2;
    }).join();
  } catch (const std::system_error&) {
    line.stop();
    throw;
  }
  line.stop();
  return result;
}

std::string table(const line_latency& of) {
  std::string text = fmt::format("{:>8}", "ns");
  for (const int cpu : of.cpus) text += fmt::format("{:>6}", cpu);
  text += '\n';
  for (std::size_t i = 0; i < of.cpus.size(); ++i) {
    text += fmt::format("{:>8}", of.cpus[i]);
    for (const auto& ns : of.ns[i]) text += ns ? fmt::format("{:>6.0f}", *ns) : "     -";
    text += '\n';
  }
  return text;
}

// Letters from a, each for times up to a fifth longer than those of the letter before.
class letters {
 public:
  explicit letters(const line_latency& of) {
    for (const auto& row : of.ns)
      for (const auto& ns : row)
        if (ns) least_ = std::min(least_, *ns);
  }

  [[nodiscard]] char of(double ns) {
    const auto letter = std::min(25, static_cast<int>(std::log(ns / least_) / std::log(step)));
    used_[static_cast<char>('a' + letter)] = std::pow(step, letter + 1) * least_;
    return static_cast<char>('a' + letter);
  }
  [[nodiscard]] std::string legend() const {
    std::string text;
    for (const auto& [letter, up_to] : used_)
      text += fmt::format("{}{}: up to {:.0f}", text.empty() ? "" : ", ", letter, up_to);
    return text + " ns";
  }

 private:
  static constexpr double step = 1.2;

  double least_ = std::numeric_limits<double>::infinity();
  std::map<char, double> used_;
};

std::string lettered(const line_latency& of) {
  letters alphabet(of);
  std::string text;
  for (std::size_t i = 0; i < of.cpus.size(); ++i) {
    text += fmt::format("{:>8} ", of.cpus[i]);
    for (const auto& ns : of.ns[i]) text += ns ? alphabet.of(*ns) : '.';
    text += '\n';
  }
  return text + alphabet.legend() + '\n';
}

std::string by_distance(const line_latency& of, const platform::topology& shape) {
  std::map<platform::proximity, std::vector<double>> found;
  for (std::size_t i = 0; i < of.cpus.size(); ++i)
    for (std::size_t k = i + 1; k < of.cpus.size(); ++k)
      if (of.ns[i][k]) found[shape.distance(of.cpus[i], of.cpus[k])].push_back(*of.ns[i][k]);
  std::string text;
  for (auto& [how, all] : found) {
    std::sort(all.begin(), all.end());
    text += fmt::format("within {}: {:.0f} ns ({:.0f} to {:.0f}), {} {}\n", to_string(how),
                        all[all.size() / 2], all.front(), all.back(), all.size(),
                        all.size() == 1 ? "pair" : "pairs");
  }
  return text;
}

}  // namespace

line_latency measure_line_latency(std::vector<int> cpus, std::chrono::microseconds pair) try {
  std::sort(cpus.begin(), cpus.end());
  const std::size_t n = cpus.size();
  line_latency result{std::move(cpus), {}};
  result.ns.assign(n, std::vector<std::optional<double>>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = i + 1; k < n; ++k)
      result.ns[i][k] = result.ns[k][i] = one_way_ns(result.cpus[i], result.cpus[k], pair);
  return result;
} catch (const std::system_error& e) {
  throw resource_error(std::string("a thread can't be made: ") + e.what());
}

std::string picture(const line_latency& of, const platform::topology* shape) {
  constexpr std::size_t most_in_numbers = 16;
  std::string text = of.cpus.size() <= most_in_numbers ? table(of) : lettered(of);
  if (shape != nullptr) text += by_distance(of, *shape);
  return text;
}

}  // namespace heist::cli

// ---- heist info.

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
