// Runs the workloads with every function marked, to measure their stacks: heist-space-probe
// WORKLOAD WORKERS [OPTION VALUE]...
//
// This program's copy of workloads/ is compiled with -finstrument-functions, so each of their
// functions, and each closure that they fork, marks its position when it begins and when it ends.
// The frames are those of this build; the figures for one worker and for many have the same frames.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>

#include <heist/heist.hpp>

#include "bench/space/extent_meter.hpp"
#include "workloads/workload.hpp"

namespace {

heist::bench::extent_meter* meter = nullptr;  // set while no other thread runs

// The functions that a mark calls must not be marked.
thread_local bool is_marking = false;

[[gnu::no_instrument_function]] void mark() noexcept {
  if (meter == nullptr || is_marking) return;
  is_marking = true;
  meter->mark();
  is_marking = false;
}

struct extents {
  std::size_t marked, largest;
  std::uint64_t stacks;
};

extents measure(heist::workloads::instance& instance, unsigned workers) {
  heist::bench::extent_meter here(heist::bench::bytes_of_loop());
  heist::pool on({.workers = workers});
  if (on.missing_workers() != 0) throw heist::resource_error("the system refused threads");
  instance.reset();
  meter = &here;  // the pool's entry hands it on
  on.run([&] { instance.run(); });
  meter = nullptr;
  if (here.has_overflowed()) throw heist::resource_error("more fibers than the meter has cells");
  return {here.peak(), here.largest(), on.stats().stacks_peak};
}

int print_extents(int argc, char** argv) {
  const auto* const workload = heist::workloads::find(argv[1]);
  if (workload == nullptr) throw heist::usage_error(std::string("no workload ") + argv[1]);
  const auto workers = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  heist::workloads::option_values values(workload->name(), workload->options());
  for (int i = 3; i + 1 < argc; i += 2) values.set(argv[i], argv[i + 1]);
  const auto instance = workload->make(values);
  instance->reset();
  instance->run_serial();
  const auto expected = instance->checksum();
  const extents found = measure(*instance, workers);
  std::printf("{\"right\":%d,\"marked\":%zu,\"largest\":%zu,\"stacks\":%llu}\n",
              instance->checksum() == expected && !instance->mistake() ? 1 : 0, found.marked,
              found.largest, static_cast<unsigned long long>(found.stacks));
  return 0;
}

}  // namespace

// The compiler inserts calls of these functions.
extern "C" {
[[gnu::no_instrument_function]] void __cyg_profile_func_enter(void* function, void* site);
[[gnu::no_instrument_function]] void __cyg_profile_func_exit(void* function, void* site);
void __cyg_profile_func_enter(void*, void*) { mark(); }
void __cyg_profile_func_exit(void*, void*) { mark(); }
}

int main(int argc, char** argv) {
  try {
    if (argc < 3) throw heist::usage_error("WORKLOAD WORKERS [OPTION VALUE]...");
    return print_extents(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "heist-space-probe: %s\n", e.what());
    return 2;
  }
}
