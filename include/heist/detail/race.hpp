// The door of the race detector: what a program says of its branches where it is compiled for
// heist race (docs/checking.md), that is with HEIST_RACE defined.
//
// Every construct is a call then: a branch runs where it is begun, in the order of the program's
// serial form, and the detector is told where it begins and ends, and what it is joined with.
// Without HEIST_RACE nothing of this is compiled.
//
// Several branches wait for one join: their bag, a number that the detector keeps for them, lies
// with the one that joins. 0: there are none.
#pragma once

#include <cstdint>

#include "heist/detail/requirements.hpp"
#include "heist/detail/sanitizers.hpp"

extern "C" {
// heist_v0_race_... are defined in libheist-race.so alone. `from`: where the construct is, an
// address in the code. The stack: what lies below is the branch's own.
void heist_v0_race_begin(std::uint32_t* bag, unsigned kind, std::uint64_t index,
                         const void* from) noexcept;
void heist_v0_race_begin_of(const void* object, unsigned kind, const void* from) noexcept;
void heist_v0_race_end() noexcept;
void heist_v0_race_join(std::uint32_t* bag) noexcept;
void heist_v0_race_join_of(const void* object) noexcept;
void heist_v0_race_belongs(const void* object, const void* owner) noexcept;
void heist_v0_race_node(const void* run, std::uint32_t index, const void* from) noexcept;
void heist_v0_race_precedes(const void* run, std::uint32_t before, std::uint32_t after) noexcept;
void heist_v0_race_pipeline(const void* run, const bool* in_order, unsigned stages,
                            std::uint64_t tokens) noexcept;
void heist_v0_race_stage(const void* run, unsigned stage, std::uint64_t item,
                         const void* from) noexcept;
void heist_v0_race_order(const void* object, unsigned how) noexcept;
// The calling thread is about to wait for another one. Doesn't return where there is no other one.
void heist_v0_race_waits() noexcept;
void* heist_v0_race_view(const void* reducer) noexcept;
void heist_v0_race_add_view(const void* reducer, void* view);
void* heist_v0_race_take_view(const void* reducer) noexcept;
void heist_v0_race_take(const void* lock, bool shared) noexcept;
void heist_v0_race_drop(const void* lock) noexcept;
void heist_v0_race_fresh(const void* memory, std::uint64_t bytes) noexcept;
// What the calling thread does until the next call isn't the program's.
void heist_v0_race_away() noexcept;
void heist_v0_race_back() noexcept;
std::uint64_t heist_v0_race_count() noexcept;
const char* heist_v0_race_lines(std::uint64_t i) noexcept;
}

namespace heist::inline v0::detail::race {

enum class kind : unsigned { fork, loop, spawn, task, future, node, stage };

// What an object does for the order of branches: one that has received follows what the one has
// done that sent it, first in, first out; one that has heard follows all that have told.
enum class message : unsigned { made, sent, received, told, heard };

// Where the caller of the inlined construct is.
[[gnu::noinline]] inline const void* here() noexcept { return __builtin_return_address(0); }

// One branch, from here to the end of the object's life. Inline: what lies below the frame that it
// is in is the branch's.
class branch {
 public:
  [[gnu::always_inline]] branch(std::uint32_t& bag, kind k, std::uint64_t index,
                                const void* from) noexcept {
    heist_v0_race_begin(&bag, static_cast<unsigned>(k), index, from);
  }
  [[gnu::always_inline]] branch(const void* object, kind k, const void* from) noexcept {
    heist_v0_race_begin_of(object, static_cast<unsigned>(k), from);
  }
  ~branch() { heist_v0_race_end(); }
  branch(const branch&) = delete;
  branch& operator=(const branch&) = delete;
};

// A lock is taken, or given back. Nothing without HEIST_RACE.
inline void takes([[maybe_unused]] const void* lock,
                  [[maybe_unused]] bool shared = false) noexcept {
#if HEIST_RACE
  heist_v0_race_take(lock, shared);
#endif
}
inline void drops([[maybe_unused]] const void* lock) noexcept {
#if HEIST_RACE
  heist_v0_race_drop(lock);
#endif
}

// What the thread does in its lifetime isn't the program's. Nothing without HEIST_RACE.
class [[maybe_unused]] unseen {
#if HEIST_RACE
 public:
  unseen() noexcept { heist_v0_race_away(); }
  ~unseen() { heist_v0_race_back(); }
  unseen(const unseen&) = delete;
  unseen& operator=(const unseen&) = delete;
#endif
};

// Nothing without HEIST_RACE.
inline void order([[maybe_unused]] const void* object, [[maybe_unused]] message how) noexcept {
#if HEIST_RACE
  heist_v0_race_order(object, static_cast<unsigned>(how));
#endif
}

// Joins the branches of `object` at the end of its own life. Nothing without HEIST_RACE.
class joined_at_end {
 public:
  explicit joined_at_end([[maybe_unused]] const void* object) noexcept
#if HEIST_RACE
      : object_(object)
#endif
  {
  }
#if HEIST_RACE
  ~joined_at_end() { heist_v0_race_join_of(object_); }
  joined_at_end(const joined_at_end&) = delete;
  joined_at_end& operator=(const joined_at_end&) = delete;

 private:
  const void* object_;
#endif
};

inline void joins([[maybe_unused]] const void* object) noexcept {
#if HEIST_RACE
  heist_v0_race_join_of(object);
#endif
}

// For the race detector algorithms run as two workers would run them.
[[gnu::always_inline]] inline unsigned seen_workers(unsigned workers) noexcept {
  return HEIST_RACE && workers == 1 ? 2 : workers;
}

// What a loop's body does stays between two of these, with the line where it is written. Nothing
// without HEIST_RACE.
[[gnu::always_inline]] inline void keep_apart() noexcept {
#if HEIST_RACE
  asm volatile("" ::: "memory");
#endif
}

// Each branch runs with a frame of its own: two that were inlined in one would share the memory of
// their variables. And what a branch reads in its parent's frame must stay as it is until the join,
// so numbers are passed by value, and closures that are gone before the join are moved to the
// branch's own frame.
template <class F>
[[gnu::noinline]] void call_apart(F& f) {
  f();
}

// f makes the result in the block of that future.
template <class F, class Block>
[[gnu::noinline]] void call_with(Block& b) noexcept {
  F()(b);
}
template <class F, class Block>
[[gnu::always_inline]] inline void make_result([[maybe_unused]] const void* future, Block& b,
                                               [[maybe_unused]] F f) noexcept {
#if HEIST_RACE
  heist_v0_race_begin_of(future, static_cast<unsigned>(kind::future), here());
  call_with<F>(b);
  heist_v0_race_order(future, static_cast<unsigned>(message::told));
  heist_v0_race_end();
#else
  f(b);
#endif
}

// Branches of one construct, joined at the end of the object's life.
class branches {
 public:
  explicit branches(const void* from) noexcept : from_(from) {}
  ~branches() { heist_v0_race_join(&bag_); }
  branches(const branches&) = delete;
  branches& operator=(const branches&) = delete;

  // f has to live until the join.
  template <class F>
  void run(kind k, std::uint64_t index, F& f) {
    const branch in(bag_, k, index, from_);
    call_apart(f);
  }

 private:
  const void* from_;
  std::uint32_t bag_ = 0;
};

// The passage of an item through a stage of the pipeline `run`, by a caller that is unseen. `out`,
// and f itself, lie where something else may have lain for an earlier item.
template <class Out, class F>
void run_stage(const void* run, unsigned stage, std::uint64_t item, const void* from, Out& out,
               F&& f) {
  struct passage {
    ~passage() {
      heist_v0_race_end();
      heist_v0_race_away();
    }
  };
  heist_v0_race_back();
  heist_v0_race_fresh(&out, sizeof(out));
  heist_v0_race_fresh(&f, sizeof(f));
  heist_v0_race_stage(run, stage, item, from);
  const passage in;
  call_apart(f);
}

template <class Work>
[[gnu::noinline]] bool call_iteration(const Work& work, std::uint64_t i) {
  if constexpr (requires { work(i, i + 1) ? 0 : 1; }) {
    return work(i, i + 1);
  } else {
    work(i, i + 1);
    return true;
  }
}

// A loop over [0, n) of work(first, last), each iteration a branch. work may return bool: false
// leaves the later ones out.
template <class Work>
void each(std::uint64_t n, const Work& work, const void* from) {
  std::uint32_t bag = 0;
  struct joined {
    std::uint32_t& bag;
    ~joined() { heist_v0_race_join(&bag); }
  } const at_the_end{bag};
  bool goes_on = true;
  for (std::uint64_t i = 0; i < n && goes_on; ++i) {
    const branch in(bag, kind::loop, i, from);
    goes_on = call_iteration(work, i);
  }
}

// Moves the closure as nobody's, and calls it.
template <class F, class... Arguments>
[[gnu::noinline]] decltype(auto) call_moved(F& f, Arguments&&... arguments) {
  heist_v0_race_away();
  F own(static_cast<F&&>(f));
  heist_v0_race_back();
  return static_cast<F&&>(own)(static_cast<Arguments&&>(arguments)...);
}

// The caller's function, which may run later or elsewhere, as a branch that `object` joins.
template <class F>
struct task_of {
  const void* object;
  kind what;
  const void* from;
  F function;

  template <class... Arguments>
  [[gnu::noinline]] decltype(auto) operator()(Arguments&&... arguments) {
    const branch in(object, what, from);
    return call_moved(function, static_cast<Arguments&&>(arguments)...);
  }
};

}  // namespace heist::inline v0::detail::race
