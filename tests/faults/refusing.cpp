#include "tests/faults/refusing.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <new>
#include <system_error>

#include "heist/heist.hpp"
#include "tests/faults/allocations.hpp"
#include "tests/unit/runtime/fib.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {

namespace {

constexpr long most_refusals = 20'000;

// Returns true if the function threw one of the exceptions that report a refusal; asio throws
// std::system_error.
template <class F>
bool is_told(report& r, const char* what, F&& f) {
  try {
    f();
    return false;
  } catch (const std::bad_alloc&) {
  } catch (const heist::resource_error&) {
  } catch (const std::system_error&) {
  } catch (const std::exception& e) {
    r.fail("%s threw something else: %s", what, e.what());
  }
  return true;
}

bool is_more(const footprint& now, const footprint& before, comparison kept) {
  return (kept.allocations && now.allocations > before.allocations) ||
         now.threads > before.threads || (kept.mappings && now.mapped_kib > before.mapped_kib);
}

// A thread that was joined may still be in the kernel's lists for a moment.
footprint settled(const footprint& before, comparison kept) {
  footprint now = footprint::now();
  for (int i = 0; i < 200 && is_more(now, before, kept); ++i) {
    if (i > 10) std::this_thread::sleep_for(std::chrono::microseconds(100));
    now = footprint::now();
  }
  return now;
}

}  // namespace

footprint footprint::now() {
  footprint f{0, 0, 0};
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    ++f.threads;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long from = 0;
    unsigned long to = 0;
    if (line.ends_with("[heap]") || std::sscanf(line.c_str(), "%lx-%lx", &from, &to) != 2) continue;
    f.mapped_kib += static_cast<long>((to - from) >> 10);
  }
  maps.close();
  f.allocations = allocations::alive();
  return f;
}

bool is_long_run() { return std::getenv("HEIST_FAULTS_LONG") != nullptr; }

void refuse_each(report& r, comparison kept, long step,
                 const std::function<bool(long n)>& attempt) {
  for (int i = 0; i < 5; ++i) attempt(0);  // fills all caches
  footprint before = footprint::now();
  long refusals = 0;
  // Not every run makes the same calls, so a single run without a refusal is not the end.
  for (long n = 1, without = 0; without < 3 && !r.has_failed(); n += step) {
    r.at(n);
    if (n > most_refusals) return r.fail("asks without an end");
    bool was_refused = false;
    for (int tries = 0;; ++tries) {
      was_refused = attempt(n) || was_refused;
      const footprint now = settled(before, kept);
      if (r.has_failed() || !is_more(now, before, kept)) break;
      if (tries == 3)
        return r.fail("%ld allocations, %ld threads, %ld KiB are left behind",
                      now.allocations - before.allocations, now.threads - before.threads,
                      now.mapped_kib - before.mapped_kib);
      before = now;
    }
    without = was_refused ? 0 : without + 1;
    refusals += was_refused;
  }
  r.count(refusals);
}

void refuse_during(report& r, const seam& s, const construct& operation) {
  refuse_each(r, {.mappings = !keeps_a_pool(operation)}, 1, [&](long n) {
    std::atomic<unsigned> calls{0};
    const body f = [&] {
      // Waits until another worker has begun, if there is one, so that there are a steal and a
      // wait.
      const unsigned mine = ++calls;
      for (int i = 0; i < 20 && calls == mine; ++i) linger(std::chrono::microseconds(10));
    };
    heist::pool pool({.workers = 3});
    s.refuse_at(n);
    const bool was_told =
        is_told(r, operation.name.c_str(), [&] { pool.run([&] { operation.run(f); }); });
    const bool was_refused = s.was_refused();
    if (was_told && !was_refused) r.fail("an exception, but nothing was refused");
    if (!was_told && calls.load() != operation.calls)
      r.fail("%u calls instead of %u", calls.load(), operation.calls);
    calls = 0;
    pool.run([&] { operation.run(f); });
    if (calls.load() != operation.calls)
      r.fail("later on %u calls instead of %u", calls.load(), operation.calls);
    return was_refused;
  });
}

void refuse_during(report& r, const seam& s, const pool_start& start) {
  // If the dynamic linker cannot read or map all of hwloc (a refused read of a library's first 832
  // bytes), it leaves a part of it mapped, and an allocation of its own.
  const bool loads_hwloc = start.config.victim == heist::victim_kind::nearest;
  // hwloc reads hundreds of files.
  const comparison kept{.allocations = !(loads_hwloc && s.is_of_system_calls),
                        .mappings = !loads_hwloc};
  refuse_each(r, kept, loads_hwloc && !is_long_run() ? 7 : 1, [&](long n) {
    const auto use = [&] {
      heist::pool pool(start.config);
      if (pool.run([] { return fib(10); }) != 55) r.fail("a wrong result");
      if (pool.workers() + pool.missing_workers() != pool.config().workers)
        r.fail("workers that are neither there nor missing");
    };
    s.refuse_at(n);
    const bool was_told = is_told(r, start.name.c_str(), use);
    const bool was_refused = s.was_refused();
    if (was_told && !was_refused) r.fail("an exception, but nothing was refused");
    use();
    return was_refused;
  });
}

}  // namespace heist_test
