#include "parts/constraints.hpp"

#include <dlfcn.h>

#include <cstddef>

namespace heist::inline v0::libtbb {

namespace {

using r1::binding_handler;

// libtbbbind, with the machine that it found. It stays loaded: threads may be bound until the end.
struct bind_library {
  int node_count = 1;
  int* nodes = &unknown;
  int type_count = 1;
  int* types = &unknown;

  binding_handler* (*make)(int seats, int node, int type, int threads_per_core) = nullptr;
  void (*end)(binding_handler* h) = nullptr;
  void (*bind)(binding_handler* h, int seat) = nullptr;
  void (*give_back)(binding_handler* h, int seat) = nullptr;
  int (*count)(int node, int type, int threads_per_core) = nullptr;

  bind_library() {
    for (const char* const name : {"libtbbbind_2_5.so.3", "libtbbbind_2_0.so.3", "libtbbbind.so.3"})
      if (void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL); library != nullptr) {
        if (load(library)) return;
        ::dlclose(library);
      }
  }

  [[nodiscard]] bool is_there() const noexcept { return count != nullptr; }

  static const bind_library& instance() {
    static const bind_library one;
    return one;
  }

 private:
  static inline int unknown = -1;

  template <class F>
  static bool find(void* library, const char* name, F*& f) noexcept {
    f = reinterpret_cast<F*>(::dlsym(library, name));
    return f != nullptr;
  }

  bool load(void* library) {
    void (*look)(std::size_t groups, int& nodes, int*& indices, int& types, int*& type_indices) =
        nullptr;
    if (!find(library, "__TBB_internal_initialize_system_topology", look) ||
        !find(library, "__TBB_internal_allocate_binding_handler", make) ||
        !find(library, "__TBB_internal_deallocate_binding_handler", end) ||
        !find(library, "__TBB_internal_apply_affinity", bind) ||
        !find(library, "__TBB_internal_restore_affinity", give_back) ||
        !find(library, "__TBB_internal_get_default_concurrency", count)) {
      count = nullptr;
      return false;
    }
    // Only Windows has more groups of processors than one.
    look(1, node_count, nodes, type_count, types);
    return true;
  }
};

}  // namespace

std::span<const int> numa_nodes() {
  const bind_library& b = bind_library::instance();
  return {b.nodes, static_cast<std::size_t>(b.node_count)};
}

std::span<const int> core_types() {
  const bind_library& b = bind_library::instance();
  return {b.types, static_cast<std::size_t>(b.type_count)};
}

int processors_of(const d1::constraints& c) {
  if (c.numa_id < 0 && c.core_type < 0 && c.max_threads_per_core <= 0) return 0;
  const bind_library& b = bind_library::instance();
  return b.is_there() ? b.count(c.numa_id, c.core_type, c.max_threads_per_core) : 0;
}

binding::binding(const d1::constraints& c, unsigned seats) {
  const bool says_something = (c.numa_id >= 0 && numa_nodes().size() > 1) ||
                              (c.core_type >= 0 && core_types().size() > 1) ||
                              c.max_threads_per_core > 0;
  if (!says_something || !bind_library::instance().is_there()) return;
  handler_.reset(bind_library::instance().make(static_cast<int>(seats), c.numa_id, c.core_type,
                                               c.max_threads_per_core));
}

void binding::deleter::operator()(binding_handler* h) const noexcept {
  bind_library::instance().end(h);
}
void binding::bind(unsigned seat) const noexcept {
  bind_library::instance().bind(handler_.get(), static_cast<int>(seat));
}
void binding::give_back(unsigned seat) const noexcept {
  bind_library::instance().give_back(handler_.get(), static_cast<int>(seat));
}

}  // namespace heist::inline v0::libtbb
