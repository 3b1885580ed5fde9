// The programs that run on rows of jobs (job_row.hpp): an owner that adds jobs to a row which lies
// on a deque, takes them off again and pops the row, and a thief that steals it meanwhile.
//
// The deque is one word, which the one that gets the entry exchanges. Each job is a plain variable
// that the owner writes before it adds the job: if it is run without that, or twice, this is a data
// race or a failed assertion.
#include "tests/model/relacy.hpp"

#include <array>
#include <cstdint>

#include "heist/detail/ordered_end.hpp"
#include "tasks/job_row.hpp"
#include "tests/model/seam.hpp"
#include "tests/model/simulate.hpp"

namespace heist_model {

namespace {

struct model_job {
  rl::var<int> work;
  unsigned ran = 0;

  void run() {
    RL_ASSERT(work(RL_INFO) == 1);
    ++ran;
  }
};

// First: how many jobs the row has when it is pushed. More: how many are added.
template <unsigned First, unsigned More, bool Closes>
class row_model {
 public:
  void run_owner() {
    for (unsigned i = 0; i < First; ++i) jobs_[i].work(RL_INFO) = 1;
    entry_.store(on_deque, std::memory_order_release);
    bool is_ours = true;
    for (unsigned i = First; i < First + More; ++i) {
      jobs_[i].work(RL_INFO) = 1;
      is_ours = is_ours && row_.add();
      if (!is_ours) jobs_[i].run();
    }
    if (Closes)
      row_.close();
    else
      while (model_job* const j = row_.take()) j->run();
    std::uint32_t seen = on_deque;
    if (!entry_.compare_exchange_strong(seen, taken, std::memory_order_acq_rel,
                                        std::memory_order_relaxed))
      return;
    for (std::uint64_t i = 0; i < row_.length(); ++i) row_.oldest()[i].run();
  }

  void run_thief() {
    std::uint32_t seen = on_deque;
    if (!entry_.compare_exchange_strong(seen, taken, std::memory_order_acq_rel,
                                        std::memory_order_relaxed))
      return;
    const std::uint64_t length = row_.claim(heavy_barrier);
    for (std::uint64_t i = 0; i < length; ++i) row_.oldest()[i].run();
  }

  void check_rest() const {
    for (const model_job& j : jobs_) RL_ASSERT(j.ran == 1);  // W1
  }

 private:
  static constexpr std::uint32_t none = 0, on_deque = 1, taken = 2;

  std::array<model_job, First + More> jobs_;
  heist::detail::basic_job_row<model_job, model_atomics> row_{jobs_.data(), First, true};
  model_atomic<std::uint32_t> entry_{none};
};

template <unsigned First, unsigned More, bool Closes>
class row_suite : public rl::test_suite<row_suite<First, More, Closes>, 2> {
 public:
  void thread(unsigned index) { index == 0 ? model_.run_owner() : model_.run_thief(); }
  void after() { model_.check_rest(); }

 private:
  row_model<First, More, Closes> model_;
};

struct searched {
  const char* name;
  plan usual;
  outcome (*run)(const plan&);
};

const searched programs[] = {
    {"row_grows", {search::exhaustive}, simulate<row_suite<1, 2, true>>},
    {"row_shrinks", {search::exhaustive}, simulate<row_suite<3, 0, false>>},
    {"row_grows_and_shrinks", {search::bounded, 4}, simulate<row_suite<1, 2, false>>},
};

}  // namespace

family rows_family() {
  family f{"rows", {"job_row.hpp"}, {}};
  for (const searched& s : programs) f.models.push_back({f.name, s.name, 2, 1, s.usual, s.run});
  return f;
}

// ----
// The programs that run on the end of a pipeline (ordered_end.hpp): carriers bring items, and each
// must be taken once, in order.
//
// What the stage does is a plain variable, and so is what a slot holds: if two run the stage at the
// same time, or an item is taken before it lies there, this is a data race or a failed assertion.

namespace {

// Carrier c brings the items c, c + Carriers, and so on.
template <unsigned Carriers, unsigned Items, unsigned Tokens>
class end_program {
 public:
  end_program() { came_(RL_INFO) = 0; }

  void carry(unsigned from) {
    for (std::uint64_t n = from; n < Items; n += Carriers) {
      // As pipeline_crew::has_room().
      while (n >= turn_.load(std::memory_order_acquire) + Tokens) rl::yield(1, RL_INFO);
      pass(n);
    }
  }
  void check_rest() {
    RL_ASSERT(came_(RL_INFO) == Items);
    RL_ASSERT(turn_.load(std::memory_order_relaxed) == Items);
  }

 private:
  struct item {
    rl::var<std::uint64_t> number;
  };

  void pass(std::uint64_t n) {
    if (end_.has_turn(n)) {
      run_stage(n);
    } else {
      end_[n].number(RL_INFO) = n + 1;
      if (!end_.lay_down(n)) return;
      take(n);
    }
    while (end_.go_on_to(++n)) take(n);
  }
  void take(std::uint64_t n) {
    RL_ASSERT(end_[n].number(RL_INFO) == n + 1);
    end_[n].number(RL_INFO) = 0;
    run_stage(n);
  }
  void run_stage(std::uint64_t n) {
    RL_ASSERT(came_(RL_INFO) == n);
    came_(RL_INFO) = n + 1;
  }

  model_atomic<std::uint64_t> turn_{0};
  using end = heist::detail::ordered_end<item, model_atomics>;
  std::array<typename end::slot, Tokens> slots_;
  end end_{slots_.data(), Tokens, turn_};
  rl::var<std::uint64_t> came_;
};

template <unsigned Carriers, unsigned Items, unsigned Tokens>
class end_suite : public rl::test_suite<end_suite<Carriers, Items, Tokens>, Carriers> {
 public:
  void thread(unsigned index) { program_.carry(index); }
  void after() { program_.check_rest(); }

 private:
  end_program<Carriers, Items, Tokens> program_;
};

struct searched_end {
  const char* name;
  unsigned carriers;
  unsigned tokens;
  plan usual;
  outcome (*run)(const plan&);
};

const searched_end ends[] = {
    {"end_of_two", 2, 2, {search::exhaustive}, simulate<end_suite<2, 2, 2>>},
    {"end_slots_again", 2, 2, {search::bounded, 4}, simulate<end_suite<2, 4, 2>>},
    {"end_of_three", 3, 4, {search::bounded, 3}, simulate<end_suite<3, 3, 4>>},
};

}  // namespace

family ends_family() {
  family f{"ends", {"ordered_end.hpp"}, {}};
  for (const searched_end& s : ends)
    f.models.push_back({f.name, s.name, s.carriers, s.tokens, s.usual, s.run});
  return f;
}

}  // namespace heist_model
