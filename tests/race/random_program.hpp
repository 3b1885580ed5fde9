// Random programs: the detector's verdict on each location beside that of brute force, which knows
// of every pair of strands whether they are parallel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <vector>

#include "heist/detail/race.hpp"
#include "heist/detail/xorshift.hpp"

// What the compiler would call.
extern "C" {
void __tsan_read1(void* p);
void __tsan_write1(void* p);
void __tsan_read4(void* p);
void __tsan_write4(void* p);
void __tsan_read8(void* p);
void __tsan_write8(void* p);
std::uint64_t heist_v0_race_detected() noexcept;  // every one, as often as it is found
}

namespace heist_test {

namespace race = heist::detail::race;

constexpr std::size_t bytes_each = 16;  // of a piece of memory

// A part of the program between two points where something begins, ends or is joined. Those that
// precede it are known as numbers.
using strand = std::size_t;

struct access {
  strand in;
  std::size_t piece, first, bytes;
  bool writes;
  std::set<unsigned> locks;
};

// Runs a random program and keeps its graph and its accesses.
class random_program {
 public:
  random_program(std::uint64_t seed, bool locks, bool messages, unsigned char* memory)
      : state_(seed * 0x9E3779B97F4A7C15u + 1), uses_locks_(locks), uses_messages_(messages) {
    for (std::uint64_t& object : objects_) order(object, race::message::made);
    pieces_.push_back({memory, 0});
    before_.emplace_back();
  }

  // One function: its own variable, a construct whose branches it joins, and a scope into what
  // which what it calls may spawn, too.
  [[gnu::noinline]] void run(unsigned depth) {
    alignas(16) unsigned char variable[bytes_each];
    asm volatile("" : : "r"(variable) : "memory");
    pieces_.push_back({variable, ++pieces_made_});
    scopes_.push_back({variable, {}});
    const std::size_t own_scope = scopes_.size() - 1;
    std::uint32_t bag = 0;
    std::vector<strand> ended;
    const unsigned steps = 1 + next(5);
    for (unsigned i = 0; i < steps; ++i) {
      if (uses_messages_ && next(3) == 0) pass_message();
      switch (next(depth == 0 ? 3 : 8)) {
        case 0:
        case 1:
        case 2:
          touch();
          break;
        case 3:
          heist_v0_race_join(&bag);
          join(ended);
          break;
        case 4:
          // A branch is joined before what it has spawned into this scope (docs/checking.md).
          heist_v0_race_join(&bag);
          join(ended);
          join_scope(own_scope);
          break;
        case 5: {
          const std::size_t in = next(static_cast<unsigned>(scopes_.size()));
          const strand from = begin();
          // For the same reason it doesn't spawn into scopes that end before this one.
          const std::vector<open_scope> inner(scopes_.begin() + static_cast<std::ptrdiff_t>(in) + 1,
                                              scopes_.end());
          scopes_.resize(in + 1);
          {
            const race::branch child(scopes_[in].object, race::kind::spawn, nullptr);
            run(depth - 1);
          }
          scopes_[in].ended.push_back(now_);
          scopes_.insert(scopes_.end(), inner.begin(), inner.end());
          go_on(from);
          break;
        }
        default: {
          const strand from = begin();
          {
            const race::branch child(bag, race::kind::spawn, i, nullptr);
            run(depth - 1);
          }
          ended.push_back(now_);
          go_on(from);
        }
      }
    }
    heist_v0_race_join(&bag);
    join(ended);
    join_scope(own_scope);
    scopes_.pop_back();
    pieces_.pop_back();
  }

  [[nodiscard]] bool has_found() const { return has_found_; }
  [[nodiscard]] bool has_race() const {
    for (std::size_t i = 0; i < done_.size(); ++i)
      for (std::size_t k = i + 1; k < done_.size(); ++k)
        if (is_race(done_[i], done_[k])) return true;
    return false;
  }

 private:
  struct piece {
    unsigned char* memory;
    std::size_t number;  // never of two pieces
  };
  struct open_scope {
    const void* object = nullptr;
    std::vector<strand> ended{};
  };

  // ---- The graph. A later strand may follow an earlier one, and never the other way round.
  strand after(std::initializer_list<strand> these) {
    std::vector<bool> all(before_.size());
    for (const strand s : these) add(all, s);
    before_.push_back(std::move(all));
    return before_.size() - 1;
  }
  void add(std::vector<bool>& to, strand s) const {
    for (std::size_t i = 0; i < before_[s].size(); ++i)
      if (before_[s][i]) to[i] = true;
    to[s] = true;
  }
  strand begin() {
    const strand from = now_;
    now_ = after({from});
    return from;
  }
  void go_on(strand from) { now_ = after({from}); }
  void join(std::vector<strand>& ended) {
    now_ = after({now_});
    for (const strand s : ended) add(before_[now_], s);
    ended.clear();
  }
  void join_scope(std::size_t i) {
    heist_v0_race_join_of(scopes_[i].object);
    join(scopes_[i].ended);
  }

  static void order(const std::uint64_t& object, race::message how) {
    heist_v0_race_order(&object, static_cast<unsigned>(how));
  }
  void pass_message() {
    const std::size_t i = next(2);
    std::vector<strand>& items = sent_[i];
    std::vector<strand>& told = told_[i];
    switch (next(4)) {
      case 0:
        order(objects_[i], race::message::sent);
        items.push_back(now_);
        now_ = after({now_});
        break;
      case 1:
        order(objects_[i], race::message::told);
        told.push_back(now_);
        now_ = after({now_});
        break;
      case 2:
        order(objects_[i], race::message::received);
        now_ = after({now_});
        if (items.empty()) break;
        add(before_[now_], items.front());
        items.erase(items.begin());
        break;
      default:
        order(objects_[i], race::message::heard);
        now_ = after({now_});
        for (const strand s : told) add(before_[now_], s);
    }
  }

  [[nodiscard]] bool is_race(const access& a, const access& b) const {
    if (a.piece != b.piece || (!a.writes && !b.writes)) return false;
    if (a.first + a.bytes <= b.first || b.first + b.bytes <= a.first) return false;
    for (const unsigned lock : a.locks)
      if (b.locks.contains(lock)) return false;
    const strand first = a.in < b.in ? a.in : b.in;
    const strand second = a.in < b.in ? b.in : a.in;
    return first != second && !before_[second][first];
  }

  unsigned next(unsigned n) {
    state_ = heist::detail::xorshift(state_);
    return static_cast<unsigned>(state_ >> 33U) % n;
  }

  void touch() {
    // More often of the frames around it than of the memory that all have.
    const piece& p = pieces_[next(static_cast<unsigned>(pieces_.size()))];
    access a{now_, p.number, 0, 0, next(3) == 0, {}};
    if (uses_locks_)
      for (unsigned lock = 0; lock < 3; ++lock)
        if (next(2) == 0) a.locks.insert(lock);
    for (const unsigned lock : a.locks) heist_v0_race_take(&locks_[lock], false);
    constexpr std::size_t sizes[] = {1, 4, 8};
    a.bytes = sizes[next(3)];
    a.first = next(static_cast<unsigned>(bytes_each / a.bytes)) * a.bytes;
    void* const at = p.memory + a.first;
    // Races of this test's own vectors are found, too: its copies are looked at.
    const std::uint64_t before = heist_v0_race_detected();
    switch (a.bytes) {
      case 1:
        a.writes ? __tsan_write1(at) : __tsan_read1(at);
        break;
      case 4:
        a.writes ? __tsan_write4(at) : __tsan_read4(at);
        break;
      default:
        a.writes ? __tsan_write8(at) : __tsan_read8(at);
    }
    has_found_ = has_found_ || heist_v0_race_detected() != before;
    for (const unsigned lock : a.locks) heist_v0_race_drop(&locks_[lock]);
    done_.push_back(std::move(a));
  }

  std::uint64_t state_;
  bool uses_locks_, uses_messages_;
  strand now_ = 0;
  std::vector<std::vector<bool>> before_;  // by strand: which precede it
  std::vector<piece> pieces_;              // of the functions that run, and of all
  std::size_t pieces_made_ = 0;
  std::vector<open_scope> scopes_;
  std::vector<access> done_;
  bool has_found_ = false;
  std::uint64_t locks_[3]{}, objects_[2]{};
  std::vector<strand> sent_[2], told_[2];  // by object
};

}  // namespace heist_test
