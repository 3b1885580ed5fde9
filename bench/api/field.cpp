#include "bench/api/field.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace heist::bench::api {

namespace {

// Makes longer and longer series of calls, so that the processor has learned them, and measures the
// last.
double mean_seconds_of(const std::function<void()>& task, double turn_s) {
  for (std::size_t calls = 1;; calls *= 2) {
    const double seconds = seconds_of([&] {
      for (std::size_t i = 0; i < calls; ++i) task();
    });
    if (seconds > turn_s / 2) return seconds / static_cast<double>(calls);
  }
}

}  // namespace

field::field(problem what, const kernels& serial) : what_(std::move(what)) {
  what_.prepare();
  what_.task(serial)();
  expected_ = what_.result();
  serial_ = &add("serial", serial, 1);
}

contestant* field::add_if_able(const kernels& by, unsigned threads) {
  if (!what_.task(by)) return nullptr;
  return &add(fmt::format("{}, {} worker{}", by.name, threads, threads == 1 ? "" : "s"), by,
              threads);
}

contestant& field::add(const std::string& who, const kernels& by, unsigned threads) {
  const auto name = fmt::format("{}: {}", what_.name, who);
  auto& added =
      turns_.add(name, [=, this, task = what_.task(by), within = by.within, spins = by.spins] {
        double seconds = 0;
        if (what_.turn_s > 0)
          within(threads, [&] { seconds = mean_seconds_of(task, what_.turn_s); });
        what_.prepare();
        within(threads, [&] {
          if (what_.warmed_up) task();
          const double once = seconds_of(task);
          if (what_.turn_s == 0) seconds = once;
        });
        check_result(name, expected_, what_.result());
        if (threads > 1) std::this_thread::sleep_for(spins);
        return seconds;
      });
  members_.push_back(&added);
  return added;
}

void field::append_rows(std::vector<row>& rows) const {
  const bool is_long = serial_->results.median() > 1e-3;
  for (const auto* each : members_)
    rows.push_back({each->name,
                    {{"time", is_long ? "s" : "ns", scaled(each->results, is_long ? 1 : 1e9)},
                     {"to serial", "", against_serial(*each)}},
                    {}});
}

samples field::against_serial(const contestant& which) const {
  return ratio(which.results, serial_->results);
}

const contestant* fastest(const std::vector<const contestant*>& of) {
  const auto best = std::min_element(of.begin(), of.end(), [](auto* a, auto* b) {
    return a->results.median() < b->results.median();
  });
  return best == of.end() ? nullptr : *best;
}

}  // namespace heist::bench::api
