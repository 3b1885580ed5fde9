// Stop tokens and deadlines. Chance determines how many children run, so they do not count for the
// program's result: each child is checked by itself, and their number is compared with the one that
// `cancelled` reports.
#include <stop_token>

#include "heist/cancellation.hpp"
#include "heist/heist.hpp"
#include "tests/soak/construct.hpp"

namespace heist_soak {
namespace {

// Runs child i and compares it with the serial walk.
void check_child(const place& p, std::uint64_t i) {
  std::uint64_t nodes = 0;
  if (grow(p.child(i)) != expected(p.child(i), nodes))
    fail("a child of a construct that stops has another value", p.node);
}

// Runs `loop`, which may stop, and checks how many iterations were done.
template <class Loop>
void check_count(const place& p, const std::atomic<std::uint64_t>& ended, std::uint64_t total,
                 const Loop& loop) {
  bool is_cancelled = false;
  std::uint64_t said = total;
  try {
    loop();
  } catch (const heist::cancelled& c) {
    is_cancelled = true;
    said = c.done();
    if (c.total() != total) fail("cancelled tells another total", p.node);
  }
  const std::uint64_t done = ended.load(std::memory_order_relaxed);
  if (done != said) fail("cancelled tells another number of what was done", p.node);
  if (is_cancelled && done == total) fail("cancelled, though all was done", p.node);
}

std::uint64_t stopped_loop(const place& p, unsigned n) {
  std::stop_source source;
  std::atomic<std::uint64_t> ended{0};
  const unsigned stride = 16;
  check_count(p, ended, n * stride, [&] {
    heist::parallel_for(source.get_token(), 0U, n * stride, [&](unsigned i) {
      if (i % stride == 1) check_child(p, i / stride);
      if (i == p.hash() % (n * stride)) source.request_stop();
      ended.fetch_add(1, std::memory_order_relaxed);
    });
  });
  return 0;
}

std::uint64_t loop_with_deadline(const place& p, unsigned n) {
  std::atomic<std::uint64_t> ended{0};
  const heist::deadline soon(std::chrono::microseconds(p.hash() % 200));
  check_count(p, ended, n, [&] {
    heist::parallel_for(soon, 0U, n, [&](unsigned i) {
      check_child(p, i);
      ended.fetch_add(1, std::memory_order_relaxed);
    });
  });
  return 0;
}

std::uint64_t stopped_scope(const place& p, unsigned n) {
  std::stop_source source;
  std::atomic<std::uint64_t> ended{0};
  check_count(p, ended, n, [&] {
    heist::scope(source.get_token(), [&](heist::task_scope& s) {
      for (unsigned i = 0; i < n; ++i)
        s.spawn([&, i] {
          check_child(p, i);
          if (i == p.hash() % n) source.request_stop();
          ended.fetch_add(1, std::memory_order_relaxed);
        });
    });
  });
  return 0;
}

std::uint64_t scope_that_asks_to_stop(const place& p, unsigned n) {
  std::atomic<std::uint64_t> ended{0};
  heist::scope([&](heist::task_scope& s) {
    for (unsigned i = 0; i < n; ++i)
      s.spawn([&, i] {
        check_child(p, i);
        if (i == 1) s.request_stop();
        ended.fetch_add(1, std::memory_order_relaxed);
      });
    s.sync();
    if (s.skipped() + ended.load(std::memory_order_relaxed) != n)
      fail("a scope has lost count of its children", p.node);
  });
  return 0;
}

std::uint64_t stopped_submit(const place& p, unsigned) {
  std::stop_source source;
  std::atomic<std::uint64_t> ended{0};
  auto result = heist::submit(source.get_token(), [&] {
    check_child(p, 0);
    ended.fetch_add(1, std::memory_order_relaxed);
  });
  source.request_stop();
  check_count(p, ended, 1, [&] { result.get(); });
  return 0;
}

constexpr construct table_of_stops[] = {
    {"loop with a stop token", 2, trait::stops, 1, 4, &stopped_loop},
    {"loop with a deadline", 2, trait::stops, 1, 5, &loop_with_deadline},
    {"scope with a stop token", 2, trait::stops, 1, 5, &stopped_scope},
    {"scope that asks to stop", 1, trait::stops, 1, 5, &scope_that_asks_to_stop},
    {"submit with a stop token", 1, trait::stops, 1, 0, &stopped_submit}};

}  // namespace

std::span<const construct> stops() { return table_of_stops; }

}  // namespace heist_soak
