// fork_join and scopes.
#include "heist/fork_join.hpp"

#include "heist/scope.hpp"
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

}  // namespace heist_soak
