// What the library says about itself and the machine: versions, NUMA nodes, core types, the entries
// for Intel's analysis tools, and the exceptions that it throws.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <stdexcept>

#include "market/market.hpp"
#include "parts/abi.hpp"
#include "parts/constraints.hpp"
#include "parts/controls.hpp"

extern "C" {
// Programs ask for both by name.
TBB_EXPORT int TBB_runtime_interface_version() { return TBB_INTERFACE_VERSION; }
TBB_EXPORT const char* TBB_runtime_version() { return TBB_VERSION_STRING; }
}

namespace tbb::detail::r1 {

using heist::libtbb::core_types;
using heist::libtbb::numa_nodes;
using heist::libtbb::worker_market;

// ---- The machine.

namespace {
int concurrency_of(const d1::constraints& c) {
  const int processors = heist::libtbb::processors_of(c);
  return processors > 0 ? processors : static_cast<int>(worker_market::instance().pool_size());
}
// Automatic, or one that the library has told.
bool is_known(int asked, std::span<const int> told) {
  return asked == d1::task_arena_base::automatic || std::ranges::count(told, asked) != 0;
}
void require(bool holds, const char* message) {
  if (!holds) assertion_failure("constraints_default_concurrency", 0, "is_known", message);
}
}  // namespace

unsigned numa_node_count() { return static_cast<unsigned>(numa_nodes().size()); }
void fill_numa_indices(int* indices) { std::ranges::copy(numa_nodes(), indices); }
int numa_default_concurrency(int node) {
  return concurrency_of(d1::constraints{}.set_numa_id(node));
}

unsigned core_type_count(std::intptr_t) { return static_cast<unsigned>(core_types().size()); }
void fill_core_type_indices(int* indices, std::intptr_t) {
  std::ranges::copy(core_types(), indices);
}

int constraints_default_concurrency(const d1::constraints& c, std::intptr_t) {
  require(c.max_threads_per_core == d1::task_arena_base::automatic || c.max_threads_per_core > 0,
          "constraints::max_threads_per_core must be positive or tbb::task_arena::automatic");
  require(is_known(c.numa_id, numa_nodes()),
          "constraints::numa_id must be one of tbb::info::numa_nodes()");
  require(is_known(c.core_type, core_types()),
          "constraints::core_type must be one of tbb::info::core_types()");
  return concurrency_of(c);
}
int constraints_threads_per_core(const d1::constraints&, std::intptr_t) {
  return d1::task_arena_base::automatic;
}

// ---- Errors.

const char* bad_last_alloc::what() const noexcept {
  return "bad allocation in previous or concurrent attempt";
}
const char* user_abort::what() const noexcept {
  return "User-initiated abort has terminated this operation";
}
const char* missing_wait::what() const noexcept {
  return "wait() was not called on the structured_task_group";
}

void throw_exception(exception_id what) {
  if (heist::libtbb::exceptions_terminate()) std::terminate();
  switch (what) {
    case exception_id::bad_alloc:
      throw std::bad_alloc();
    case exception_id::bad_last_alloc:
      throw bad_last_alloc();
    case exception_id::user_abort:
      throw user_abort();
    case exception_id::nonpositive_step:
      throw std::invalid_argument("Step must be positive");
    case exception_id::out_of_range:
      throw std::out_of_range("Index out of requested size range");
    case exception_id::reservation_length_error:
      throw std::length_error("Attempt to exceed implementation defined length limits");
    case exception_id::missing_wait:
      throw missing_wait();
    case exception_id::invalid_load_factor:
      throw std::out_of_range("Invalid hash load factor");
    case exception_id::invalid_key:
      throw std::out_of_range("invalid key");
    case exception_id::bad_tagged_msg_cast:
      throw std::runtime_error("Illegal tagged_msg cast");
    case exception_id::unsafe_wait:
      throw unsafe_wait("Unsafe to wait further");
    default:
      std::abort();
  }
}

namespace {

// nullptr: the message and the end that assertion_failure() has by itself.
constinit std::atomic<assertion_handler_type> assertion_handler{nullptr};

}  // namespace

// Acquire and release: what a handler uses was made before it was set.
assertion_handler_type set_assertion_handler(assertion_handler_type handler) noexcept {
  return assertion_handler.exchange(handler, std::memory_order_acq_rel);
}
assertion_handler_type get_assertion_handler() noexcept {
  return assertion_handler.load(std::memory_order_acquire);
}

void assertion_failure(const char* where, int line, const char* expression, const char* comment) {
  if (const assertion_handler_type handler = get_assertion_handler())
    return handler(where, line, expression, comment);
  std::fprintf(stderr, "Assertion %s failed (located in the %s function, line in file: %d)\n",
               expression, where, line);
  if (comment != nullptr) std::fprintf(stderr, "Detailed description: %s\n", comment);
  std::fflush(stderr);
  std::abort();
}

// ---- Intel's tools. heist has traces of its own; these entries do nothing.

void call_itt_notify(int, void*) {}
void create_itt_sync(void*, const tchar*, const tchar*) {}
void itt_set_sync_name(void*, const tchar*) {}
void itt_make_task_group(d1::itt_domain_enum, void*, unsigned long long, void*, unsigned long long,
                         string_resource_index) {}
void itt_task_begin(d1::itt_domain_enum, void*, unsigned long long, void*, unsigned long long,
                    string_resource_index) {}
void itt_task_end(d1::itt_domain_enum) {}
void itt_metadata_str_add(d1::itt_domain_enum, void*, unsigned long long, string_resource_index,
                          const char*) {}
void itt_metadata_ptr_add(d1::itt_domain_enum, void*, unsigned long long, string_resource_index,
                          void*) {}
void itt_relation_add(d1::itt_domain_enum, void*, unsigned long long, itt_relation, void*,
                      unsigned long long) {}
void itt_region_begin(d1::itt_domain_enum, void*, unsigned long long, void*, unsigned long long,
                      string_resource_index) {}
void itt_region_end(d1::itt_domain_enum, void*, unsigned long long) {}

}  // namespace tbb::detail::r1
