// What programs for oneTBB 2021.8 were compiled against: its own headers. They say how contexts,
// tasks and arenas lie in memory, and which functions of the library their inline code calls.
//
// The headers grant the library access to their private members by naming classes of
// tbb::detail::r1 as friends. task_accessor below is one of them, context_access in contexts.hpp
// and arena_access in task_arena.cpp use others.
#pragma once

#include <cstddef>
#include <cstdint>

// What the headers declare is the library's interface: libtbb.map exports it.
#pragma GCC visibility push(default)
#include "oneapi/tbb/cache_aligned_allocator.h"
#include "oneapi/tbb/concurrent_queue.h"
#include "oneapi/tbb/global_control.h"
#include "oneapi/tbb/info.h"
#include "oneapi/tbb/mutex.h"
#include "oneapi/tbb/parallel_pipeline.h"
#include "oneapi/tbb/profiling.h"
#include "oneapi/tbb/queuing_rw_mutex.h"
#include "oneapi/tbb/spin_mutex.h"
#include "oneapi/tbb/spin_rw_mutex.h"
#include "oneapi/tbb/task.h"
#include "oneapi/tbb/task_arena.h"
#include "oneapi/tbb/task_group.h"
#include "oneapi/tbb/task_scheduler_observer.h"
#include "oneapi/tbb/version.h"
#pragma GCC visibility pop

// The layouts below are those of this interface; another one would need to be looked at.
static_assert(TBB_INTERFACE_VERSION_MAJOR == 12, "the interface of libtbb.so.12");

// What the headers of later releases, up to 2022.1, declare and call besides.
#pragma GCC visibility push(default)
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
TBB_EXPORT d1::wait_tree_vertex_interface* get_thread_reference_vertex(
    d1::wait_tree_vertex_interface* parent);
TBB_EXPORT d1::slot_id execution_slot(const d1::task_arena_base& a);
TBB_EXPORT d1::task* current_task_ptr();
using assertion_handler_type = void (*)(const char* where, int line, const char* expression,
                                        const char* comment);
TBB_EXPORT assertion_handler_type set_assertion_handler(assertion_handler_type handler) noexcept;
TBB_EXPORT assertion_handler_type get_assertion_handler() noexcept;
TBB_EXPORT void* allocate_interleaved(std::size_t bytes, const int* nodes, std::size_t count,
                                      std::size_t bytes_per_chunk);
TBB_EXPORT void deallocate_interleaved(void* memory, std::size_t bytes);
TBB_EXPORT void enter_parallel_phase(d1::task_arena_base* a, std::uintptr_t flags);
TBB_EXPORT void exit_parallel_phase(d1::task_arena_base* a, std::uintptr_t flags);
}  // namespace r1
}  // namespace tbb::detail
#pragma GCC visibility pop

namespace tbb::detail::r1 {

// A task has six words for the scheduler. Three are used.
struct task_accessor {
  static d1::task_group_context* context(const d1::task& t) noexcept {
    return reinterpret_cast<d1::task_group_context*>(t.m_reserved[0]);
  }
  static void set_context(d1::task& t, d1::task_group_context& c) noexcept {
    t.m_reserved[0] = reinterpret_cast<std::uint64_t>(&c);
  }
  // Which isolated region it belongs to; 0: none.
  static std::intptr_t isolation(const d1::task& t) noexcept {
    return static_cast<std::intptr_t>(t.m_reserved[1]);
  }
  static void set_isolation(d1::task& t, std::intptr_t tag) noexcept {
    t.m_reserved[1] = static_cast<std::uint64_t>(tag);
  }
};

}  // namespace tbb::detail::r1

namespace heist::inline v0::libtbb {

namespace d1 = tbb::detail::d1;
namespace r1 = tbb::detail::r1;

using d1::task;
using d1::task_group_context;
using task_access = r1::task_accessor;

// The one that waits in isolation takes only tasks of the same region.
inline constexpr std::intptr_t no_isolation = 0;
[[nodiscard]] inline bool may_take(std::intptr_t wait, std::intptr_t task) noexcept {
  return wait == no_isolation || wait == task;
}

}  // namespace heist::inline v0::libtbb
