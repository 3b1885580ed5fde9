// A bag that the workers of a rank process together, for a round.
//
// One worker takes chunks of items from it, each of which takes some 20 us, and looks at the clock
// and at the others after each. As long as fewer pieces are being processed than there are workers,
// it splits its piece and forks; the one that forked merges both pieces at the join. So a pool that
// is busy forks nothing. Meanwhile the thread that holds the rank's messages only looks for some.
// When one has come, it ends the round: the workers finish their chunks, and the bag is whole
// again.
//
// Protocol: `active_` is the number of pieces, `chunk_` how many items a chunk has, `has_to_end_`
// what the thread with the messages wants. All are relaxed: they guard nothing, a stale value costs
// a split too many or too few, or another chunk. The bags themselves are handed over by forks,
// joins and the round's future.
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
#include "heist/future.hpp"
#include "heist/pool.hpp"

namespace heist::inline v0::cluster::detail {

using work_clock = std::chrono::steady_clock;

// What the driver of a rank does with a bag, whatever its type.
class shared_work : public work {
 public:
  // By the caller, until `deadline` or until no item is left. Returns how many were processed.
  virtual std::uint64_t process_until(work_clock::time_point deadline) = 0;
  // Likewise by the workers of `on`, or until end_round(). Until the result is there, nothing else
  // may be done with the bag.
  [[nodiscard]] virtual future<std::uint64_t> begin_round(pool& on,
                                                          work_clock::time_point deadline) = 0;
  virtual void end_round() = 0;
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

  std::uint64_t process_until(work_clock::time_point deadline) override {
    has_to_end_.store(false, std::memory_order_relaxed);
    active_.store(1, std::memory_order_relaxed);
    return process_piece(get(), {deadline, 1});
  }

  [[nodiscard]] future<std::uint64_t> begin_round(pool& on,
                                                  work_clock::time_point deadline) override {
    has_to_end_.store(false, std::memory_order_relaxed);
    active_.store(1, std::memory_order_relaxed);
    return on.submit(
        [this, now = round{deadline, on.workers()}] { return process_piece(get(), now); });
  }
  void end_round() override { has_to_end_.store(true, std::memory_order_relaxed); }

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
      before = has_to_end_.load(std::memory_order_relaxed) ? now.deadline : after;
      if (active_.load(std::memory_order_relaxed) >= now.workers || before >= now.deadline)
        continue;
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
  std::atomic<bool> has_to_end_{false};
  std::atomic<unsigned> active_{1};
  std::atomic<std::uint64_t> chunk_{1};
};

// Runs the protocol on this rank until the run is over. `fill` is called on rank 0, unless the run
// goes on from a journal. Throws as cluster::run() does.
void run_work(context& in, const std::string& name, const char* type, shared_work& work,
              const std::function<void()>& fill);

}  // namespace heist::inline v0::cluster::detail
