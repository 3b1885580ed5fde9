// What programs for oneTBB's releases after 2021.8 call besides. The original library here has none
// of it, so these tests run on heist's alone. They declare the functions as those headers do.
#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "oneapi/tbb.h"

namespace tbb::detail {
namespace d1 {
class wait_tree_vertex_interface {
 public:
  virtual void reserve(std::uint32_t delta = 1) = 0;
  virtual void release(std::uint32_t delta = 1) = 0;

 protected:
  virtual ~wait_tree_vertex_interface() = default;
};
}  // namespace d1
namespace r1 {
d1::wait_tree_vertex_interface* get_thread_reference_vertex(d1::wait_tree_vertex_interface*);
d1::slot_id execution_slot(const d1::task_arena_base&);
d1::task* current_task_ptr();
void enter_parallel_phase(d1::task_arena_base*, std::uintptr_t);
void exit_parallel_phase(d1::task_arena_base*, std::uintptr_t);
using assertion_handler_type = decltype(&assertion_failure);
assertion_handler_type set_assertion_handler(assertion_handler_type) noexcept;
assertion_handler_type get_assertion_handler() noexcept;
void* allocate_interleaved(std::size_t, const d1::numa_node_id*, std::size_t, std::size_t);
void deallocate_interleaved(void*, std::size_t);
}  // namespace r1
}  // namespace tbb::detail

namespace {

namespace d1 = tbb::detail::d1;
namespace r1 = tbb::detail::r1;

// As those headers' wait_context_vertex. It counts what reaches it.
class top_vertex final : public d1::wait_tree_vertex_interface {
 public:
  void reserve(std::uint32_t delta = 1) override {
    ++calls;
    wait.reserve(delta);
  }
  void release(std::uint32_t delta = 1) override {
    ++calls;
    wait.release(delta);
  }
  std::atomic<int> calls{0};
  d1::wait_context wait{0};
};

// As their function_task: it holds a reference to the vertex of the thread that spawns it.
template <class F>
class counted_task final : public d1::task {
 public:
  counted_task(F f, d1::wait_tree_vertex_interface& vertex) : f_(std::move(f)), vertex_(vertex) {
    vertex_.reserve();
  }

 private:
  d1::task* execute(d1::execution_data&) override {
    f_();
    return end();
  }
  d1::task* cancel(d1::execution_data&) override { return end(); }
  d1::task* end() {
    d1::wait_tree_vertex_interface& vertex = vertex_;
    delete this;
    vertex.release();
    return nullptr;
  }

  F f_;
  d1::wait_tree_vertex_interface& vertex_;
};

class group {
 public:
  template <class F>
  void run(F f) {
    r1::spawn(*new counted_task<F>(std::move(f), *r1::get_thread_reference_vertex(&top_)),
              context_);
  }
  void wait() { r1::wait(top_.wait, context_); }
  [[nodiscard]] int calls() const { return top_.calls; }

 private:
  d1::task_group_context context_;
  top_vertex top_;
};

TEST(ReferenceVertices, ForwardTheFirstAndTheLastAlone) {
  top_vertex top;
  auto* const mine = r1::get_thread_reference_vertex(&top);
  EXPECT_EQ(r1::get_thread_reference_vertex(&top), mine);
  for (int i = 0; i < 10; ++i) mine->reserve();
  EXPECT_EQ(top.calls, 1);
  mine->release(9);
  EXPECT_EQ(top.calls, 1);
  mine->release();
  EXPECT_EQ(top.calls, 2);
  mine->reserve();
  EXPECT_EQ(top.calls, 3);
  mine->release();
  std::thread([&] { EXPECT_NE(r1::get_thread_reference_vertex(&top), mine); }).join();
}

TEST(ReferenceVertices, LiveUntilTheirLastChildHasEnded) {
  top_vertex top;
  d1::wait_tree_vertex_interface* left = nullptr;
  std::thread([&] {
    left = r1::get_thread_reference_vertex(&top);
    left->reserve(2);
    std::vector<top_vertex> others(5000);  // more than a thread keeps
    for (top_vertex& other : others) {
      auto* const mine = r1::get_thread_reference_vertex(&other);
      mine->reserve();
      mine->release();
    }
    EXPECT_EQ(r1::get_thread_reference_vertex(&top), left);
  }).join();
  left->release();
  EXPECT_EQ(top.calls, 1);
  left->release();
  EXPECT_EQ(top.calls, 2);
}

TEST(ReferenceVertices, CarryGroupsOfTasks) {
  for (int round = 0; round < 200; ++round) {
    group g;
    std::atomic<int> ran{0};
    for (int i = 0; i < 20; ++i)
      g.run([&] {
        for (int k = 0; k < 5; ++k) g.run([&] { ++ran; });
        ++ran;
      });
    g.wait();
    EXPECT_EQ(ran, 120);
    EXPECT_GE(g.calls(), 2);
  }
}

TEST(ExecutionSlot, IsThatOfTheArenaThatTheThreadIsIn) {
  tbb::task_arena one(2), two(2);
  one.initialize();
  two.initialize();
  EXPECT_EQ(r1::execution_slot(one), static_cast<d1::slot_id>(-1));
  one.execute([&] {
    EXPECT_LT(r1::execution_slot(one), 2);
    EXPECT_EQ(r1::execution_slot(one), tbb::this_task_arena::current_thread_index());
    EXPECT_EQ(r1::execution_slot(two), static_cast<d1::slot_id>(-1));
    two.execute([&] { EXPECT_EQ(r1::execution_slot(one), static_cast<d1::slot_id>(-1)); });
    EXPECT_LT(r1::execution_slot(one), 2);
  });
}

TEST(CurrentTask, IsTheInnermostThatRuns) {
  EXPECT_EQ(r1::current_task_ptr(), nullptr);
  group outer;
  outer.run([] {
    d1::task* const mine = r1::current_task_ptr();
    EXPECT_NE(mine, nullptr);
    for (int i = 0; i < 20; ++i) {
      group inner;
      inner.run([mine] { EXPECT_NE(r1::current_task_ptr(), mine); });
      inner.wait();
      EXPECT_EQ(r1::current_task_ptr(), mine);
    }
    tbb::task_arena arena(1);
    arena.execute([] { EXPECT_EQ(r1::current_task_ptr(), nullptr); });
    EXPECT_EQ(r1::current_task_ptr(), mine);
  });
  outer.wait();
  EXPECT_EQ(r1::current_task_ptr(), nullptr);
}

TEST(ParallelPhase, MayBeEnteredAndLeftAnywhere) {
  tbb::task_arena arena(2);
  arena.initialize();
  r1::enter_parallel_phase(&arena, 0);
  r1::enter_parallel_phase(nullptr, 0);
  std::atomic<int> ran{0};
  for (int i = 0; i < 100; ++i) {
    arena.execute([&] { tbb::parallel_for(0, 10, [&](int) { ++ran; }); });
    tbb::parallel_for(0, 10, [&](int) { ++ran; });
  }
  r1::exit_parallel_phase(nullptr, 0);
  r1::exit_parallel_phase(&arena, 1);
  EXPECT_EQ(ran, 2000);
}

std::string asserted;

TEST(AssertionHandler, IsCalledInPlaceOfTheEnd) {
  EXPECT_EQ(r1::get_assertion_handler(), nullptr);
  const auto mine = [](const char* where, int line, const char* expression, const char* comment) {
    asserted = std::string(where) + std::to_string(line) + expression + comment;
  };
  EXPECT_EQ(r1::set_assertion_handler(mine), nullptr);
  EXPECT_EQ(r1::get_assertion_handler(), +mine);
  r1::assertion_failure("f", 7, "a == b", "why");
  EXPECT_EQ(asserted, "f7a == bwhy");
  EXPECT_EQ(r1::set_assertion_handler(nullptr), +mine);
  EXPECT_DEATH(r1::assertion_failure("f", 7, "a == b", "why"), "Assertion a == b failed");
}

TEST(InterleavedMemory, IsWholeAndRefusesWhatIsWrong) {
  constexpr std::size_t bytes = 5'000'000;
  const d1::numa_node_id none = 17, first = tbb::info::numa_nodes().front();
  for (const auto& [nodes, count] : {std::pair<const d1::numa_node_id*, std::size_t>{nullptr, 0},
                                     std::pair<const d1::numa_node_id*, std::size_t>{&first, 1}}) {
    auto* const p = static_cast<char*>(r1::allocate_interleaved(bytes, nodes, count, 8192));
    ASSERT_NE(p, nullptr);
    for (std::size_t i = 0; i < bytes; i += 512) p[i] = static_cast<char>(i >> 9);
    for (std::size_t i = 0; i < bytes; i += 512) ASSERT_EQ(p[i], static_cast<char>(i >> 9));
    r1::deallocate_interleaved(p, bytes);
  }
  EXPECT_EQ(r1::allocate_interleaved(0, nullptr, 0, 0), nullptr);
  EXPECT_EQ(r1::allocate_interleaved(bytes, nullptr, 1, 0), nullptr);
  EXPECT_EQ(r1::allocate_interleaved(bytes, &none, 1, 0), nullptr);
  EXPECT_EQ(r1::allocate_interleaved(~std::size_t{0} / 2, nullptr, 0, 0), nullptr);
  r1::deallocate_interleaved(nullptr, 0);
}

// Each page of memory for one node lies there. Which number the kernel has for it isn't said, so
// only that they differ is looked at.
TEST(InterleavedMemory, LiesAtTheNodesThatAreNamed) {
  constexpr std::size_t page = 4096, bytes = 16 * page;
  std::set<int> places;
  const std::vector<d1::numa_node_id> nodes = tbb::info::numa_nodes();
  for (const d1::numa_node_id node : nodes) {
    auto* const p = static_cast<char*>(r1::allocate_interleaved(bytes, &node, 1, 0));
    ASSERT_NE(p, nullptr);
    std::set<int> here;
    for (std::size_t i = 0; i < bytes; i += page) {
      p[i] = 1;
      int place = -1;
      if (::syscall(SYS_get_mempolicy, &place, nullptr, 0, p + i, MPOL_F_NODE | MPOL_F_ADDR) != 0)
        GTEST_SKIP() << "a kernel without NUMA";
      here.insert(place);
    }
    EXPECT_EQ(here.size(), 1u) << "node " << node;
    places.merge(here);
    r1::deallocate_interleaved(p, bytes);
  }
  EXPECT_EQ(places.size(), nodes.size());
}

// A control of a kind that 2021.8 has no name for.
TEST(LeavePolicy, IsTaken) {
  const tbb::global_control leave_soon(tbb::global_control::parameter_max, 1);
  std::atomic<int> ran{0};
  tbb::parallel_for(0, 100, [&](int) { ++ran; });
  EXPECT_EQ(ran, 100);
}

}  // namespace
