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

}  // namespace

void write_report() noexcept {
  std::fprintf(stderr,
               "heist-tbb: %" PRIu64 " tasks in %" PRIu64 " arenas, %" PRIu64
               " of them stolen; allowed threads %zu, workers of the pool %zu\n",
               tasks.load(std::memory_order_relaxed), arenas.load(std::memory_order_relaxed),
               steals.load(std::memory_order_relaxed), allowed_parallelism(), usual_parallelism());
}

void note_end_of(work_arena& a) noexcept {
  std::uint64_t stolen = 0;
  for (unsigned i = 0; i < a.seats_in_use(); ++i)
    stolen += a.at(i).steals.load(std::memory_order_relaxed);
  tasks.fetch_add(a.tasks_begun(), std::memory_order_relaxed);
  steals.fetch_add(stolen, std::memory_order_relaxed);
  arenas.fetch_add(1, std::memory_order_relaxed);
}

bool report_is_wanted() noexcept {
  const char* const wish = ::secure_getenv("HEIST_STATS");
  return wish != nullptr && *wish != '\0' && std::strcmp(wish, "0") != 0;
}

}  // namespace heist::inline v0::libtbb
