#include "market/reports.hpp"

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "arenas/arena.hpp"
#include "parts/controls.hpp"

namespace heist::inline v0::libtbb {

namespace {

// Of arenas that have ended. Relaxed, everywhere: numbers for a report.
constinit std::atomic<std::uint64_t> tasks{0}, steals{0}, arenas{0};

using function = void (*)();
constinit function note_the_living = nullptr;
constinit unsigned pool_size = 0;

void report() {
  note_the_living();
  std::fprintf(stderr,
               "heist-tbb: %" PRIu64 " tasks in %" PRIu64 " arenas, %" PRIu64
               " of them stolen; allowed threads %zu, workers of the pool %u\n",
               tasks.load(std::memory_order_relaxed), arenas.load(std::memory_order_relaxed),
               steals.load(std::memory_order_relaxed), allowed_parallelism(), pool_size);
}

}  // namespace

void note_end_of(work_arena& a) noexcept {
  std::uint64_t stolen = 0;
  for (unsigned i = 0; i < a.seats_in_use(); ++i)
    stolen += a.at(i).steals.load(std::memory_order_relaxed);
  tasks.fetch_add(a.tasks_begun(), std::memory_order_relaxed);
  steals.fetch_add(stolen, std::memory_order_relaxed);
  arenas.fetch_add(1, std::memory_order_relaxed);
}

void report_at_exit(void (*note_living)(), unsigned workers) noexcept {
  note_the_living = note_living;
  pool_size = workers;
  const char* const wish = ::secure_getenv("HEIST_STATS");
  if (wish != nullptr && *wish != '\0' && std::strcmp(wish, "0") != 0) std::atexit(&report);
}

}  // namespace heist::inline v0::libtbb
