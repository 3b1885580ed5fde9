// Measures the deques alone, without the runtime: the cost of a push and a pop without a thief and
// beside one, the cost of a steal, and the memory.
//
// Each figure is also given as a ratio to chase_lev's in the same round, because most deques are
// compared with it.
#include <algorithm>
#include <array>
#include <atomic>

#include <fmt/format.h>

#include <heist/deque/abp.hpp>
#include <heist/deque/bounded_ring.hpp>
#include <heist/deque/chase_lev.hpp>
#include <heist/deque/locked.hpp>
#include <heist/deque/multi_steal.hpp>
#include <heist/deque/split.hpp>
#include <heist/deque/steal_half.hpp>

#include "bench/deque/measure.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

constexpr double split_limit = 0.35;
constexpr double ring_limit = 1.1;
constexpr const char* reference = "chase_lev";
constexpr const char* fast = "split";
constexpr const char* bounded = "bounded_ring";

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("depth", "pushes in a row, then as many pops", 16, 1, 4096),
          integer_option("pairs", "pushes and pops in each measurement without thieves",
                         quick ? 20'000 : 20'000'000, 1, 10'000'000'000),
          integer_option("beside-ms", "how long an owner works beside a thief", quick ? 2 : 200, 1,
                         600'000),
          integer_option("fill", "items that a thief empties out", quick ? 256 : 32'768, 1, 65'535),
          integer_option("fills", "how often, in each measurement", quick ? 2 : 50, 1, 1'000'000),
          integer_option("memory-items", "items whose memory is measured", quick ? 1000 : 1'000'000,
                         1, 100'000'000)};
}

// The barrier of an owner's pop, between the store of bottom and the load of top. std_atomics has a
// locked instruction on x86-64; here are the fence that is named after it, and the exchange that an
// article on job systems takes for cheaper.
struct fencing_atomics : deque::std_atomics {
  static void full_fence() noexcept {
#if defined(__x86_64__)
    asm volatile("mfence" ::: "memory");
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  }
};
struct exchanging_atomics : deque::std_atomics {
  // On x86-64 a full fence by itself; elsewhere one is added.
  template <class T>
  static void store_and_fence(std::atomic<T>& to, T value) noexcept {
    to.exchange(value, std::memory_order_acq_rel);
#if !defined(__x86_64__)
    full_fence();
#endif
  }
};

std::vector<deque_contestant> contestants() {
  std::vector<deque_contestant> all = {
      contestant_of<deque::chase_lev<number>>(reference),
      contestant_of<deque::split<number>>(fast),
      contestant_of<deque::bounded_ring<number>>(bounded),
      contestant_of<deque::bounded_ring<number, fencing_atomics>>("bounded_ring, fence"),
      contestant_of<deque::bounded_ring<number, exchanging_atomics>>("bounded_ring, exchange"),
      contestant_of<deque::abp<number>>("abp"),
      contestant_of<deque::multi_steal<number>>("multi_steal"),
      contestant_of<deque::steal_half<number>>("steal_half"),
      contestant_of<deque::locked<number>>("locked"),
      contestant_of<deque::spin_locked<number>>("spin_locked"),
  };
  if (auto queue = concurrent_queue()) all.push_back(*std::move(queue));
  return all;
}

// One kind of measurement: it has a contestant for each deque, and a second figure besides the
// time.
class field {
 public:
  field(std::string what, std::string second, std::string unit)
      : what_(std::move(what)), second_(std::move(second)), unit_(std::move(unit)) {}

  // `measure` returns the time and the second figure.
  void add(contest& turns, const std::string& name,
           std::function<std::pair<double, double>()> measure) {
    seconds_.push_back(std::make_unique<samples>());
    members_.push_back(&turns.add(name + ", " + what_,
                                  [measure = std::move(measure), extra = seconds_.back().get()] {
                                    const auto [time, second] = measure();
                                    extra->add(second);
                                    return time;
                                  }));
    names_.push_back(name);
  }

  void append_rows(std::vector<row>& rows) const {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      row one{members_[i]->name,
              {{"an item", "ns", members_[i]->results},
               {std::string("to ") + reference, "", to_reference(names_[i])}},
              {}};
      if (!second_.empty()) one.measures.push_back({second_, unit_, *seconds_[i]});
      rows.push_back(std::move(one));
    }
  }

  [[nodiscard]] samples to_reference(const std::string& name) const {
    return ratio(of(name), of(reference));
  }

 private:
  [[nodiscard]] const samples& of(const std::string& name) const {
    const auto at = std::find(names_.begin(), names_.end(), name) - names_.begin();
    return members_[static_cast<std::size_t>(at)]->results;
  }

  std::string what_;
  std::string second_;  // its name; empty: none
  std::string unit_;
  std::vector<std::string> names_;
  std::vector<contestant*> members_;
  std::vector<std::unique_ptr<samples>> seconds_;
};

struct fields {
  field alone{"no thief", "", ""};
  field beside{"beside a thief", "stolen a second", ""};
  field emptied{"emptied by a thief", "items a steal", ""};
};

void add_all(fields& to, contest& turns, const std::vector<deque_contestant>& all,
             const deque_sizes& sizes) {
  for (const deque_contestant& one : all)
    to.alone.add(turns, one.name, [&] { return std::pair(one.alone_ns(sizes), 0.0); });
  for (const deque_contestant& one : all)
    to.beside.add(turns, one.name, [&] {
      const beside_a_thief found = one.beside(sizes);
      return std::pair(found.ns_an_item, found.stolen_a_second);
    });
  const auto emptying = [&](const auto& empty) {
    return [&] {
      const emptied_by_a_thief found = empty(sizes);
      return std::pair(found.ns_an_item, found.items_a_steal);
    };
  };
  for (const deque_contestant& one : all) {
    to.emptied.add(turns, one.name, emptying(one.emptied));
    if (one.emptied_by_several)
      to.emptied.add(turns, one.name + " by several", emptying(one.emptied_by_several));
  }
}

row memory_row(const deque_contestant& of, const deque_sizes& sizes) {
  const auto found = of.memory(sizes);
  if (!found) return {of.name + ", memory", {}, "this allocator doesn't say"};
  return {of.name + ", memory",
          {{"empty, room for 64", "bytes", samples({found->empty_bytes})},
           {"an item", "bytes", samples({found->item_bytes})}},
          fmt::format("of {} items", found->items)};
}

// The distance of the medians from each other, whichever of the two is faster.
double apart(double ratio) { return std::max(ratio, 1 / ratio); }

results run(const workloads::option_values& values, const settings& with) {
  const deque_sizes sizes{values.size("depth"),
                          values.size("pairs"),
                          std::chrono::milliseconds(values.integer("beside-ms")),
                          values.size("fill"),
                          values.size("fills"),
                          values.size("memory-items")};
  const std::vector<deque_contestant> all = contestants();
  fields found;
  contest turns;
  add_all(found, turns, all, sizes);
  turns.play(with);

  results result;
  result.title = fmt::format("bursts of {} pushes and pops, {} pairs; {} rounds", sizes.depth,
                             sizes.pairs, with.repeat);
  for (const field* each : {&found.alone, &found.beside, &found.emptied})
    each->append_rows(result.rows);
  for (const deque_contestant& one : all) result.rows.push_back(memory_row(one, sizes));
  if (!concurrent_queue()) result.rows.push_back({"ConcurrentQueue (FIFO)", {}, "not built in"});
  const auto alone = [&](const char* name) { return found.alone.to_reference(name).median(); };
  result.targets = {
      {"split to chase_lev, no thief", "", bound::at_most, split_limit, alone(fast), ""},
      {"bounded_ring and chase_lev apart, no thief", "", bound::at_most, ring_limit,
       apart(alone(bounded)), "the slower one to the faster one"}};
  result.notes = {
      "no thief: a push and a pop; beside a thief: the owner's time for an item that it pushes; "
      "emptied: the thief's",
      "fence, exchange: the barrier of a pop is mfence, or an exchange in place of the store; "
      "heist's "
      "is a locked instruction on the stack (x86-64)",
      "ConcurrentQueue gives the owner its oldest item, not its newest: another job"};
  return result;
}

}  // namespace

benchmark deque_benchmark() {
  return {"deque", "the deques alone: push, pop, steal and memory, against chase_lev", &options,
          &run};
}

}  // namespace heist::bench
