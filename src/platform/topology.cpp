// hwloc's tree, read once into plain arrays. Only functions that the shared library exports are
// used: many of the names in <hwloc.h> are inline functions that would have to be linked.
//
// The header serves for types and constants; the library is the one found at run time, whose major
// version must be the same. Built without the header, there is never a topology, and the reason
// says so.
#include "topology.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include "cpu_count.hpp"
#include "process.hpp"

// The second file is the part of the header that differs between processors: a cross compiler may
// see the host's first without it.
#if __has_include(<dlfcn.h>) && __has_include(<hwloc.h>) && \
    __has_include(<hwloc/autogen/config.h>) && __has_include(<hwloc/cpukinds.h>)
#include <dlfcn.h>
#include <hwloc.h>
#include <hwloc/cpukinds.h>
#define HEIST_HAS_HWLOC_HEADER 1
#endif

namespace heist::inline v0::platform {

namespace {

constexpr std::string_view asked_by_another = "another thread is asking hwloc";

const cpu_place* find_place(const std::vector<cpu_place>& cpus, int cpu) {
  const auto at =
      std::lower_bound(cpus.begin(), cpus.end(), cpu,
                       [](const cpu_place& place, int number) { return place.cpu < number; });
  return at != cpus.end() && at->cpu == cpu ? &*at : nullptr;
}

bool same(int group, int other) { return group == other && group >= 0; }

std::string counted(std::size_t count, const char* what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

std::string in_units(std::uint64_t bytes) {
  constexpr std::uint64_t mebibyte = 1024 * 1024;
  if (bytes >= mebibyte && bytes % mebibyte == 0) return std::to_string(bytes / mebibyte) + " MiB";
  return std::to_string(bytes / 1024) + " KiB";
}

#if defined(HEIST_HAS_HWLOC_HEADER)

// The functions of hwloc that are used, by the types that its header declares.
struct hwloc_functions {
  decltype(&hwloc_get_api_version) get_api_version;
  decltype(&hwloc_topology_init) init;
  decltype(&hwloc_topology_set_synthetic) set_synthetic;
  decltype(&hwloc_topology_set_components) set_components;
  decltype(&hwloc_topology_load) load;
  decltype(&hwloc_topology_destroy) destroy;
  decltype(&hwloc_get_type_depth) get_type_depth;
  decltype(&hwloc_get_nbobjs_by_depth) get_nbobjs_by_depth;
  decltype(&hwloc_get_obj_by_depth) get_obj_by_depth;
  decltype(&hwloc_bitmap_next) bitmap_next;
  decltype(&hwloc_bitmap_alloc) bitmap_alloc;
  decltype(&hwloc_bitmap_free) bitmap_free;
  // hwloc 2.4 is the first that has these; null without them.
  decltype(&hwloc_cpukinds_get_nr) cpukinds_get_nr;
  decltype(&hwloc_cpukinds_get_info) cpukinds_get_info;
};

template <class Function>
bool look_up(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

bool look_up_all(void* library, hwloc_functions& hwloc) {
  if (!look_up(library, "hwloc_cpukinds_get_info", hwloc.cpukinds_get_info) ||
      !look_up(library, "hwloc_cpukinds_get_nr", hwloc.cpukinds_get_nr))
    hwloc.cpukinds_get_nr = nullptr;
  return look_up(library, "hwloc_get_api_version", hwloc.get_api_version) &&
         look_up(library, "hwloc_topology_init", hwloc.init) &&
         look_up(library, "hwloc_topology_set_synthetic", hwloc.set_synthetic) &&
         look_up(library, "hwloc_topology_set_components", hwloc.set_components) &&
         look_up(library, "hwloc_topology_load", hwloc.load) &&
         look_up(library, "hwloc_topology_destroy", hwloc.destroy) &&
         look_up(library, "hwloc_get_type_depth", hwloc.get_type_depth) &&
         look_up(library, "hwloc_get_nbobjs_by_depth", hwloc.get_nbobjs_by_depth) &&
         look_up(library, "hwloc_get_obj_by_depth", hwloc.get_obj_by_depth) &&
         look_up(library, "hwloc_bitmap_next", hwloc.bitmap_next) &&
         look_up(library, "hwloc_bitmap_alloc", hwloc.bitmap_alloc) &&
         look_up(library, "hwloc_bitmap_free", hwloc.bitmap_free);
}

// One loaded tree and the questions that are asked of it.
class hwloc_tree {
 public:
  hwloc_tree(const hwloc_functions& hwloc, hwloc_topology_t tree) : hwloc_(hwloc), tree_(tree) {}

  // Each object of that type as the ascending list of its processors, in hwloc's (logical) order.
  [[nodiscard]] std::vector<std::vector<int>> groups(hwloc_obj_type_t type) const {
    std::vector<std::vector<int>> all;
    for (const hwloc_obj_t object : objects(type)) all.push_back(cpus_of(object->cpuset));
    return all;
  }

  // By efficiency, as hwloc ranks them; nothing where there is one kind, or hwloc can't rank them.
  [[nodiscard]] std::vector<std::vector<int>> kinds() const {
    const int count = hwloc_.cpukinds_get_nr == nullptr ? 0 : hwloc_.cpukinds_get_nr(tree_, 0);
    std::vector<std::vector<int>> all;
    const std::unique_ptr<hwloc_bitmap_s, decltype(hwloc_.bitmap_free)> cpus(hwloc_.bitmap_alloc(),
                                                                             hwloc_.bitmap_free);
    for (int kind = 0; kind < count && count > 1 && cpus != nullptr; ++kind) {
      int efficiency = -1;
      const auto index = static_cast<unsigned>(kind);
      if (hwloc_.cpukinds_get_info(tree_, index, cpus.get(), &efficiency, nullptr, nullptr, 0) !=
              0 ||
          efficiency < 0)
        return {};
      all.push_back(cpus_of(cpus.get()));
    }
    return all;
  }

  void add_caches(hwloc_obj_type_t type, int level, std::vector<cache>& caches) const {
    for (const hwloc_obj_t object : objects(type)) {
      caches.push_back({level, object->attr->cache.size, cpus_of(object->cpuset)});
    }
  }

 private:
  [[nodiscard]] std::vector<hwloc_obj_t> objects(hwloc_obj_type_t type) const {
    std::vector<hwloc_obj_t> all;
    const int depth = hwloc_.get_type_depth(tree_, type);
    // Negative depths are hwloc's special levels (NUMA nodes) as well as its errors; the count
    // tells.
    if (depth == HWLOC_TYPE_DEPTH_UNKNOWN || depth == HWLOC_TYPE_DEPTH_MULTIPLE) return all;
    const unsigned count = hwloc_.get_nbobjs_by_depth(tree_, depth);
    for (unsigned i = 0; i < count; ++i) all.push_back(hwloc_.get_obj_by_depth(tree_, depth, i));
    return all;
  }

  [[nodiscard]] std::vector<int> cpus_of(hwloc_const_bitmap_t set) const {
    std::vector<int> cpus;
    if (set == nullptr) return cpus;
    for (int cpu = -1; (cpu = hwloc_.bitmap_next(set, cpu)) >= 0;) cpus.push_back(cpu);
    return cpus;
  }

  const hwloc_functions& hwloc_;
  hwloc_topology_t tree_;
};

// Writes the number of each group to the processors in it.
void number_groups(std::vector<cpu_place>& cpus, const std::vector<std::vector<int>>& groups,
                   int cpu_place::*field) {
  for (std::size_t number = 0; number < groups.size(); ++number) {
    for (cpu_place& place : cpus) {
      if (std::binary_search(groups[number].begin(), groups[number].end(), place.cpu)) {
        place.*field = static_cast<int>(number);
      }
    }
  }
}

topology read_tree(const hwloc_tree& tree) {
  topology result{};
  for (const std::vector<int>& unit : tree.groups(HWLOC_OBJ_PU)) {
    for (const int cpu : unit) result.cpus.push_back({cpu, -1, -1, -1, -1, -1});
  }
  std::sort(result.cpus.begin(), result.cpus.end(),
            [](const cpu_place& a, const cpu_place& b) { return a.cpu < b.cpu; });

  const auto number = [&](hwloc_obj_type_t type, int cpu_place::*field) {
    const std::vector<std::vector<int>> groups = tree.groups(type);
    number_groups(result.cpus, groups, field);
    return static_cast<int>(groups.size());
  };
  result.cores = number(HWLOC_OBJ_CORE, &cpu_place::core);
  number(HWLOC_OBJ_L2CACHE, &cpu_place::l2);
  number(HWLOC_OBJ_L3CACHE, &cpu_place::l3);
  result.nodes = number(HWLOC_OBJ_NUMANODE, &cpu_place::node);
  result.packages = number(HWLOC_OBJ_PACKAGE, &cpu_place::package);

  result.kinds = tree.kinds();
  tree.add_caches(HWLOC_OBJ_L1CACHE, 1, result.caches);
  tree.add_caches(HWLOC_OBJ_L2CACHE, 2, result.caches);
  tree.add_caches(HWLOC_OBJ_L3CACHE, 3, result.caches);
  tree.add_caches(HWLOC_OBJ_L4CACHE, 4, result.caches);
  tree.add_caches(HWLOC_OBJ_L5CACHE, 5, result.caches);
  std::sort(result.caches.begin(), result.caches.end(), [](const cache& a, const cache& b) {
    return std::tie(a.level, a.cpus) < std::tie(b.level, b.cpus);
  });
  return result;
}

// One thread at a time asks hwloc, which loads its plugins under a lock of its own. So a thread
// that has the loader's lock, in the initialiser of a library, must not wait for hwloc's, which
// another thread may hold while it waits for the loader's: it waits here, for a moment, and does
// without.
class turn_at_hwloc {
 public:
  turn_at_hwloc() noexcept {
    constexpr int waits = 100;  // of a millisecond
    for (int i = 0; !take() && i < waits; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ~turn_at_hwloc() {
    if (has_it_) taken_by_.store(0, std::memory_order_release);
  }
  turn_at_hwloc(const turn_at_hwloc&) = delete;
  turn_at_hwloc& operator=(const turn_at_hwloc&) = delete;

  explicit operator bool() const noexcept { return has_it_; }

 private:
  // A child of fork() doesn't have the thread whose turn it was.
  bool take() noexcept {
    const unsigned process = process_generation() + 1;
    unsigned before = taken_by_.load(std::memory_order_relaxed);
    has_it_ = before != process &&
              taken_by_.compare_exchange_strong(before, process, std::memory_order_acquire,
                                                std::memory_order_relaxed);
    return has_it_;
  }

  static constinit std::atomic<unsigned> taken_by_;
  bool has_it_ = false;
};
constinit std::atomic<unsigned> turn_at_hwloc::taken_by_{0};

topology_result ask(const hwloc_functions& hwloc, const char* synthetic) {
  hwloc_topology_t tree = nullptr;
  if (hwloc.init(&tree) != 0) return {std::nullopt, "hwloc can't be initialised"};
  const auto destroy = [&hwloc](hwloc_topology_t made) { hwloc.destroy(made); };
  const std::unique_ptr<hwloc_topology, decltype(destroy)> owner(tree, destroy);
  if (synthetic != nullptr && hwloc.set_synthetic(tree, synthetic) != 0) {
    return {std::nullopt, std::string("hwloc doesn't understand the machine \"") + synthetic + '"'};
  }
  // One of hwloc's sources binds the calling thread to one processor after another to ask it. Where
  // processors come and go meanwhile it contradicts the kernel's files, and says so in eleven lines
  // on standard error. The kernel's files have all that is read here.
  hwloc.set_components(tree, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  if (hwloc.load(tree) != 0) return {std::nullopt, "hwloc can't read this machine"};
  return {read_tree(hwloc_tree(hwloc, tree)), {}};
}

#endif

}  // namespace

std::string_view to_string(proximity how) noexcept {
  switch (how) {
    case proximity::same_pu:
    case proximity::same_core:
      return "the same core";
    case proximity::same_l3:
      return "the same L3 cache";
    case proximity::same_node:
      return "the same node";
    case proximity::same_package:
      return "the same package";
    case proximity::remote:
      break;
  }
  return "the machine";
}

proximity topology::distance(int cpu, int other) const {
  const cpu_place* const a = find_place(cpus, cpu);
  const cpu_place* const b = find_place(cpus, other);
  if (a == nullptr || b == nullptr) return proximity::remote;
  if (cpu == other) return proximity::same_pu;
  if (same(a->core, b->core) || same(a->l2, b->l2)) return proximity::same_core;
  if (same(a->l3, b->l3)) return proximity::same_l3;
  if (same(a->node, b->node) && (same(a->package, b->package) || a->package < 0)) {
    return proximity::same_node;
  }
  return same(a->package, b->package) ? proximity::same_package : proximity::remote;
}

std::vector<int> topology::nearest_first(int cpu, std::span<const int> others) const {
  std::vector<std::pair<proximity, std::size_t>> order;  // the place makes equals keep their order
  for (std::size_t place = 0; place < others.size(); ++place) {
    if (others[place] != cpu) order.emplace_back(distance(cpu, others[place]), place);
  }
  std::sort(order.begin(), order.end());
  std::vector<int> sorted;
  for (const auto& [how_near, place] : order) sorted.push_back(others[place]);
  return sorted;
}

std::string topology::summary() const {
  std::string line = counted(static_cast<std::size_t>(packages), "package") + ", ";
  if (nodes > 1) line += counted(static_cast<std::size_t>(nodes), "NUMA node") + ", ";
  line += counted(static_cast<std::size_t>(cores), "core") + ", " + counted(cpus.size(), "PU");
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    const char* const speed = kind == 0                  ? " slower"
                              : kind + 1 == kinds.size() ? " faster"
                                                         : " between";
    line += (kind == 0 ? " (" : ", ") + std::to_string(kinds[kind].size()) + speed;
  }
  if (!kinds.empty()) line += ')';
  for (auto group = caches.begin(); group != caches.end();) {
    const auto end = std::find_if(group, caches.end(), [&group](const cache& other) {
      return other.level != group->level || other.bytes != group->bytes;
    });
    if (group->level > 1) {
      line += ", L" + std::to_string(group->level) + ' ' + in_units(group->bytes) + " x" +
              std::to_string(end - group);
    }
    group = end;
  }
  return line;
}

topology_result load_topology(const topology_request& request) {
#if defined(HEIST_HAS_HWLOC_HEADER)
  // Where that is refused, hwloc asks for ever, with larger and larger masks.
  if (request.synthetic == nullptr && affinity_cpus().empty())
    return {std::nullopt, "the system doesn't tell which processors there are"};
  const turn_at_hwloc turn;
  if (!turn) return {std::nullopt, std::string(asked_by_another)};
  const auto close = [](void* library) { ::dlclose(library); };
  const std::unique_ptr<void, decltype(close)> library(
      ::dlopen(request.library, RTLD_NOW | RTLD_LOCAL), close);
  if (library == nullptr) {
    const char* const why = ::dlerror();
    return {std::nullopt, std::string("hwloc can't be loaded: ") + (why ? why : request.library)};
  }
  hwloc_functions hwloc{};
  if (!look_up_all(library.get(), hwloc)) {
    return {std::nullopt, std::string(request.library) + " is not the hwloc that we know"};
  }
  if (hwloc.get_api_version() >> 16 != HWLOC_API_VERSION >> 16) {
    return {std::nullopt, std::string(request.library) + " has another major version"};
  }
  return ask(hwloc, request.synthetic);
#else
  (void)request;
  return {std::nullopt, "built without hwloc.h"};
#endif
}

namespace {

constinit std::atomic<const topology_result*> kept{nullptr};

}  // namespace

topology_result load_topology() {
  // Acquire: partner is the release in keep_topology(); carries the result.
  if (const topology_result* const known = kept.load(std::memory_order_acquire)) return *known;
  return load_topology(topology_request{});
}

void keep_topology() {
  if (kept.load(std::memory_order_relaxed) != nullptr) return;
  auto mine = std::make_unique<const topology_result>(load_topology(topology_request{}));
  const topology_result* before = nullptr;
  if (mine->reason == asked_by_another) {
    // The pool that the caller makes has none; the one that asks now replaces this.
    static const topology_result none = *mine;
    kept.compare_exchange_strong(before, &none, std::memory_order_release,
                                 std::memory_order_relaxed);
    return;
  }
  do {
    if (before != nullptr && before->reason != asked_by_another) return;
  } while (!kept.compare_exchange_weak(before, mine.get(), std::memory_order_release,
                                       std::memory_order_acquire));
  static_cast<void>(mine.release());
}

}  // namespace heist::inline v0::platform
