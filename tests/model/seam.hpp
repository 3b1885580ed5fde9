// The seam of the model tests: the atomics of heist/deque/atomics.hpp, made of Relacy's.
//
// The library's asymmetric barrier cannot be expressed in C++'s model, so both of its halves are
// seq_cst fences here. These are stronger than the barrier: fences synchronize with one another, at
// least in Relacy, and would publish an item that only its owner's release store should publish.
// Therefore publish() has no fence in models without sleepers; only the sleep protocol needs it.
#pragma once

#include "tests/model/relacy.hpp"

#include "heist/deque/atomics.hpp"
#include "heist/deque/split_control.hpp"
#include "tests/model/mutation.hpp"

namespace heist_model {

// The settings of the seam for the running test.
struct seam_settings {
  bool fence_in_publish = false;
};
inline seam_settings settings;

inline rl::memory_order to_relacy(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed:
      return rl::mo_relaxed;
    case std::memory_order_consume:
      return rl::mo_consume;
    case std::memory_order_acquire:
      return rl::mo_acquire;
    case std::memory_order_release:
      return rl::mo_release;
    case std::memory_order_acq_rel:
      return rl::mo_acq_rel;
    case std::memory_order_seq_cst:
      break;
  }
  return rl::mo_seq_cst;
}

// What an operation knows of its caller: default arguments are evaluated at the call.
#define HEIST_MODEL_CALLER                                                          \
  const char *file = __builtin_FILE(), const char *function = __builtin_FUNCTION(), \
             unsigned line = __builtin_LINE()

// For the mutant without the second look: the value that each thread saw in its first one.
struct head_look {
  std::uint64_t seen = 0;
  bool repeat = false;
};
inline std::array<head_look, 4> head_looks;

inline std::uint64_t look_at_head(std::uint64_t value) {
  head_look& look = head_looks[rl::thread_index()];
  if (look.repeat) {
    look.repeat = false;
    return look.seen;
  }
  look.seen = value;
  return value;
}

// Whether the mutant with change c runs, in `function`. A template's name also has its arguments.
inline bool is_running_in(change c, std::string_view function, std::string_view name) {
  return is_running(c) && function.substr(0, function.find('<')) == name;
}

// For the mutant without a second look at the epoch: the value that each thread saw in its first
// one.
inline std::array<std::uint64_t, 4> seen_epochs;

template <class T>
class model_atomic;

// For the mutant that publishes an array before it copies: the stores that are still to come.
struct late_copy {
  struct one {
    model_atomic<std::uint64_t>* slot;
    std::uint64_t value;
  };
  std::array<one, 64> stores{};
  std::size_t count = 0;

  void make();
};
inline late_copy copies;

// Load buffering, which Relacy's loads don't show: C++20, IMM and AArch64 let a load be performed
// behind the thread's next exchange if that releases nothing. A thief uses what it reads from a
// slot only when the exchange has succeeded, so in a mutant of that kind the model may read the
// slot once more there: the slot of each thread's last steal, or nullptr.
inline std::array<const model_atomic<std::uint64_t>*, 4> late_reads;

// The memory of arrays. Freed memory is not used again within a schedule, so that Relacy finds a
// thread that still reads it. Everything starts as 0, the poison. Each array has a guard that its
// loads read and its destruction writes: freeing an array that another thread has read is a data
// race unless something orders the two.
class slot_arena {
 public:
  using guard = rl::var<unsigned>;

  void start_schedule() { used_ = count_ = 0; }

  void* take(std::size_t bytes) {
    RL_ASSERT(bytes <= sizeof(memory_) - used_ && count_ < blocks_.size());
    block& b = blocks_[count_++];
    b.first = memory_ + used_;
    used_ += (bytes + 63) / 64 * 64;
    b.end = memory_ + used_;
    (*std::construct_at(&b.guard_memory.one))(RL_INFO) = 1;
    return b.first;
  }

  void give_back(const void* place) {
    block* const b = block_of(place);
    b->guard_memory.one(RL_INFO) = 0;
    std::destroy_at(&b->guard_memory.one);
    std::memset(b->first, 0, static_cast<std::size_t>(b->end - b->first));
  }

  // Called before each load, even of atomics that are not in an array.
  void read(const void* place) {
    if (const block* const b = block_of(place)) RL_ASSERT(b->guard_memory.one(RL_INFO) == 1);
  }

 private:
  union raw_guard {
    raw_guard() {}
    ~raw_guard() {}
    guard one;
  };
  struct block {
    std::byte* first = nullptr;
    std::byte* end = nullptr;
    raw_guard guard_memory;
  };

  block* block_of(const void* place) {
    const auto* const p = static_cast<const std::byte*>(place);
    if (p < memory_ || p >= memory_ + used_) return nullptr;
    std::size_t i = 0;
    while (p >= blocks_[i].end) ++i;
    return &blocks_[i];
  }

  alignas(64) std::byte memory_[std::size_t{1} << 18];
  std::size_t used_ = 0;
  std::array<block, 64> blocks_;
  std::size_t count_ = 0;
};
inline slot_arena arena;

template <class T>
class model_atomic {
 public:
  model_atomic(T value) : value_(value) {}  // as std::atomic: not explicit

  T load(std::memory_order order, HEIST_MODEL_CALLER) const {
    const site here{file, function, line, operation::load, order};
    arena.read(this);
    const T value = value_.load(to_relacy(effective_order(here)), {function, file, line});
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      if (is_running(change::no_second_look) && std::strcmp(function, "private_top") == 0)
        return look_at_head(value);
      if (is_of_a_late_read(here))
        late_reads[rl::thread_index()] = rl::rand(2) == 0 ? nullptr : this;
      return as_the_mutant_sees(value, here);
    }
    return value;
  }

  void store(T value, std::memory_order order, HEIST_MODEL_CALLER) {
    const site here{file, function, line, operation::store, order};
    const bool copies_late = is_running_in(change::current_before_copy, function, "move_to");
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      if (copies_late) {
        copies.stores[copies.count++] = {this, value};
        return;
      }
    }
    value_.store(value, to_relacy(effective_order(here)), {function, file, line});
    if (copies_late) copies.make();
  }

  T fetch_add(T value, std::memory_order order, HEIST_MODEL_CALLER) {
    const site here{file, function, line, operation::exchange, order};
    return value_.fetch_add(value, to_relacy(effective_order(here)), {function, file, line});
  }

  T fetch_sub(T value, std::memory_order order, HEIST_MODEL_CALLER) {
    const site here{file, function, line, operation::exchange, order};
    return value_.fetch_sub(value, to_relacy(effective_order(here)), {function, file, line});
  }

  T exchange(T value, std::memory_order order, HEIST_MODEL_CALLER) {
    const site here{file, function, line, operation::exchange, order};
    return value_.exchange(value, to_relacy(effective_order(here)), {function, file, line});
  }

  bool compare_exchange_strong(T& expected, T desired, std::memory_order order,
                               std::memory_order failure, HEIST_MODEL_CALLER) {
    const site here{file, function, line, operation::exchange, order};
    return value_.compare_exchange_strong(expected, desired, to_relacy(effective_order(here)),
                                          {function, file, line}, to_relacy(failure), {});
  }

  bool compare_exchange_weak(T& expected, T desired, std::memory_order order,
                             std::memory_order failure, HEIST_MODEL_CALLER) {
    const site here{file, function, line, operation::exchange, order};
    return value_.compare_exchange_weak(expected, desired, to_relacy(effective_order(here)),
                                        {function, file, line}, to_relacy(failure), {});
  }

  // The kernel compares the newest value, not one that a load might see. If the values differ, no
  // later load sees an older one. The comparison orders nothing else.
  bool is_now(T expected) {
    if (value_.debug_value() == expected) return true;
    value_.compare_exchange_strong(expected, expected, rl::mo_relaxed, RL_INFO, rl::mo_relaxed, {});
    return false;
  }

 private:
  static std::uint64_t as_the_mutant_sees(std::uint64_t value, const site& here) {
    std::uint64_t& epoch = seen_epochs[rl::thread_index()];
    if (is_running_in(change::no_second_epoch, here.function, "enter")) epoch = value;
    if (is_running_in(change::no_second_epoch, here.function, "confirm")) return epoch;
    const bool is_count = here.order == std::memory_order_acquire;
    if (is_count && is_running_in(change::no_wait_for_parity, here.function, "old_visitors_left"))
      return 0;
    return value;
  }

  // Of the loads that a thief makes relaxed, the last one before its exchange is the slot's.
  static bool is_of_a_late_read(const site& here) {
    if (here.order != std::memory_order_relaxed) return false;
    const std::string_view function = here.function;
    return (function == "steal" && is_without_release("claim")) ||
           (function == "operator()" && is_without_release("steal_reading"));
  }

  rl::atomic<T> value_;
};

// What a thief has got by a steal that succeeded, as the mutant that runs would read it.
inline std::uint64_t read_late(std::uint64_t item) {
  const auto* const slot = std::exchange(late_reads[rl::thread_index()], nullptr);
  return slot == nullptr ? item : slot->load(std::memory_order_relaxed);
}

inline void late_copy::make() {
  for (std::size_t i = 0; i < count; ++i)
    stores[i].slot->store(stores[i].value, std::memory_order_relaxed);
  count = 0;
}

// Any State of two halves. `compared` says how two words are compared: as a whole, except for
// mutants.
struct word_halves {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(word_halves, word_halves) = default;
  friend std::ostream& operator<<(std::ostream& out, word_halves w) {
    return out << '{' << w.low << ", " << w.high << '}';
  }
};

template <class State>
class model_word {
 public:
  explicit model_word(State s) : halves_(pack(s)) {}

  // Two loads, as in the library: the low half of one moment, the high half of a later one.
  State load(HEIST_MODEL_CALLER) const {
    const site here{file, function, line, operation::load, std::memory_order_acquire};
    const rl::memory_order order = to_relacy(effective_order(here));
    const word_halves first = halves_.load(order, {function, file, line});
    const word_halves second = halves_.load(order, {function, file, line});
    if (is_running_in(change::highest_forgotten, function, "reach"))
      return State::unpack({++periods_, second.high});
    if (is_running_in(change::oldest_before_stamp, function, "reach"))
      return State::unpack({second.low, first.high});
    return State::unpack({first.low, second.high});
  }

  // Relaxed, as in the library.
  std::uint64_t high(HEIST_MODEL_CALLER) const {
    const std::uint64_t now = halves_.load(rl::mo_relaxed, {function, file, line}).high;
    return is_running_in(change::reach_too_short, function, "reach") ? now - 1 : now;
  }

  bool compare_exchange(State expected, State desired, HEIST_MODEL_CALLER) {
    const site here{file, function, line, operation::exchange, std::memory_order_acq_rel};
    word_halves old = pack(expected);
    word_halves to = pack(desired);
    if (is_running(change::stamp_kept) && to.high == old.high) to.low = old.low;
    return halves_.compare_exchange_strong(old, to, to_relacy(effective_order(here)),
                                           {function, file, line}, rl::mo_relaxed, {});
  }

 private:
  static word_halves pack(State s) {
    const heist::deque::packed_words p = s.pack();
    return {p.low, p.high};
  }

  mutable std::uint64_t periods_ = 0;  // no two of a pop's looks alike, for a mutant
  rl::atomic<word_halves> halves_;
};

// The 56 bits of a word: tail 8, split 8, bound 8, tag 32. Two words are equal if all fields are;
// for one mutant all fields except the tag are enough.
struct word_bits {
  std::uint64_t bits = 0;

  friend bool operator==(word_bits a, word_bits b) {
    const std::uint64_t compared =
        is_running(change::tag_not_compared) ? 0xffffff : ~std::uint64_t{0};
    return ((a.bits ^ b.bits) & compared) == 0;
  }
  friend std::ostream& operator<<(std::ostream& out, word_bits w) {
    return out << "{tail " << (w.bits & 0xff) << ", split " << (w.bits >> 8 & 0xff) << ", bound "
               << (w.bits >> 16 & 0xff) << ", tag " << (w.bits >> 24) << '}';
  }
};

// The split deque's word.
template <class State>
class model_split_word {
 public:
  explicit model_split_word(State s) : bits_(pack(s)) {}

  // Two loads, as in the library: tail and split of one moment, bound and tag of a later one.
  State load(HEIST_MODEL_CALLER) const {
    const site here{file, function, line, operation::load, std::memory_order_acquire};
    const rl::memory_order order = to_relacy(effective_order(here));
    const State low = unpack(bits_.load(order, {function, file, line}));
    const State high = unpack(bits_.load(order, {function, file, line}));
    return {low.tail, low.split, high.bound, high.tag};
  }

  bool has_low(State s, HEIST_MODEL_CALLER) const {
    const site here{file, function, line, operation::load, std::memory_order_acquire};
    const rl::memory_order order = to_relacy(effective_order(here));
    if (is_running(change::low_half_once)) return true;
    return unpack(bits_.load(order, {function, file, line})).pack().low == s.pack().low;
  }

  std::uint64_t high(HEIST_MODEL_CALLER) const {
    const State now = unpack(bits_.load(rl::mo_relaxed, {function, file, line}));
    return is_running(change::split_for_bound) ? now.split : now.bound;
  }

  bool compare_exchange(State expected, State desired, HEIST_MODEL_CALLER) {
    const site here{file,
                    function,
                    line,
                    operation::exchange,
                    std::memory_order_acq_rel,
                    desired.tag != expected.tag};
    if (is_running(change::tag_kept, here)) desired.tag = expected.tag;
    word_bits old = pack(expected);
    const bool done =
        bits_.compare_exchange_strong(old, pack(desired), to_relacy(effective_order(here)),
                                      {function, file, line}, rl::mo_relaxed, {});
    if (done) RL_ASSERT(desired.tail <= desired.split && desired.split <= desired.bound);  // I1
    return done;
  }

 private:
  static word_bits pack(State s) {
    return {std::uint64_t{s.tail} | std::uint64_t{s.split} << 8 | std::uint64_t{s.bound} << 16 |
            s.tag << 24};
  }
  static State unpack(word_bits w) {
    return {static_cast<std::uint32_t>(w.bits & 0xff),
            static_cast<std::uint32_t>(w.bits >> 8 & 0xff),
            static_cast<std::uint32_t>(w.bits >> 16 & 0xff), w.bits >> 24 & 0xffffffff};
  }

  rl::atomic<word_bits> bits_;
};

inline void model_fence(const site& here) {
  const std::memory_order order = effective_order(here);
  if (order != std::memory_order_relaxed)
    rl::atomic_thread_fence(to_relacy(order), {here.function, here.file, here.line});
}

template <class State>
struct word_of {
  using type = model_word<State>;
};
template <std::uint32_t Stride>
struct word_of<heist::deque::split_state<Stride>> {
  using type = model_split_word<heist::deque::split_state<Stride>>;
};

struct model_atomics {
  template <class T>
  using atomic = model_atomic<T>;
  template <class State>
  using wide_word = typename word_of<State>::type;

  static void full_fence(HEIST_MODEL_CALLER) {
    model_fence({file, function, line, operation::fence, std::memory_order_seq_cst});
  }

  template <class T>
  static model_atomic<T>* new_slots(std::size_t n) {
    auto* const slots = static_cast<model_atomic<T>*>(arena.take(n * sizeof(model_atomic<T>)));
    for (std::size_t i = 0; i < n; ++i) std::construct_at(slots + i, T{});
    return slots;
  }
  template <class T>
  static void free_slots(model_atomic<T>* slots, std::size_t n) {
    std::destroy_n(slots, n);
    arena.give_back(slots);
  }

  static void light_barrier(HEIST_MODEL_CALLER) {
    if (!settings.fence_in_publish && std::strcmp(function, "publish") == 0) return;
    model_fence({file, function, line, operation::fence, std::memory_order_seq_cst});
  }
};

inline void heavy_barrier() {
  head_looks[rl::thread_index()].repeat = true;
  if (!is_running(change::no_heavy_barrier)) rl::atomic_thread_fence(rl::mo_seq_cst, RL_INFO);
}

}  // namespace heist_model
