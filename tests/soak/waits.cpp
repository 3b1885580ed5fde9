// Constructs that suspend fibers: the functions of each wait for each other before they run their
// children, so that a function that throws leaves no other one waiting.
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <thread>

#include "heist/fork_join.hpp"
#include "heist/heist.hpp"
#include "heist/policy.hpp"
#include "heist/pool.hpp"
#include "heist/sync/barrier.hpp"
#include "heist/sync/channel.hpp"
#include "heist/sync/condition_variable.hpp"
#include "heist/sync/latch.hpp"
#include "heist/sync/mutex.hpp"
#include "heist/sync/semaphore.hpp"
#include "heist/sync/shared_mutex.hpp"
#include "tests/soak/construct.hpp"

namespace heist_soak {
namespace {

// Runs children that compete for one lock.
std::uint64_t mutex(const place& p, unsigned n) {
  heist::mutex m;
  std::uint64_t sum = 0;
  heist::parallel_for(0U, n, [&](unsigned i) {
    const std::lock_guard hold(m);
    sum += p.part(i);
  });
  return sum;
}

std::uint64_t shared_mutex(const place& p, unsigned n) {
  heist::shared_mutex m;
  std::uint64_t sum = 0;
  heist::parallel_for(0U, n, [&](unsigned i) {
    std::uint64_t part;
    {
      const std::shared_lock hold(m);
      part = p.part(i);
    }
    const std::lock_guard hold(m);
    sum += part;
  });
  return sum;
}

// Functions that do not get the lock in time continue without it.
std::uint64_t timed_mutex(const place& p, unsigned n) {
  heist::mutex m;
  std::atomic<std::uint64_t> sum{0};
  heist::parallel_for(0U, n, [&](unsigned i) {
    const std::unique_lock hold(m, std::chrono::microseconds(i * 50));
    sum.fetch_add(p.part(i), std::memory_order_relaxed);
  });
  return sum.load(std::memory_order_relaxed);
}

std::uint64_t semaphore(const place& p, unsigned n) {
  heist::counting_semaphore<> two(2);
  std::atomic<int> inside{0};
  std::atomic<std::uint64_t> sum{0};
  heist::parallel_for(0U, n, [&](unsigned i) {
    two.acquire();
    struct leave {
      heist::counting_semaphore<>& permits;
      std::atomic<int>& inside;
      ~leave() {
        inside.fetch_sub(1, std::memory_order_relaxed);
        permits.release();
      }
    } const at_end{two, inside};
    if (inside.fetch_add(1, std::memory_order_relaxed) > 1)
      fail("a semaphore let three in", p.node);
    sum.fetch_add(p.part(i), std::memory_order_relaxed);
  });
  return sum.load(std::memory_order_relaxed);
}

std::uint64_t latch(const place& p, unsigned) {
  heist::latch both(2);
  const auto [a, b] = heist::fork_join(
      [&] {
        both.arrive_and_wait();
        return p.part(0);
      },
      [&] {
        both.arrive_and_wait();
        return p.part(1);
      });
  return a + b;
}

std::uint64_t barrier(const place& p, unsigned) {
  heist::barrier all(3);
  std::atomic<int> before{0};
  const auto one = [&](unsigned i) {
    return [&, i] {
      before.fetch_add(1, std::memory_order_relaxed);
      all.arrive_and_wait();
      if (before.load(std::memory_order_relaxed) != 3) fail("a barrier let one through", p.node);
      all.arrive_and_wait();
      return p.part(i);
    };
  };
  const auto [a, b, c] = heist::fork_join(one(0), one(1), one(2));
  return a + b + c;
}

std::uint64_t condition_variable(const place& p, unsigned) {
  heist::mutex m;
  heist::condition_variable changed;
  bool is_there = false;
  const auto [a, b] = heist::fork_join(
      [&] {
        std::unique_lock hold(m);
        changed.wait(hold, [&] { return is_there; });
        hold.unlock();
        return p.part(0);
      },
      [&] {
        {
          const std::lock_guard hold(m);
          is_there = true;
        }
        changed.notify_all();
        return p.part(1);
      });
  return a + b;
}

std::uint64_t channel(const place& p, unsigned n) {
  heist::channel<unsigned> numbers(p.hash() % 3);
  std::uint64_t sum = 0;
  heist::fork_join(
      [&] {
        for (unsigned i = 0; i < n; ++i)
          if (!numbers.send(i)) return;
        numbers.close();
      },
      [&] {
        struct close {
          heist::channel<unsigned>& of;
          ~close() { of.close(); }
        } const at_end{numbers};
        unsigned next = 0;
        while (const std::optional<unsigned> i = numbers.receive()) {
          if (*i != next++) fail("a channel has lost the order", p.node);
          sum += p.part(*i);
        }
      });
  return sum;
}

// The other side is a thread outside any pool.
std::uint64_t latch_with_a_thread(const place& p, unsigned) {
  heist::latch both(2);
  const std::jthread outside([&] { both.arrive_and_wait(); });
  both.arrive_and_wait();
  return p.part(0);
}

constexpr construct table[] = {
    {"mutex", 2, trait::plain, 1, 4, &mutex},
    {"shared_mutex", 1, trait::plain, 1, 4, &shared_mutex},
    {"mutex with a time limit", 2, trait::plain, 1, 4, &timed_mutex},
    {"semaphore", 2, trait::plain, 1, 5, &semaphore},
    {"latch", 2, trait::waits, 2, 0, &latch},
    {"barrier", 2, trait::waits, 3, 0, &barrier},
    {"condition_variable", 2, trait::waits, 2, 0, &condition_variable},
    {"channel", 2, trait::waits, 1, 5, &channel},
    {"latch with a thread", 1, trait::plain, 1, 0, &latch_with_a_thread}};

}  // namespace

std::span<const construct> waits() { return table; }

// ---- Policies for one call, and pools other than the current one.

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
