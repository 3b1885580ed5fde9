// Policies for one call, and pools other than the current one.
#include "heist/pool.hpp"

#include "heist/heist.hpp"
#include "heist/policy.hpp"
#include "tests/soak/construct.hpp"

namespace heist_soak {
namespace {

std::uint64_t both(const place& p) {
  const auto [a, b] = heist::fork_join([&] { return p.part(0); }, [&] { return p.part(1); });
  return a + b;
}

std::uint64_t serially(const place& p, unsigned) {
  return heist::with(heist::policy::serial, [&] { return both(p); });
}

std::uint64_t keeping_the_thread(const place& p, unsigned) {
  return heist::with(heist::policy::stalling, [&] {
    // The workers are not compared across the children, because run_on moves its caller.
    const int before = heist::this_worker::index();
    heist::fork_join([&p] { asm volatile("" : : "r"(mixed(p.node))); }, [] {});
    if (heist::this_worker::index() != before) fail("a stalling join changed its worker", p.node);
    return both(p);
  });
}

std::uint64_t first_pool(const place& p, unsigned) {
  return p.in.first.run([&] { return both(p); });
}

std::uint64_t second_pool(const place& p, unsigned) {
  return p.in.second.run([&] { return both(p); });
}

std::uint64_t certain_worker(const place& p, unsigned) {
  const unsigned which = static_cast<unsigned>(p.hash() % p.in.second.workers());
  return p.in.second.run_on(which, [&] {
    if (p.in.second.worker_index() != static_cast<int>(which))
      fail("run_on came to another worker", p.node);
    return both(p);
  });
}

std::uint64_t own_pool(const place& p, unsigned) {
  heist::pool own({.workers = 1 + static_cast<unsigned>(p.hash() % 2), .name = "own"});
  return own.run([&] { return both(p); });
}

constexpr construct table_of_pools[] = {
    {"with policy::serial", 2, trait::serial, 2, 0, &serially},
    {"with policy::stalling", 2, trait::plain, 2, 0, &keeping_the_thread},
    {"the first pool", 2, trait::plain, 2, 0, &first_pool},
    {"the second pool", 2, trait::plain, 2, 0, &second_pool},
    {"run_on", 2, trait::plain, 2, 0, &certain_worker},
    {"a pool of its own", 1, trait::plain, 2, 0, &own_pool}};

}  // namespace

std::span<const construct> pools() { return table_of_pools; }

}  // namespace heist_soak
