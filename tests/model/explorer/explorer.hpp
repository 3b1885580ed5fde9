// Exhaustive search of every state that a model can reach on the machine.
//
// The search is breadth first, so the trace of a violation is one of the shortest. A state is kept
// only as a hash of 128 bits: two states with the same hash would be taken for one. Among n states,
// two share a hash with a probability of about n^2 / 2^129, which is 10^-24 for ten million.
//
// A model is a type with
//
//   own_state, shared_state   what its threads keep between operations, and what only the model
//                             knows; trivially copyable, without padding, zero at the start
//   threads                   how many
//   bool operate(thread, own_state&, shared_state&)   one operation; false: the thread has ended.
//                             Changes to own_state take effect when the operation ends;
//                             shared_state is changed only while live()
//   const char* broken(const node&)     for every state: what is wrong with it, or nullptr
//   const char* wrong_end(const node&)  the same for a state where no thread can make another step
//
// It makes its cells in the constructor, after machine::reset().
#pragma once

#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/model/explorer/machine.hpp"

namespace heist_explorer {

struct hash128 {
  std::uint64_t a;
  std::uint64_t b;
  friend bool operator==(const hash128&, const hash128&) = default;
};

// Takes bytes in any number of pieces, each a multiple of two.
class hasher {
 public:
  void add(const void* bytes, std::size_t size);
  [[nodiscard]] hash128 result() const;

 private:
  void mix(std::uint64_t word);
  std::uint64_t a_ = 0x243f6a8885a308d3;
  std::uint64_t b_ = 0x13198a2e03707344;
};

// A set of hashes, with open addressing.
class visited_set {
 public:
  visited_set();
  bool insert(hash128 h);  // false: it was there already

 private:
  void grow();
  std::vector<hash128> places_;
  std::size_t used_ = 0;
};

template <class Own, class Shared>
struct node {
  machine_state machine;
  std::array<Own, max_threads> own;
  Shared shared;
};

struct result {
  bool complete = false;  // false also if a violation ended the search
  std::size_t states = 0;
  std::size_t steps = 0;
  std::string violation;  // empty: there is none
  std::vector<std::string> trace;
  bool store_waited = false;  // a buffer was full: a larger one might show more

  [[nodiscard]] bool sound() const { return complete && violation.empty() && !store_waited; }
  [[nodiscard]] std::string summary() const;
  [[nodiscard]] std::string told() const;  // with the trace
};

template <class Model>
class explorer {
 public:
  using own_state = typename Model::own_state;
  using shared_state = typename Model::shared_state;
  using state = node<own_state, shared_state>;
  static_assert(std::has_unique_object_representations_v<own_state>);
  static_assert(std::has_unique_object_representations_v<shared_state>);
  static_assert(std::is_trivially_copyable_v<state>);

  explicit explorer(Model& model) : model_(model), machine_(the_machine()) {}

  result run(std::size_t most_states) {
    state first;
    std::memset(static_cast<void*>(&first), 0, sizeof(first));
    first.machine = machine_.first();
    origins_.push_back({});
    seen_.insert(hash_of(first));
    std::vector<std::pair<state, std::uint32_t>> layer{{first, 0}};
    while (!layer.empty()) {
      next_layer_.clear();
      for (const auto& [from, id] : layer) {
        if (!expand(from, id)) return finish(false);
        if (origins_.size() > most_states) return finish(false);
      }
      layer.swap(next_layer_);
    }
    return finish(true);
  }

 private:
  // The transition to a state: a step of a thread, or the draining of one store.
  struct step {
    std::uint32_t before = 0;
    std::uint16_t code = 0;
    std::uint8_t thread = 0;
    bool drains = false;
  };

  // Returns false on a violation.
  bool expand(const state& from, std::uint32_t id) {
    bool moved = false;
    for (unsigned t = 0; t < machine_.threads(); ++t) {
      const thread_state& thread = from.machine.threads[t];
      if (thread.buffered != 0) {
        moved = true;
        if (!follow(from, {id, 0, static_cast<std::uint8_t>(t), true})) return false;
      }
      if (thread.is != status::running) continue;
      for (unsigned code = 0, ways = 1; code < ways; ++code) {
        state to = from;
        const step s{id, static_cast<std::uint16_t>(code), static_cast<std::uint8_t>(t), false};
        if (!apply(to, s, nullptr)) continue;
        ways = ways < machine_.ways() ? machine_.ways() : ways;
        moved = true;
        if (!arrive(to, s)) return false;
      }
    }
    if (moved) return true;
    if (const char* const wrong = model_.wrong_end(from)) return fail(wrong, id);
    return true;
  }

  bool follow(const state& from, step s) {
    state to = from;
    apply(to, s, nullptr);
    return arrive(to, s);
  }

  // Returns false if there is no such step.
  bool apply(state& to, step s, std::string* log) {
    if (s.drains) {
      machine_.drain(to.machine, s.thread, log);
    } else {
      own_state own = to.own[s.thread];
      bool goes_on = true;
      const auto how = machine_.step(to.machine, s.thread, s.code, log,
                                     [&] { goes_on = model_.operate(s.thread, own, to.shared); });
      if (how == machine::stop::blocked || machine_.code_left() != 0) return false;
      if (how == machine::stop::ended) {
        to.own[s.thread] = own;
        if (!goes_on) to.machine.threads[s.thread].is = status::ended;
      }
    }
    machine_.close_stamp_gaps(to.machine);
    return true;
  }

  bool arrive(const state& to, step s) {
    ++result_.steps;
    const char* wrong = s.drains ? nullptr : machine_.failure();
    if (wrong == nullptr && !seen_.insert(hash_of(to))) return true;
    const auto id = static_cast<std::uint32_t>(origins_.size());
    origins_.push_back(s);
    if (wrong == nullptr) wrong = model_.broken(to);
    if (wrong != nullptr) return fail(wrong, id);
    next_layer_.push_back({to, id});
    return true;
  }

  hash128 hash_of(const state& s) const {
    hasher h;
    h.add(s.machine.cells.data(), sizeof(s.machine.cells));
    for (unsigned t = 0; t < machine_.threads(); ++t) {
      const thread_state& thread = s.machine.threads[t];
      h.add(&thread.stamped, 8);  // has the numbers of used entries of the other two
      h.add(thread.buffer.data(), thread.buffered * sizeof(buffered_store));
      h.add(thread.history.data(), thread.answers * sizeof(value));
    }
    h.add(s.own.data(), machine_.threads() * sizeof(own_state));
    h.add(&s.shared, sizeof(s.shared));
    return h.result();
  }

  bool fail(const char* what, std::uint32_t id) {
    result_.violation = what;
    std::vector<step> way;
    for (; id != 0; id = origins_[id].before) way.push_back(origins_[id]);
    state s;
    std::memset(static_cast<void*>(&s), 0, sizeof(s));
    s.machine = machine_.first();
    for (auto one = way.rbegin(); one != way.rend(); ++one) {
      std::string line = "thread " + std::to_string(one->thread) + ' ';
      apply(s, *one, &line);
      result_.trace.push_back(line);
    }
    return false;
  }

  result finish(bool complete) {
    result_.complete = complete;
    result_.states = origins_.size();
    result_.store_waited = machine_.store_waited();
    return result_;
  }

  Model& model_;
  machine& machine_;
  result result_;
  visited_set seen_;
  std::vector<step> origins_;  // of each state, in the order of discovery
  std::vector<std::pair<state, std::uint32_t>> next_layer_;
};

}  // namespace heist_explorer
