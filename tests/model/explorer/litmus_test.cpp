// Tests the explorer itself by the litmus tests of x86-TSO, each with the exact set of its
// outcomes.
//
// The names are those of the literature (Sewell and others, 2010): SB store buffering, MP message
// passing, LB load buffering, IRIW independent reads of independent writes, n5 and n6.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/model/explorer/explorer.hpp"
#include "tests/model/explorer/seam.hpp"

namespace heist_explorer {
namespace {

using testing::UnorderedElementsAre;

struct registers {
  value a;
  value b;
};

struct variables {
  explored_atomic<std::uint32_t> x{0};
  explored_atomic<std::uint32_t> y{0};
  explored_atomic<std::uint32_t> z{0};  // not part of the outcome
};

constexpr auto relaxed = std::memory_order_relaxed;

void put(explored_atomic<std::uint32_t>& v, std::uint32_t n) { v.store(n, relaxed); }
value get(explored_atomic<std::uint32_t>& v) { return static_cast<value>(v.load(relaxed)); }
void fence() { explored_atomics::full_fence(); }

using program = void (*)(variables&, registers&);

// Each thread is one operation. An outcome is the registers of all threads, and then x and y.
class litmus {
 public:
  using own_state = registers;
  struct shared_state {
    value unused;
  };

  litmus(memory kind, std::vector<program> threads) : threads_(std::move(threads)) {
    the_machine().reset(kind, static_cast<unsigned>(threads_.size()));
    variables_.emplace_back();
  }

  bool operate(unsigned thread, own_state& me, shared_state&) {
    threads_[thread](variables_.front(), me);
    return false;
  }
  const char* broken(const node<own_state, shared_state>&) { return nullptr; }
  const char* wrong_end(const node<own_state, shared_state>& end) {
    std::string all;
    for (unsigned t = 0; t < threads_.size(); ++t) {
      if (end.machine.threads[t].is != status::ended) return "somebody is stuck";
      all += std::to_string(end.own[t].a) + std::to_string(end.own[t].b) + ' ';
    }
    for (unsigned cell = 0; cell < 2; ++cell) all += std::to_string(end.machine.cells[cell]);
    outcomes.insert(all);
    return nullptr;
  }

  std::set<std::string> outcomes;

 private:
  std::vector<program> threads_;
  std::vector<variables> variables_;
};

std::set<std::string> outcomes(memory kind, std::vector<program> threads) {
  litmus model(kind, std::move(threads));
  const result r = explorer(model).run(1'000'000);
  EXPECT_TRUE(r.sound()) << r.told();
  return model.outcomes;
}

// ---- Store buffering: x = 1; a = y || y = 1; a = x

void store_x_load_y(variables& v, registers& r) {
  put(v.x, 1);
  r.a = get(v.y);
}
void store_y_load_x(variables& v, registers& r) {
  put(v.y, 1);
  r.a = get(v.x);
}
void store_x_fence_load_y(variables& v, registers& r) {
  put(v.x, 1);
  fence();
  r.a = get(v.y);
}
void store_y_fence_load_x(variables& v, registers& r) {
  put(v.y, 1);
  fence();
  r.a = get(v.x);
}
void store_y_membarrier_load_x(variables& v, registers& r) {
  put(v.y, 1);
  the_machine().membarrier();
  r.a = get(v.x);
}
void add_x_load_y(variables& v, registers& r) {
  v.x.fetch_add(1, relaxed);
  r.a = get(v.y);
}
void add_y_load_x(variables& v, registers& r) {
  v.y.fetch_add(1, relaxed);
  r.a = get(v.x);
}

TEST(Litmus, StoresAreBuffered) {
  EXPECT_THAT(outcomes(memory::tso, {store_x_load_y, store_y_load_x}),
              UnorderedElementsAre("00 00 11", "00 10 11", "10 00 11", "10 10 11"));
}

TEST(Litmus, WithoutBuffersThereIsNoStoreBuffering) {
  EXPECT_THAT(outcomes(memory::sc, {store_x_load_y, store_y_load_x}),
              UnorderedElementsAre("00 10 11", "10 00 11", "10 10 11"));
}

TEST(Litmus, TwoFencesForbidStoreBuffering) {
  EXPECT_THAT(outcomes(memory::tso, {store_x_fence_load_y, store_y_fence_load_x}),
              UnorderedElementsAre("00 10 11", "10 00 11", "10 10 11"));
}

TEST(Litmus, OneFenceDoesNot) {
  EXPECT_THAT(outcomes(memory::tso, {store_x_load_y, store_y_fence_load_x}),
              UnorderedElementsAre("00 00 11", "00 10 11", "10 00 11", "10 10 11"));
}

TEST(Litmus, OneMembarrierForbidsStoreBuffering) {
  EXPECT_THAT(outcomes(memory::tso, {store_x_load_y, store_y_membarrier_load_x}),
              UnorderedElementsAre("00 10 11", "10 00 11", "10 10 11"));
}

TEST(Litmus, TwoMembarriersDontBlockEachOther) {
  EXPECT_THAT(outcomes(memory::tso, {store_y_membarrier_load_x, store_y_membarrier_load_x}),
              UnorderedElementsAre("00 00 01"));
}

TEST(Litmus, LockedInstructionsAreFences) {
  EXPECT_THAT(outcomes(memory::tso, {add_x_load_y, add_y_load_x}),
              UnorderedElementsAre("00 10 11", "10 00 11", "10 10 11"));
}

// ---- A membarrier finds the buffers empty at different moments. z = 1; membarrier; a = x; b = y
// || x = 1; a = y || y = 1; a = z

// The third thread's y = 1 is buffered before the membarrier begins, because it reads z == 0, and
// the first thread finds it afterwards. Nevertheless the second thread reads y == 0 after its x =
// 1, which the membarrier missed: its moment came before the third thread's. If all buffers were
// empty at one moment, this could not happen.
TEST(Litmus, MembarrierHasNoMomentForAll) {
  const program barrier = [](variables& v, registers& r) {
    put(v.z, 1);
    the_machine().membarrier();
    r.a = get(v.x);
    r.b = get(v.y);
  };
  const program store_y_load_z = [](variables& v, registers& r) {
    put(v.y, 1);
    r.a = get(v.z);
  };
  const std::set<std::string> all =
      outcomes(memory::tso, {barrier, store_x_load_y, store_y_load_z});
  EXPECT_THAT(all, testing::Contains("01 00 00 11"));
  // But a store that is buffered before the membarrier begins is never missed.
  EXPECT_THAT(all, testing::Each(testing::Not(testing::ContainsRegex("^.0 .. 0. "))));
}

// ---- Message passing: x = 1; y = 1 || a = y; b = x

TEST(Litmus, MessagesPass) {
  const program sends = [](variables& v, registers&) {
    put(v.x, 1);
    put(v.y, 1);
  };
  const program receives = [](variables& v, registers& r) {
    r.a = get(v.y);
    r.b = get(v.x);
  };
  EXPECT_THAT(outcomes(memory::tso, {sends, receives}),
              UnorderedElementsAre("00 00 11", "00 01 11", "00 11 11"));
}

// ---- Load buffering: a = x; y = 1 || a = y; x = 1

TEST(Litmus, LoadsAreNotBuffered) {
  const program first = [](variables& v, registers& r) {
    r.a = get(v.x);
    put(v.y, 1);
  };
  const program second = [](variables& v, registers& r) {
    r.a = get(v.y);
    put(v.x, 1);
  };
  EXPECT_THAT(outcomes(memory::tso, {first, second}),
              UnorderedElementsAre("00 00 11", "10 00 11", "00 10 11"));
}

// ---- IRIW: x = 1 || y = 1 || a = x; b = y || a = y; b = x

TEST(Litmus, AllSeeStoresInOneOrder) {
  const program stores_x = [](variables& v, registers&) { put(v.x, 1); };
  const program stores_y = [](variables& v, registers&) { put(v.y, 1); };
  const program x_then_y = [](variables& v, registers& r) {
    r.a = get(v.x);
    r.b = get(v.y);
  };
  const program y_then_x = [](variables& v, registers& r) {
    r.a = get(v.y);
    r.b = get(v.x);
  };
  std::set<std::string> all;
  for (const char* const third : {"00", "01", "10", "11"})
    for (const char* const fourth : {"00", "01", "10", "11"})
      all.insert(std::string("00 00 ") + third + ' ' + fourth + " 11");
  all.erase("00 00 10 10 11");  // each saw the other's store missing
  EXPECT_EQ(outcomes(memory::tso, {stores_x, stores_y, x_then_y, y_then_x}), all);
}

// ---- n6: x = 1; a = x; b = y || y = 2; x = 2

TEST(Litmus, AThreadSeesItsOwnBufferFirst) {
  const program first = [](variables& v, registers& r) {
    put(v.x, 1);
    r.a = get(v.x);
    r.b = get(v.y);
  };
  const program second = [](variables& v, registers&) {
    put(v.y, 2);
    put(v.x, 2);
  };
  // "10 00 12" is n6: the first thread sees its own store before the other's y, which is before the
  // other's x, which the first thread's store then overwrites.
  EXPECT_THAT(outcomes(memory::tso, {first, second}),
              UnorderedElementsAre("10 00 12", "10 00 22", "12 00 12", "12 00 22", "22 00 22"));
  EXPECT_THAT(outcomes(memory::sc, {first, second}),
              UnorderedElementsAre("10 00 22", "12 00 12", "12 00 22", "22 00 22"));
}

// ---- n5: x = 1; a = x || x = 2; a = x

TEST(Litmus, TwoStoresHaveOneOrder) {
  const program one = [](variables& v, registers& r) {
    put(v.x, 1);
    r.a = get(v.x);
  };
  const program two = [](variables& v, registers& r) {
    put(v.x, 2);
    r.a = get(v.x);
  };
  // n5 would be "20 10": each saw the other's store after its own.
  EXPECT_THAT(outcomes(memory::tso, {one, two}),
              UnorderedElementsAre("10 20 10", "10 20 20", "10 10 10", "20 20 20"));
}

// ---- Read-modify-writes

TEST(Litmus, ReadModifyWritesAreWhole) {
  const program adds = [](variables& v, registers& r) {
    r.a = static_cast<value>(v.x.fetch_add(1, relaxed));
  };
  const program loads_and_stores = [](variables& v, registers& r) {
    r.a = get(v.x);
    put(v.x, r.a + 1u);
  };
  EXPECT_THAT(outcomes(memory::tso, {adds, adds}), UnorderedElementsAre("00 10 20", "10 00 20"));
  EXPECT_THAT(outcomes(memory::tso, {loads_and_stores, loads_and_stores}),
              UnorderedElementsAre("00 00 10", "00 10 20", "10 00 20"));
}

TEST(Litmus, ACompareExchangeThatFailsAnswersTheNewValue) {
  const program takes = [](variables& v, registers& r) {
    std::uint32_t seen = v.x.load(relaxed);
    do {
      r.b = static_cast<value>(seen);
      if (seen != 0) return;
    } while (!v.x.compare_exchange_weak(seen, 5, relaxed, relaxed));
    r.a = 1;
  };
  EXPECT_THAT(outcomes(memory::tso, {takes, takes}), UnorderedElementsAre("10 05 50", "05 10 50"));
}

// ---- Choices, buffers of bounded size, traces

TEST(Litmus, EveryChoiceIsTaken) {
  const program chooses = [](variables& v, registers& r) {
    r.a = static_cast<value>(the_machine().choose(3));
    if (r.a == 1) r.b = static_cast<value>(the_machine().choose(2));
    put(v.x, r.a);
  };
  EXPECT_THAT(outcomes(memory::tso, {chooses}),
              UnorderedElementsAre("00 00", "10 10", "11 10", "20 20"));
}

TEST(Litmus, AStoreWaitsForAFullBuffer) {
  const program stores = [](variables& v, registers&) {
    for (std::uint32_t n = 1; n <= max_buffered + 2; ++n) put(v.x, n);
  };
  litmus model(memory::tso, {stores});
  const result r = explorer(model).run(1000);
  EXPECT_TRUE(r.complete && r.violation.empty()) << r.told();
  EXPECT_TRUE(r.store_waited);
  EXPECT_FALSE(r.sound());
  EXPECT_THAT(model.outcomes, UnorderedElementsAre("00 " + std::to_string(max_buffered + 2) + "0"));
}

class stuck : public litmus {
 public:
  stuck()
      : litmus(memory::tso, {[](variables& v, registers&) {
                 put(v.y, 1);
                 the_machine().park_if(v.x.cell(), 0);
               }}) {
    the_machine().name_cells({"x", "y"});
  }
};

TEST(Litmus, AViolationComesWithItsTrace) {
  stuck model;
  const result r = explorer(model).run(1000);
  EXPECT_FALSE(r.sound());
  EXPECT_EQ(r.violation, "somebody is stuck");
  EXPECT_THAT(r.trace, testing::ElementsAre("thread 0 put: stores y = 1",
                                            "thread 0 its buffered store reaches memory: y = 1",
                                            "thread 0 parks"));
}

TEST(Litmus, ASearchThatIsCutShortIsNotSound) {
  litmus model(memory::tso, {store_x_load_y, store_y_load_x});
  EXPECT_FALSE(explorer(model).run(5).sound());
}

}  // namespace
}  // namespace heist_explorer
