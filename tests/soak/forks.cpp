// fork_join and scopes.
#include "heist/fork_join.hpp"

#include <stop_token>
#include <vector>

#include "heist/blocking.hpp"
#include "heist/cancellation.hpp"
#include "heist/future.hpp"
#include "heist/heist.hpp"
#include "heist/scope.hpp"
#include "heist/when_any.hpp"
#include "tests/soak/construct.hpp"

namespace heist_soak {
namespace {

std::uint64_t two_forks(const place& p, unsigned) {
  const auto [a, b] = heist::fork_join([&] { return p.part(0); }, [&] { return p.part(1); });
  return a + b;
}

std::uint64_t four_forks(const place& p, unsigned) {
  const auto [a, b, c, d] = heist::fork_join([&] { return p.part(0); }, [&] { return p.part(1); },
                                             [&] { return p.part(2); }, [&] { return p.part(3); });
  return a + b + c + d;
}

using sum_of_tree = std::atomic<std::uint64_t>;

// Relaxed, because the scope's end orders it.
void add(sum_of_tree& sum, std::uint64_t part) { sum.fetch_add(part, std::memory_order_relaxed); }
std::uint64_t value(const sum_of_tree& sum) { return sum.load(std::memory_order_relaxed); }

std::uint64_t spawns(const place& p, unsigned n) {
  sum_of_tree sum{0};
  heist::scope([&](heist::task_scope& s) {
    for (unsigned i = 1; i < n; ++i) s.spawn([&, i] { add(sum, p.part(i)); });
    add(sum, p.part(0));
  });
  return value(sum);
}

std::uint64_t spawns_of_children(const place& p, unsigned n) {
  sum_of_tree sum{0};
  heist::scope(heist::spawn_kind::child, [&](heist::task_scope& s) {
    for (unsigned i = 1; i < n; ++i) {
      s.spawn([&, i] { add(sum, p.part(i)); });
      if (i == 2) s.sync();
    }
    add(sum, p.part(0));
  });
  return value(sum);
}

// Spawns from a fork into a scope further up the call chain.
std::uint64_t spawns_from_forks(const place& p, unsigned n) {
  sum_of_tree sum{0};
  heist::scope([&](heist::task_scope& s) {
    heist::fork_join([&] { s.spawn([&] { add(sum, p.part(0)); }); },
                     [&] {
                       for (unsigned i = 1; i < n; ++i) s.spawn([&, i] { add(sum, p.part(i)); });
                     });
  });
  return value(sum);
}

// Forks in a handler, where the exception that is being handled has to be saved.
std::uint64_t forks_in_a_handler(const place& p, unsigned) {
  try {
    throw p.node;
  } catch (std::uint64_t caught) {
    const std::uint64_t sum = two_forks(p, 2);
    if (caught != p.node || std::current_exception() == nullptr)
      fail("the exception that was being handled is another one", p.node);
    return sum;
  }
}

constexpr construct table[] = {{"fork_join of two", 8, trait::plain, 2, 0, &two_forks},
                               {"fork_join of four", 3, trait::plain, 4, 0, &four_forks},
                               {"scope", 5, trait::plain, 2, 4, &spawns},
                               {"scope of children", 4, trait::plain, 2, 4, &spawns_of_children},
                               {"spawn from forks", 2, trait::plain, 2, 2, &spawns_from_forks},
                               {"forks in a handler", 1, trait::plain, 2, 0, &forks_in_a_handler}};

}  // namespace

std::span<const construct> forks() { return table; }

// ---- Futures, and functions on threads beside the workers.

namespace {

// A future whose destructor waits, so that each function ends before its place does, even if
// another one throws.
template <class T>
class awaited {
 public:
  explicit awaited(heist::future<T> f) : future_(std::move(f)) {}
  awaited(const awaited&) = delete;
  awaited& operator=(const awaited&) = delete;
  ~awaited() {
    if (future_.valid()) future_.wait();
  }
  T get() { return future_.get(); }

 private:
  heist::future<T> future_;
};

std::uint64_t two_submitted(const place& p, unsigned) {
  awaited<std::uint64_t> a(heist::submit([&p] { return p.part(0); }));
  awaited<std::uint64_t> b(p.in.second.submit([&p] { return p.part(1); }));
  return a.get() + b.get();
}

std::uint64_t continued(const place& p, unsigned) {
  awaited<std::uint64_t> sum(heist::submit([&p] { return p.part(0); }).then([&p](std::uint64_t a) {
    return a + p.part(1);
  }));
  return sum.get();
}

// An exception of a child is kept until all children have ended, since they use this frame.
std::uint64_t all_of_them(const place& p, unsigned n) {
  std::vector<heist::future<std::exception_ptr>> all;
  std::vector<std::uint64_t> parts(n);
  for (unsigned i = 0; i < n; ++i)
    all.push_back(heist::submit([&p, &parts, i]() -> std::exception_ptr {
      try {
        parts[i] = p.part(i);
      } catch (...) {
        return std::current_exception();
      }
      return nullptr;
    }));
  for (const std::exception_ptr& thrown : heist::when_all(std::move(all)).get())
    if (thrown != nullptr) std::rethrow_exception(thrown);
  std::uint64_t sum = 0;
  for (const std::uint64_t part : parts) sum += part;
  return sum;
}

std::uint64_t any_of_them(const place& p, unsigned) {
  const std::uint64_t h = p.hash();
  auto first = heist::when_any(heist::submit([h] { return h; }), heist::submit([h] { return h; }));
  if (std::visit([](const auto& value) { return value; }, first.get()) != h)
    fail("when_any has another result", p.node);
  return p.part(0);
}

std::uint64_t blocked(const place& p, unsigned) {
  const std::uint64_t h = p.hash();
  if (heist::blocking([h] { return mixed(h); }) != mixed(h))
    fail("blocking has another result", p.node);
  return p.part(0);
}

constexpr construct table_of_futures[] = {{"submit", 4, trait::plain, 2, 0, &two_submitted},
                                          {"then", 3, trait::plain, 2, 0, &continued},
                                          {"when_all", 3, trait::plain, 1, 4, &all_of_them},
                                          {"when_any", 1, trait::plain, 1, 0, &any_of_them},
                                          {"blocking", 1, trait::plain, 1, 0, &blocked}};

}  // namespace

std::span<const construct> futures() { return table_of_futures; }

// ----
// Stop tokens and deadlines. Chance determines how many children run, so they do not count for the
// program's result: each child is checked by itself, and their number is compared with the one that
// `cancelled` reports.

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
