// A machine of a few words and a few threads. The explorer makes all its choices.
//
// The machine is x86's as its users may know it (x86-TSO: Sewell, Sarkar, Owens, Zappa Nardelli and
// Myreen, 2010): a store goes into its thread's buffer, first in first out; a load finds the newest
// store to its word in its own buffer, or else in memory; a locked instruction and a fence need an
// empty buffer. The explorer chooses when a buffer drains, one store at a time. With `sc` there are
// no buffers.
//
// membarrier(2) does exactly what it promises: it is a fence for its caller, and between its call
// and its return every other thread has had an empty buffer at some moment. The moments may differ.
//
// Programs are ordinary functions, for instance those of the library's headers, whose atomics call
// this machine. One step of a thread runs up to its second atomic action and then leaves by
// longjmp: it does one action, and the local computation around it. The next step runs the
// operation again from its start, and actions done before are answered from the thread's history.
// The history alone therefore describes how far the thread is in its operation; it is cleared when
// the operation ends. In return a program must be a function of the answers, own nothing with a
// destructor, and change data shared outside the machine only while live().
//
// One thread of the computer writes everything; the threads of the machine are data.
#pragma once

#include <array>
#include <csetjmp>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace heist_explorer {

using value = std::uint16_t;

constexpr unsigned max_threads = 4;
constexpr unsigned max_cells = 16;
constexpr unsigned max_buffered = 24;  // stores; a store beyond that waits
constexpr unsigned max_answers = 28;   // actions of one operation

enum class memory { sc, tso };

enum class status : std::uint8_t { running, parked, ended };

struct buffered_store {
  value cell;
  value stored;
};

// Everything that is unused is zero, so that equal states are equal bytes.
struct thread_state {
  std::uint32_t stamped;  // a bit for each answer that is of a stamped cell
  std::uint8_t buffered;
  std::uint8_t answers;
  std::uint8_t awaited;  // in a membarrier: a bit for each thread whose buffer was never empty
  status is;
  std::array<buffered_store, max_buffered> buffer;  // the oldest first
  std::array<value, max_answers> history;           // the answers of the operation's actions
};

struct machine_state {
  std::array<value, max_cells> cells;
  std::array<thread_state, max_threads> threads;
};

// A stamped cell has a number that only grows in its upper 12 bits.
constexpr unsigned stamp_shift = 4;

class machine {
 public:
  using describe = std::string (*)(value);
  enum class stop { ended, acted, blocked };

  // ---- Before an exploration.

  void reset(memory kind, unsigned threads);
  unsigned add_cell(value first, describe how, bool stamped = false);
  void name_cells(std::initializer_list<const char*> names);
  [[nodiscard]] const machine_state& first() const { return first_; }
  [[nodiscard]] unsigned threads() const { return threads_; }

  // ---- For the explorer.

  // One step of a thread in `s`. `code` numbers the ways to choose; see ways() and code_left().
  template <class Operation>
  stop step(machine_state& s, unsigned thread, unsigned code, std::string* log,
            Operation&& operation) {
    begin(s, thread, code, log);
    const stop how = run(operation);
    if (how == stop::ended) forget();
    return how;
  }
  void drain(machine_state& s, unsigned thread, std::string* log);
  [[nodiscard]] unsigned ways() const { return ways_; }       // there are at least that many codes
  [[nodiscard]] unsigned code_left() const { return code_; }  // not 0: another code is equivalent
  [[nodiscard]] const char* failure() const { return failure_; }     // of the last step
  [[nodiscard]] bool store_waited() const { return store_waited_; }  // for a full buffer, ever

  // The number in a stamped cell matters only for which values are equal and which comes next, so
  // states that differ in nothing else are one state: the gaps between the numbers in use are
  // closed. A gap of one remains, because an operation may hold a number and the next one.
  void close_stamp_gaps(machine_state& s) const;

  // ---- For programs: actions. Each is one step.

  value load(unsigned cell, const char* who);
  void store(unsigned cell, value v, const char* who);
  // Replaces the word by change(word) and returns its old value.
  template <class Change>
  value modify(unsigned cell, const char* who, Change&& change) {
    return act(true, [&] {
      const value old = state_->cells[cell];
      write(cell, static_cast<value>(change(old)), who);
      return old;
    });
  }
  // The exchange of a loop that has just loaded the word and keeps nothing else from one round to
  // the next. If it fails, the thread is in the same place, with the word's new value as the load's
  // answer.
  bool exchange_in_loop(unsigned cell, value expected, value desired, const char* who);
  // Two neighbouring cells as one. `rounds` tells whether it ends the round of a loop that began
  // with their two loads and keeps nothing; if it fails, the thread is before these loads again.
  enum class rounds : std::uint8_t { one, many };
  bool exchange_pair(unsigned cell, std::array<value, 2> expected, std::array<value, 2> desired,
                     rounds how_many, const char* who);
  void fence(const char* who);
  void membarrier();
  // The futex compares and parks in one step. It is a system call, so the buffer is empty.
  void park_if(unsigned cell, value seen);
  void wake_one();
  // Evaluates something that is not in the machine's memory, as one step.
  template <class Question>
  value observe(Question&& question) {
    return act(false, [&] { return static_cast<value>(question()); });
  }

  // ---- For programs: the rest. None is a step of its own.

  // One of 0 .. among-1, chosen by the explorer. Call it before an action; it belongs to the same
  // step.
  unsigned choose(unsigned among);
  // Whether the current code has not run in an earlier step.
  [[nodiscard]] bool live() const { return acted_; }
  void check(bool condition, const char* otherwise);
  // Says for traces what the operation is about to do.
  void say(const char* what, unsigned number);
  [[nodiscard]] bool at_first_action() const { return cursor_ == 0; }
  // Zero at the start of each step. The changed atomics of an operation keep their state here.
  std::array<value, 4> scratch{};

 private:
  [[nodiscard]] thread_state& me() const { return state_->threads[thread_]; }

  void begin(machine_state& s, unsigned thread, unsigned code, std::string* log);
  void forget();

  // The only frame that is jumped to; it has no locals of its own.
  template <class Operation>
  [[gnu::noinline]] stop run(Operation& operation) {
    switch (setjmp(start_)) {
      case 0:
        operation();
        return stop::ended;
      case 1:
        return stop::acted;
      default:
        return stop::blocked;
    }
  }
  [[noreturn]] void leave(stop how) { std::longjmp(start_, how == stop::acted ? 1 : 2); }

  template <class Action>
  value act(bool needs_empty_buffer, Action&& action, bool stamped = false) {
    if (cursor_ < me().answers) return me().history[cursor_++];
    if (acted_) leave(stop::acted);
    if (needs_empty_buffer && me().buffered != 0) leave(stop::blocked);
    const value answer = action();
    acted_ = true;
    remember(answer, stamped);
    return answer;
  }
  void remember(value answer, bool stamped);
  void forget_last(unsigned count);
  unsigned pick(unsigned among);
  void write(unsigned cell, value v, const char* who);
  void buffer_became_empty(machine_state& s, unsigned thread);
  void tell(const std::string& what);
  [[nodiscard]] std::string shown(unsigned cell, value v) const;

  struct cell_info {
    std::string name;
    describe how;
    bool stamped;
  };
  memory kind_ = memory::tso;
  unsigned threads_ = 0;
  std::vector<cell_info> infos_;
  machine_state first_{};
  bool store_waited_ = false;

  // The state of the running step.
  std::jmp_buf start_{};
  machine_state* state_ = nullptr;
  unsigned thread_ = 0;
  unsigned cursor_ = 0;  // the next answer of the history
  unsigned code_ = 0;
  unsigned ways_ = 1;
  bool acted_ = false;
  const char* failure_ = nullptr;
  std::string* log_ = nullptr;
};

// The machine that runs; the programs' atomics find it here.
machine& the_machine();

std::string as_number(value v);

}  // namespace heist_explorer
