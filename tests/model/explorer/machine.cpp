#include "tests/model/explorer/machine.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace heist_explorer {

namespace {

// Otherwise the exploration would be wrong without any message.
void require(bool holds, const char* otherwise) {
  if (holds) return;
  std::fprintf(stderr, "explorer: %s\n", otherwise);
  std::abort();
}

// g++ appends the template arguments to a function's name.
std::string named(const char* who) {
  const std::string name = who;
  return name.substr(0, name.find('<'));
}

}  // namespace

machine& the_machine() {
  static machine one;
  return one;
}

std::string as_number(value v) { return std::to_string(v); }

// ---- Before an exploration.

void machine::reset(memory kind, unsigned threads) {
  require(threads <= max_threads, "more than max_threads");
  kind_ = kind;
  threads_ = threads;
  infos_.clear();
  first_ = {};
  store_waited_ = false;
}

unsigned machine::add_cell(value first, describe how, bool stamped) {
  const auto cell = static_cast<unsigned>(infos_.size());
  require(cell < max_cells, "more than max_cells");
  infos_.push_back({"cell " + std::to_string(cell), how, stamped});
  first_.cells[cell] = first;
  return cell;
}

void machine::name_cells(std::initializer_list<const char*> names) {
  require(names.size() <= infos_.size(), "more names than cells");
  auto info = infos_.begin();
  for (const char* const name : names) (info++)->name = name;
}

// ---- For the explorer.

void machine::begin(machine_state& s, unsigned thread, unsigned code, std::string* log) {
  state_ = &s;
  thread_ = thread;
  cursor_ = 0;
  code_ = code;
  ways_ = 1;
  acted_ = false;
  failure_ = nullptr;
  log_ = log;
  scratch = {};
}

void machine::forget() {
  std::fill_n(me().history.begin(), me().answers, value{0});
  me().answers = 0;
  me().stamped = 0;
}

void machine::drain(machine_state& s, unsigned thread, std::string* log) {
  begin(s, thread, 0, log);
  const buffered_store oldest = me().buffer[0];
  std::shift_left(me().buffer.begin(), me().buffer.begin() + me().buffered, 1);
  me().buffer[--me().buffered] = {};
  s.cells[oldest.cell] = oldest.stored;
  tell("its buffered store reaches memory: " + shown(oldest.cell, oldest.stored));
  if (me().buffered == 0) buffer_became_empty(s, thread);
}

// A membarrier may count this moment. No behaviour is lost if it does so at once, because a caller
// that still waits for a thread can do less than one that does not.
void machine::buffer_became_empty(machine_state& s, unsigned thread) {
  for (thread_state& t : s.threads) t.awaited &= static_cast<std::uint8_t>(~(1u << thread));
}

void machine::close_stamp_gaps(machine_state& s) const {
  std::array<value*, max_cells + max_threads * max_answers> holders;  // the first `count`
  std::size_t count = 0;
  for (unsigned cell = 0; cell < infos_.size(); ++cell)
    if (infos_[cell].stamped) holders[count++] = &s.cells[cell];
  if (count == 0) return;
  for (thread_state& t : s.threads)
    for (unsigned i = 0; i < t.answers; ++i)
      if ((t.stamped >> i & 1) != 0) holders[count++] = &t.history[i];
  const auto end = holders.begin() + static_cast<std::ptrdiff_t>(count);
  const auto stamp = [](const value* v) { return static_cast<unsigned>(*v) >> stamp_shift; };
  std::sort(holders.begin(), end,
            [&](const value* a, const value* b) { return stamp(a) < stamp(b); });
  unsigned before = 0;  // the previous holder's old and new number
  unsigned now = 0;
  for (auto holder = holders.begin(); holder != end; ++holder) {
    const unsigned old = stamp(*holder);
    now += holder == holders.begin() ? 0 : std::min(old - before, 2u);
    before = old;
    **holder = static_cast<value>((**holder & ((1u << stamp_shift) - 1)) | now << stamp_shift);
  }
}

// ---- Actions.

void machine::remember(value answer, bool stamped) {
  thread_state& t = me();
  require(t.answers < max_answers, "more than max_answers actions in one operation");
  if (stamped) t.stamped |= 1u << t.answers;
  t.history[t.answers++] = answer;
  ++cursor_;
}

void machine::write(unsigned cell, value v, const char* who) {
  state_->cells[cell] = v;
  if (log_ != nullptr) tell(named(who) + ": locked change of " + shown(cell, v));
}

void machine::forget_last(unsigned count) {
  thread_state& t = me();
  for (; count != 0; --count, --cursor_) {
    t.history[--t.answers] = 0;
    t.stamped &= ~(1u << t.answers);
  }
}

value machine::load(unsigned cell, const char* who) {
  return act(
      false,
      [&] {
        value v = state_->cells[cell];
        for (unsigned i = 0; i < me().buffered; ++i)
          if (me().buffer[i].cell == cell) v = me().buffer[i].stored;
        if (log_ != nullptr) tell(named(who) + ": loads " + shown(cell, v));
        return v;
      },
      infos_[cell].stamped);
}

void machine::store(unsigned cell, value v, const char* who) {
  act(false, [&]() -> value {
    if (kind_ == memory::sc) {
      state_->cells[cell] = v;
    } else {
      if (me().buffered == max_buffered) {
        store_waited_ = true;
        leave(stop::blocked);
      }
      me().buffer[me().buffered++] = {static_cast<value>(cell), v};
    }
    if (log_ != nullptr) tell(named(who) + ": stores " + shown(cell, v));
    return 0;
  });
}

bool machine::exchange_in_loop(unsigned cell, value expected, value desired, const char* who) {
  const value old = act(true, [&] {
    const value before = state_->cells[cell];
    if (before == expected)
      write(cell, desired, who);
    else if (log_ != nullptr)
      tell(named(who) + ": compare_exchange fails on " + shown(cell, before));
    return before;
  });
  if (old == expected) return true;
  require(me().answers >= 2 && me().history[me().answers - 2u] == expected,
          "an exchange in a loop isn't preceded by its load");
  forget_last(2);
  remember(old, infos_[cell].stamped);
  leave(stop::acted);
}

bool machine::exchange_pair(unsigned cell, std::array<value, 2> expected,
                            std::array<value, 2> desired, rounds how_many, const char* who) {
  const bool done = act(true, [&]() -> value {
                      auto& cells = state_->cells;
                      const bool same =
                          cells[cell] == expected[0] && cells[cell + 1] == expected[1];
                      if (same) {
                        cells[cell] = desired[0];
                        cells[cell + 1] = desired[1];
                      }
                      if (log_ != nullptr)
                        tell(named(who) + (same ? ": exchange, now " : ": exchange fails on ") +
                             shown(cell, cells[cell]) + ", " + shown(cell + 1, cells[cell + 1]));
                      return same;
                    }) != 0;
  if (done || how_many == rounds::one) return done;
  require(me().answers >= 3 && me().history[me().answers - 3u] == expected[0] &&
              me().history[me().answers - 2u] == expected[1],
          "an exchange in a loop isn't preceded by its loads");
  forget_last(3);
  leave(stop::acted);
}

void machine::fence(const char* who) {
  if (kind_ == memory::sc) return;
  const auto told = [&]() -> value {
    if (log_ != nullptr) tell(" " + named(who) + ": fence");
    return 0;
  };
  // With an empty buffer this has no visible effect, so it is part of the step before it.
  if (live() && cursor_ == me().answers && me().buffered == 0)
    remember(told(), false);
  else
    act(true, told);
}

void machine::membarrier() {
  if (kind_ == memory::sc) return;
  const bool waits = act(true, [&]() -> value {
                       for (unsigned t = 0; t < threads_; ++t)
                         if (state_->threads[t].buffered != 0)
                           me().awaited |= static_cast<std::uint8_t>(1u << t);
                       if (log_ != nullptr) tell("membarrier begins");
                       return me().awaited != 0;
                     }) != 0;
  if (!waits) return;
  act(true, [&]() -> value {
    if (me().awaited != 0) leave(stop::blocked);
    if (log_ != nullptr) tell("membarrier returns");
    return 0;
  });
}

void machine::park_if(unsigned cell, value seen) {
  act(true, [&]() -> value {
    const bool parks = state_->cells[cell] == seen;
    if (parks) me().is = status::parked;
    if (log_ != nullptr)
      tell(parks ? "parks" : "doesn't park: " + shown(cell, state_->cells[cell]));
    return 0;
  });
  if (me().is == status::parked) leave(stop::acted);  // the rest runs when it is awake again
}

void machine::wake_one() {
  act(true, [&]() -> value {
    std::array<unsigned, max_threads> parked{};
    unsigned count = 0;
    for (unsigned t = 0; t < threads_; ++t)
      if (state_->threads[t].is == status::parked) parked[count++] = t;
    if (count == 0) {
      tell("wakes nobody");
      return 0;
    }
    const unsigned woken = parked[pick(count)];
    state_->threads[woken].is = status::running;
    if (log_ != nullptr) tell("wakes thread " + std::to_string(woken));
    return 0;
  });
}

// ---- The rest.

unsigned machine::choose(unsigned among) {
  if (among <= 1) return 0;
  if (cursor_ < me().answers) return me().history[cursor_++];
  if (acted_) leave(stop::acted);
  const unsigned chosen = pick(among);
  remember(static_cast<value>(chosen), false);
  return chosen;
}

unsigned machine::pick(unsigned among) {
  const unsigned chosen = code_ % among;
  code_ /= among;
  ways_ *= among;
  return chosen;
}

void machine::check(bool condition, const char* otherwise) {
  if (!condition && live()) failure_ = otherwise;
}

void machine::say(const char* what, unsigned number) {
  if (log_ != nullptr && me().answers == cursor_ && !acted_)
    *log_ += std::string("[") + what + ' ' + std::to_string(number) + "] ";
}

void machine::tell(const std::string& what) {
  if (log_ != nullptr) *log_ += what;
}

std::string machine::shown(unsigned cell, value v) const {
  return infos_[cell].name + " = " + infos_[cell].how(v);
}

}  // namespace heist_explorer
