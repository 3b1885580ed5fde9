// An owner and one or two thieves on any work-stealing deque, as Relacy's test suite.
//
// The suite checks that every item is taken exactly once or is still in a deque at the end; that
// the one that takes an item reads what its pusher wrote before the push, without a data race; that
// the contents of a slot that was never written are not taken (they are 0); that no array is used
// after it was freed; that a deque answers full only if it cannot grow and holds as many items as
// its capacity; and that it does not answer empty to a thread that knows of an item which nobody
// takes.
#pragma once

#include "tests/model/relacy.hpp"

#include "heist/deque/concept.hpp"
#include "tests/model/model.hpp"
#include "tests/model/seam.hpp"
#include "tests/model/simulate.hpp"

namespace heist_model {

constexpr unsigned max_queue_items = 32;
constexpr unsigned max_queue_threads = 3;

// The item is a number from 1 on; 0 is the poison.
using queue_item = std::uint64_t;

// The steps of each thread, one letter for each; a step that is not possible is skipped. The first
// thread is the owner. A thief has a deque of its own if it can steal several items at once into
// it.
//   with its own deque   p push, o pop, * pop until nothing is left, h shrink to fit
//                        x expose all
//   with the owner's     s steal, b steal several, e expose; the owner steals from the first thief
//   both                 ? any of what it may, as Relacy chooses
//   knowledge            n the owner tells how many items it has pushed, k steal knowing that
struct queue_script {
  const char* name;
  std::size_t capacity;
  std::array<const char*, max_queue_threads> steps;
  const char* owner_may = "po";
  const char* thieves_may = "s";
};

// Relacy constructs the suite, so the suite finds its script here.
inline const queue_script* running_queue_script = nullptr;

template <class Deque, unsigned Threads>
class queue_model {
 public:
  queue_model() : play_(*running_queue_script), told_(0) {
    arena.start_schedule();
    void* place = memory_;
    std::size_t space = sizeof(memory_);
    std::align(alignof(Deque), sizeof(Deque) * deques, place, space);
    deques_ = static_cast<Deque*>(place);
    for (unsigned i = 0; i < deques; ++i) std::construct_at(deques_ + i, play_.capacity);
  }
  ~queue_model() { std::destroy_n(deques_, deques); }
  queue_model(const queue_model&) = delete;
  queue_model& operator=(const queue_model&) = delete;

  void run(unsigned thread) {
    for (const char* step = play_.steps[thread]; *step != 0; ++step) {
      const char* const may = thread == 0 ? play_.owner_may : play_.thieves_may;
      take_step(thread,
                *step == '?' ? may[rl::rand(static_cast<unsigned>(std::strlen(may)))] : *step);
    }
  }

  // After all threads have ended: the items that nobody has taken are still there, and nothing
  // else.
  void check_rest() {
    for (unsigned i = 0; i < deques; ++i) {
      while (pop(i)) {
      }
      RL_ASSERT(deques_[i].thief().steal().result == heist::deque::steal_result::empty);
    }
    for (unsigned id = 1; id <= pushed_; ++id) RL_ASSERT(taken_[id]);
  }

 private:
  static constexpr bool batched = heist::deque::batched_deque<Deque>;
  static constexpr unsigned deques = batched ? Threads : 1;
  static constexpr bool grows = requires(Deque& d) { d.owner().shrink_to_fit(); };
  static constexpr bool has_private = requires(Deque& d) { d.owner().expose_all(); };

  void take_step(unsigned thread, char step) {
    const bool has_own = thread < deques;
    const unsigned victim = thread == 0 ? 1 : 0;
    if (step == 'p' && has_own && pushed_ + 1 < max_queue_items) push(thread);
    if (step == 'o' && has_own) pop(thread);
    if (step == '*' && has_own) {
      while (pop(thread)) {
      }
    }
    if constexpr (grows) {
      if (step == 'h' && has_own) deques_[thread].owner().shrink_to_fit();
    }
    if (step == 's' && victim < deques) steal(victim, 0);
    if (step == 'k' && victim < deques) steal(victim, told_.load(rl::mo_acquire, RL_INFO));
    if (step == 'n') told_.store(pushed_, rl::mo_release, RL_INFO);
    if constexpr (has_private) {
      if (step == 'x' && has_own) deques_[thread].owner().expose_all();
      if (step == 'e' && victim < deques) {
        head_looks[thread] = {};
        deques_[victim].thief().expose(heavy_barrier);
      }
    }
    if constexpr (batched) {
      if (step == 'b' && victim < deques) steal_several(thread, victim);
    }
  }

  void push(unsigned own) {
    const unsigned id = ++pushed_;
    contents_[id](RL_INFO) = id;
    if (deques_[own].owner().push(id) == heist::deque::push_result::ok) {
      ++put_[own];
    } else {
      RL_ASSERT(!grows && put_[own] >= play_.capacity);
      take(id);
    }
  }

  bool pop(unsigned own) {
    ++under_way_;
    const std::optional<queue_item> id = deques_[own].owner().pop();
    if (id) take(*id);
    --under_way_;
    if (!id) return false;
    --put_[own];
    return true;
  }

  // `known` is the number of items that were certainly pushed.
  void steal(unsigned victim, unsigned known) {
    ++under_way_;
    const auto answer = deques_[victim].thief().steal();
    if (answer.result == heist::deque::steal_result::taken) take(read_late(answer.item));
    --under_way_;
    if (answer.result != heist::deque::steal_result::empty) return;
    unsigned left = 0;
    for (unsigned id = 1; id <= known; ++id) left += taken_[id] ? 0 : 1;
    RL_ASSERT(left <= under_way_);  // a thread may have taken one and not reported it yet
  }

  void steal_several(unsigned thread, unsigned victim) {
    ++under_way_;
    auto own = deques_[thread].owner();
    const auto answer = deques_[victim].thief().steal_into(own);
    if (answer.result == heist::deque::steal_result::taken) {
      take(answer.item);
      put_[thread] += static_cast<unsigned>(answer.kept);
    }
    --under_way_;
  }

  void take(queue_item id) {
    RL_ASSERT(id != 0 && id <= pushed_);
    RL_ASSERT(!taken_[id]);
    taken_[id] = true;
    RL_ASSERT(contents_[id](RL_INFO) == id);
  }

  const queue_script& play_;
  char memory_[sizeof(Deque) * deques + alignof(Deque)];
  Deque* deques_;
  rl::atomic<unsigned> told_;
  rl::var<unsigned> contents_[max_queue_items];
  bool taken_[max_queue_items] = {};
  unsigned pushed_ = 0;                   // the newest item
  unsigned put_[max_queue_threads] = {};  // into each deque, less what its owner popped
  unsigned under_way_ = 0;                // threads that may have an item not yet in taken_
};

template <class Deque, rl::thread_id_t Threads>
class queue_suite : public rl::test_suite<queue_suite<Deque, Threads>, Threads> {
 public:
  void thread(unsigned index) { model_.run(index); }
  void after() { model_.check_rest(); }

 private:
  queue_model<Deque, Threads> model_;
};

struct searched_queue_script {
  plan usual;
  queue_script play;
};

inline unsigned threads_of(const queue_script& play) { return *play.steps[2] == 0 ? 2 : 3; }

template <class Deque>
outcome run_queue(const queue_script& play, const plan& p) {
  running_queue_script = &play;
  return threads_of(play) == 2 ? simulate<queue_suite<Deque, 2>>(p)
                               : simulate<queue_suite<Deque, 3>>(p);
}

// `scripts` must live as long as the family.
template <class Deque, std::size_t N>
family queue_family(const char* name, std::vector<std::string> headers,
                    const searched_queue_script (&scripts)[N]) {
  family f{name, std::move(headers), {}};
  for (const searched_queue_script& s : scripts)
    f.models.push_back({f.name, s.play.name, threads_of(s.play), s.play.capacity, s.usual,
                        [&s](const plan& p) { return run_queue<Deque>(s.play, p); }});
  return f;
}

}  // namespace heist_model
