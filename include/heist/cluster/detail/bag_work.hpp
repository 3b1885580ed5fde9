// A bag that the workers of a rank process together, for a while.
//
// One worker takes chunks of items from it, each of which takes some 20 us, and looks at the clock
// and at the others after each. As long as fewer pieces are being processed than there are workers,
// it splits its piece and forks; whoever forked merges both pieces at the join. So a pool that is
// busy forks nothing, and a pool of one worker never does.
//
// Protocol: `active_` is the number of pieces, `chunk_` how many items a chunk has. Both are
// relaxed: they guard nothing, a stale value costs a split too many or too few, or a chunk that is
// too long. The bags themselves are handed over by forks and joins.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "heist/cluster/context.hpp"
#include "heist/cluster/detail/work.hpp"
#include "heist/fork_join.hpp"
#include "heist/pool.hpp"

namespace heist::inline v0::cluster::detail {

using work_clock = std::chrono::steady_clock;

// What the driver of a rank does with a bag, whatever its type.
class shared_work : public work {
 public:
  // Until `deadline`, or until no item is left, on the workers of `on` (null: by the caller).
  // Returns how many items were processed.
  virtual std::uint64_t process_until(work_clock::time_point deadline, pool* on) = 0;
};

template <bag Bag>
class bag_work final : public shared_work {
 public:
  explicit bag_work(Bag first) : whole_(std::move(first)) {}

  [[nodiscard]] Bag& get() { return whole_.get(); }

  [[nodiscard]] bool is_empty() const override { return whole_.is_empty(); }
  std::uint64_t process(std::uint64_t most) override { return whole_.process(most); }
  [[nodiscard]] bool split_to(bytes& to) override { return whole_.split_to(to); }
  void write_to(bytes& to) const override { whole_.write_to(to); }
  void merge(std::span<const std::byte> from) override { whole_.merge(from); }
  [[nodiscard]] std::int64_t bound() const override { return whole_.bound(); }
  void raise_bound(std::int64_t value) override { whole_.raise_bound(value); }

  std::uint64_t process_until(work_clock::time_point deadline, pool* on) override {
    round now{deadline, on == nullptr ? 1 : on->workers()};
    active_.store(1, std::memory_order_relaxed);
    if (on == nullptr) return process_piece(get(), now);
    return on->run([&] { return process_piece(get(), now); });
  }

 private:
  static constexpr std::chrono::nanoseconds chunk_time = std::chrono::microseconds(20);
  static constexpr std::uint64_t most_items = std::uint64_t{1} << 30;  // of a chunk

  struct round {
    work_clock::time_point deadline;
    unsigned workers;
  };

  std::uint64_t process_piece(Bag& piece, const round& now) {
    std::uint64_t done = 0;
    auto before = work_clock::now();
    while (!piece.is_empty() && before < now.deadline) {
      const auto chunk = chunk_.load(std::memory_order_relaxed);
      done += piece.process(chunk);
      const auto after = work_clock::now();
      adapt(chunk, after - before);
      before = after;
      if (active_.load(std::memory_order_relaxed) >= now.workers || after >= now.deadline) continue;
      if (auto half = piece.split()) return done + process_both(piece, *half, now);
    }
    active_.fetch_sub(1, std::memory_order_relaxed);
    return done;
  }

  std::uint64_t process_both(Bag& piece, Bag& half, const round& now) {
    active_.fetch_add(1, std::memory_order_relaxed);
    const auto [a, b] = fork_join([&] { return process_piece(piece, now); },
                                  [&] { return process_piece(half, now); });
    if constexpr (bounded_bag<Bag>) piece.raise_bound(half.bound());
    piece.merge(std::move(half));
    return a + b;
  }

  // Keeps a chunk between half and twice the time that it should take.
  void adapt(std::uint64_t chunk, work_clock::duration took) {
    if (took > 2 * chunk_time && chunk > 1)
      chunk_.store(chunk / 2, std::memory_order_relaxed);
    else if (2 * took < chunk_time && chunk < most_items)
      chunk_.store(chunk * 2, std::memory_order_relaxed);
  }

  work_of<Bag> whole_;
  std::atomic<unsigned> active_{1};
  std::atomic<std::uint64_t> chunk_{1};
};

// Runs the protocol on this rank until the run is over. `fill` is called on rank 0, unless the run
// goes on from a journal. Throws as cluster::run() does.
void run_work(context& in, const std::string& name, const char* type, shared_work& work,
              const std::function<void()>& fill);

}  // namespace heist::inline v0::cluster::detail
