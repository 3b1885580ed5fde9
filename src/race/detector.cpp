#include "race/detector.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "heist/detail/race.hpp"
#include "race/report.hpp"

namespace heist::inline v0::race {

alignas(detector) constinit unsigned char detector_bytes[sizeof(detector)]{};

constinit thread_local int away = 1;  // until begin(), and on all other threads

namespace {

constinit bool is_made = false;

constexpr std::ptrdiff_t many_cells = 1024;

std::uintptr_t base_of_program() noexcept {
  std::uintptr_t base = 0;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        *static_cast<std::uintptr_t*>(to) = info->dlpi_addr;
        return 1;  // the program is the first
      },
      &base);
  return base;
}

// The lowest address that the calling thread's stack may have.
std::uintptr_t end_of_stack() noexcept {
  pthread_attr_t about;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  if (::pthread_getattr_np(::pthread_self(), &about) != 0) return 0;
  ::pthread_attr_getstack(&about, &lowest, &bytes);
  ::pthread_attr_destroy(&about);
  return reinterpret_cast<std::uintptr_t>(lowest);
}

// A lock that is held with others is in the set with its last bit: two that hold it so are not kept
// from each other.
constexpr std::uintptr_t with_others = 1;
// All atomic accesses hold it.
constexpr std::uintptr_t lock_of_atomics = 2;

bool are_disjoint(const std::vector<std::uintptr_t>& a, const std::vector<std::uintptr_t>& b) {
  for (const std::uintptr_t x : a)
    for (const std::uintptr_t y : b)
      if ((x ^ y) <= with_others && (x & y & with_others) == 0) return false;
  return true;
}

}  // namespace

shadow::chunk& shadow::make(std::uintptr_t address) noexcept {
  void* const at = ::mmap(nullptr, sizeof(chunk), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) reports::give_up("no room for shadow memory", errno);
  auto* const made = static_cast<chunk*>(at);
  chunks_[(address & ((std::uintptr_t{1} << address_bits) - 1)) >> chunk_bits] = made;
  return *made;
}

void detector::begin() noexcept {
  if (is_made) return;
  is_made = true;
  detector& d = *::new (static_cast<void*>(detector_bytes)) detector;
  if (!d.shadow_.reserve() || !d.bags_.reserve() || !d.bytes_.reserve() ||
      !d.calls_.reserve(most_calls))
    reports::give_up("no room for shadow memory, which needs 64 GB of addresses", errno);
  d.program_ = base_of_program();
  d.stack_end_ = end_of_stack();
  d.top_.own = d.current_ = d.bags_.open({});
  d.top_.lowest = d.lowest_ = ~std::uintptr_t{0};
  d.top_.stack = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  d.find_private();
  d.beginnings_.emplace_back();
  d.codes_.push_back(0);
  away = 0;
}

// ---- Branches.

void detector::begin_branch(std::uint32_t* bag, unsigned kind, std::uint64_t index,
                            std::uintptr_t from, std::uintptr_t stack) noexcept {
  if (bags_.count() + 2 >= bags::most)
    reports::give_up("more branches than can be told apart (2^28)", 0);
  std::uint32_t how = 0;
  {
    const apart own;
    const auto [at, is_new] = beginning_numbers_.try_emplace(
        from * 16 + kind, static_cast<std::uint32_t>(beginnings_.size()));
    if (is_new) beginnings_.push_back({kind, from});
    how = at->second;
    top_.lowest = lowest_;
    top_.depth = depth_;
    open_.push_back(top_);
  }
  const branch_id parent = top_.own;
  top_ = {};
  top_.own = current_ = bags_.open({parent, how, index});
  top_.bag = bag;
  top_.stack = lowest_ = stack;
  locked_ = false;
  find_private();
}

// What its frames held is gone: others use that memory again.
void detector::end_branch() noexcept {
  known_serial_ = 0;
  const open_branch ended = top_;
  const bool is_first = *ended.bag == 0;
  clear(lowest_, ended.stack);
  *ended.bag = bags_.end(ended.own, *ended.bag);
  top_ = open_.back();
  open_.pop_back();
  if (is_first) ++top_.unjoined;
  find_private();
  if (!views_.empty()) hand_up_views(ended.own);
  lowest_ = std::min(top_.lowest, ended.stack);  // it may have touched frames above its own
  depth_ = top_.depth;
  use_lockset(top_.lockset);
}

void detector::hand_up_views(branch_id ended) noexcept {
  const apart own;
  const auto at = views_.find(ended);
  if (at == views_.end()) return;
  const auto handed = std::move(at->second);
  views_.erase(at);
  auto& above = views_[top_.own];
  for (const auto& [reducer, views] : handed) {
    views_of_reducer& to = above[reducer];
    to.all.insert(to.all.end(), views.all.begin() + static_cast<std::ptrdiff_t>(views.taken),
                  views.all.end());
    to.last_is_own = false;
  }
}

void detector::join(std::uint32_t* bag) noexcept {
  if (*bag != 0) bags_.join(top_.own, *bag);
  *bag = 0;
}

void detector::join_own(std::uint32_t* bag) noexcept {
  if (*bag != 0) --top_.unjoined;
  join(bag);
  find_private();
}

void detector::begin_branch_of(const void* object, unsigned kind, std::uint64_t index,
                               std::uintptr_t from, std::uintptr_t stack) noexcept {
  std::uint32_t* bag = nullptr;
  {
    const apart own;
    bag = &object_bags_[object];
  }
  begin_branch(bag, kind, index, from, stack);
}

void detector::join(const void* object) noexcept {
  const apart own;
  if (const auto at = object_bags_.find(object); at != object_bags_.end()) {
    join(&at->second);
    object_bags_.erase(at);
  }
  graphs_.erase(object);
  if (const auto at = members_.find(object); at != members_.end()) {
    const std::vector<const void*> all = std::move(at->second);
    members_.erase(at);
    for (const void* each : all) join(each);
  }
}

void detector::belong(const void* object, const void* owner) noexcept {
  const apart own;
  members_[owner].push_back(object);
}

void detector::begin_node(const void* run, std::uint32_t index, std::uintptr_t from,
                          std::uintptr_t stack) noexcept {
  std::uint64_t number = 0;
  {
    const apart own;
    graph& g = graphs_[run];
    if (g.number == 0) g.number = ++graph_number_;
    if (index >= most_nodes) reports::give_up("a task graph of more than 32768 functions", 0);
    if (g.before.size() <= index) g.before.resize(index + 1);
    g.now = index + 1;
    number = g.number;
  }
  constexpr auto kind = static_cast<unsigned>(detail::race::kind::node);
  begin_branch_of(run, kind, number << 32U | index, from, stack);
}

void detector::precede(const void* run, std::uint32_t before, std::uint32_t after) noexcept {
  const apart own;
  graph& g = graphs_[run];
  const std::size_t n = std::max(before, after) + std::size_t{1};
  if (g.before.size() < n) g.before.resize(n);
  const std::vector<bool>& from = g.before[before];
  std::vector<bool>& to = g.before[after];
  if (to.size() < std::max<std::size_t>(from.size(), before + 1))
    to.resize(std::max<std::size_t>(from.size(), before + 1));
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i]) to[i] = true;
  to[before] = true;
}

// The innermost function of a graph that runs, in which that was done, precedes the one that runs.
bool detector::precedes_by_graph(branch_id id) const noexcept {
  for (branch_id b = id; b != 0; b = bags_.origin(b).parent) {
    const branch_origin& o = bags_.origin(b);
    if (beginnings_[o.how].kind != static_cast<unsigned>(detail::race::kind::node)) continue;
    for (const auto& [run, g] : graphs_) {
      if (g.number != o.index >> 32U) continue;
      if (g.now == 0) return false;
      const std::vector<bool>& before = g.before[g.now - 1];
      const auto index = static_cast<std::uint32_t>(o.index);
      return index < before.size() && before[index];
    }
  }
  return false;
}

// ---- Views.

void* detector::view(const void* reducer) noexcept {
  const auto mine = views_.find(top_.own);
  if (mine == views_.end()) return nullptr;
  const auto at = mine->second.find(reducer);
  return at != mine->second.end() && at->second.last_is_own ? at->second.all.back() : nullptr;
}

void detector::add_view(const void* reducer, void* view) {
  const apart own;
  views_of_reducer& mine = views_[top_.own][reducer];
  mine.all.push_back(view);
  mine.last_is_own = true;
}

void* detector::take_view(const void* reducer) noexcept {
  const apart own;
  const auto mine = views_.find(top_.own);
  if (mine == views_.end()) return nullptr;
  const auto at = mine->second.find(reducer);
  if (at == mine->second.end()) return nullptr;
  views_of_reducer& views = at->second;
  void* const leftmost = views.all[views.taken++];
  if (views.taken == views.all.size()) mine->second.erase(at);
  return leftmost;
}

void detector::begin_static() noexcept {
  if (statics_++ != 0) return;
  before_static_ = current_;
  locked_before_static_ = locked_;
  current_ = 1;  // precedes everything
  locked_ = false;
}

void detector::end_static() noexcept {
  if (--statics_ != 0) return;
  current_ = before_static_;
  locked_ = locked_before_static_;
}

// ---- Locks.

std::uint32_t detector::number_of_set(std::vector<std::uintptr_t> locks) {
  const auto at = std::find(locksets_.begin(), locksets_.end(), locks);
  if (at != locksets_.end()) return static_cast<std::uint32_t>(at - locksets_.begin());
  locksets_.push_back(std::move(locks));
  return static_cast<std::uint32_t>(locksets_.size() - 1);
}

// Kept as a multiset: a recursive lock counts.
std::uint32_t detector::lockset_with(std::uint32_t set, std::uintptr_t lock) {
  std::vector<std::uintptr_t> locks = locksets_[set];
  locks.insert(std::lower_bound(locks.begin(), locks.end(), lock), lock);
  return number_of_set(std::move(locks));
}

std::uint32_t detector::lockset_without(std::uint32_t set, std::uintptr_t lock) {
  std::vector<std::uintptr_t> locks = locksets_[set];
  const auto at = std::lower_bound(locks.begin(), locks.end(), lock);
  if (at == locks.end() || *at != lock) return set;
  locks.erase(at);
  return number_of_set(std::move(locks));
}

void detector::use_lockset(std::uint32_t set) noexcept {
  top_.lockset = set;
  locked_ = set != 0;
  if (set == 0) {
    current_ = top_.own;
    return;
  }
  const apart own;
  branch_id& alias = aliases_[std::uint64_t{top_.own} << 32U | set];
  if (alias == 0) {
    alias = bags_.alias(top_.own);
    lockset_of_[alias] = set;
  }
  current_ = alias;
}

void detector::take(const void* lock, bool shared) noexcept {
  const apart own;
  use_lockset(lockset_with(top_.lockset,
                           reinterpret_cast<std::uintptr_t>(lock) | (shared ? with_others : 0)));
}

void detector::drop(const void* lock) noexcept {
  const apart own;
  const auto number = reinterpret_cast<std::uintptr_t>(lock);
  const std::uint32_t without = lockset_without(top_.lockset, number);
  use_lockset(without != top_.lockset ? without
                                      : lockset_without(top_.lockset, number | with_others));
}

// ---- Accesses.

code_id detector::code_elsewhere(std::uintptr_t by) noexcept {
  const apart own;
  const auto [at, is_new] =
      code_numbers_.try_emplace(by, static_cast<std::uint32_t>(codes_.size()));
  if (is_new) codes_.push_back(by);
  return at->second & ((std::uint32_t{1} << 28U) - 1);
}

void detector::touch_other(cell& c, std::uintptr_t address, code_id by, bool writes) noexcept {
  if (locked_ || c.writer >= least_mark) [[unlikely]]
    return touch_marked(c, address, by, writes);
  if (races_with(c.writer)) [[unlikely]]
    found(address, {c.writer, c.written_by, true}, {current_, by, writes});
  if (writes) {
    if (races_with(c.reader)) [[unlikely]]
      found(address, {c.reader, c.read_by, false}, {current_, by, writes});
    // The read before it need not be kept: what is parallel to that is parallel to this write.
    c = {current_, by, 0, 0};
  } else if (c.writer != current_ && c.reader != current_ &&
             (c.reader == 0 || !is_parallel(c.reader))) {
    c.reader = current_;
    c.read_by = by;
  }
}

void detector::touch_marked(cell& c, std::uintptr_t address, code_id by, bool writes) noexcept {
  if (c.writer == by_bytes) {
    cell* const four = bytes_.of(c.written_by);
    for (int i = 0; i < 4; ++i) touch_other(four[i], address + static_cast<unsigned>(i), by, writes);
  } else {
    touch_listed(c, address, by, writes);
  }
}

void detector::touch_listed(cell& c, std::uintptr_t address, code_id by, bool writes) noexcept {
  const apart own;
  if (c.writer != by_list) {
    std::uint32_t list = 0;
    if (!free_lists_.empty()) {
      list = free_lists_.back();
      free_lists_.pop_back();
    } else {
      list = static_cast<std::uint32_t>(lists_.size());
      lists_.emplace_back();
    }
    if (c.writer != 0) lists_[list].push_back({c.writer, c.written_by, true});
    if (c.reader != 0) lists_[list].push_back({c.reader, c.read_by, false});
    c = {by_list, list, 0, 0};
  }
  std::vector<one_access>& all = lists_[c.written_by];
  const auto locks_of = [this](branch_id id) -> const std::vector<std::uintptr_t>& {
    const auto at = lockset_of_.find(id);
    return locksets_[at == lockset_of_.end() ? 0 : at->second];
  };
  const std::vector<std::uintptr_t>& mine = locks_of(current_);
  const auto contains = [](const auto& large, const auto& small) {
    return std::includes(large.begin(), large.end(), small.begin(), small.end());
  };
  bool is_needed = true;
  for (const one_access& e : all) {
    if (!is_parallel(e.branch)) continue;
    if ((e.writes || writes) && are_disjoint(locks_of(e.branch), mine)) {
      found(address, e, {current_, by, writes});
      break;
    }
  }
  std::erase_if(all, [&](const one_access& e) {
    return !is_parallel(e.branch) && (writes || !e.writes) && contains(locks_of(e.branch), mine);
  });
  for (const one_access& e : all)
    if ((e.writes || !writes) && contains(mine, locks_of(e.branch)) &&
        (is_parallel(e.branch) || e.branch == current_))
      is_needed = false;
  if (is_needed) all.push_back({current_, by, writes});
  // Without any locks it is a plain cell again.
  if (all.size() == 1 && all[0].writes && lockset_of_.find(all[0].branch) == lockset_of_.end()) {
    const one_access last = all[0];
    all.clear();
    free_lists_.push_back(c.written_by);
    c = {last.branch, last.by, 0, 0};
  }
}

void detector::touch_bytes(std::uintptr_t address, std::size_t bytes, code_id by,
                           bool writes) noexcept {
  while (bytes != 0) {
    cell& c = shadow::cell_of(shadow_.get(address), address);
    const std::size_t skipped = address % 4;
    const std::size_t n = std::min(bytes, 4 - skipped);
    if (n == 4) {
      touch_other(c, address, by, writes);
    } else {
      if (c.writer != by_bytes) {
        const std::uint32_t four = bytes_.take();
        // A list is not shared by four cells.
        cell* const each = bytes_.of(four);
        for (int i = 0; i < 4; ++i) each[i] = c;
        if (c.writer == by_list) {
          const apart own;
          for (int i = 1; i < 4; ++i) {
            each[i].written_by = static_cast<std::uint32_t>(lists_.size());
            lists_.push_back(lists_[c.written_by]);
          }
        }
        c = {by_bytes, four, 0, 0};
      }
      cell* const each = bytes_.of(c.written_by);
      for (std::size_t i = 0; i < n; ++i) touch_other(each[skipped + i], address + i, by, writes);
      const auto is_first = [&](const cell& e) {
        return e.writer == each[0].writer && e.reader == each[0].reader;
      };
      if (each[0].writer < least_mark && std::all_of(each + 1, each + 4, is_first)) {
        const std::uint32_t four = c.written_by;
        c = each[0];
        bytes_.give_back(four);
      }
    }
    address += n;
    bytes -= n;
  }
}

void detector::touch_range(std::uintptr_t address, std::size_t bytes, std::uintptr_t by,
                           bool writes) noexcept {
  if (is_private(address)) return;
  if (address < lowest_ && address >= stack_end_) lowest_ = address;
  ++accesses_;
  touch_bytes(address, bytes, (code_of(by, 1) & ~(7U << 28U)) | 6U << 28U, writes);
}

void detector::touch_atomically(std::uintptr_t address, std::size_t bytes, std::uintptr_t by,
                                bool writes) noexcept {
  if (is_private(address)) return;
  ++accesses_;
  if (address < lowest_ && address >= stack_end_) lowest_ = address;
  const apart own;
  // As if all atomic accesses held one lock: they don't race with each other.
  const std::uint32_t before = top_.lockset;
  const bool is_static = statics_ != 0;
  if (!is_static) use_lockset(lockset_with(before, lock_of_atomics));
  touch_bytes(address, bytes, (code_of(by, 1) & ~(7U << 28U)) | 7U << 28U, writes);
  if (!is_static) use_lockset(before);
}

// ---- Memory.

void detector::clear_marked(cell& c) noexcept {
  if (c.writer == by_bytes) {
    const std::uint32_t four = c.written_by;
    for (int i = 0; i < 4; ++i)
      if (bytes_.of(four)[i].writer >= least_mark) clear_marked(bytes_.of(four)[i]);
    bytes_.give_back(four);
  } else if (c.writer == by_list) {
    const apart own;
    lists_[c.written_by].clear();
    free_lists_.push_back(c.written_by);
  }
}

void detector::clear(std::uintptr_t from, std::uintptr_t to) noexcept {
  from &= ~std::uintptr_t{3};
  while (from < to) {
    const std::uintptr_t end = std::min(to, (from | (shadow::chunk_bytes - 1)) + 1);
    if (shadow::chunk* const c = shadow_.find(from); c != nullptr) {
      cell* const first = &shadow::cell_of(*c, from);
      cell* const last = first + (end - from + 3) / 4;
      for (cell* each = first; each != last; ++each)
        if (each->writer >= least_mark) [[unlikely]]
          clear_marked(*each);
      // What was never touched has no memory, and is to have none.
      if (last - first < many_cells) {
        std::fill(first, last, cell{});
      } else {
        for (cell* each = first; each != last; ++each)
          if (each->writer != 0 || each->reader != 0) *each = {};
      }
    }
    from = end;
  }
}

void detector::is_fresh(std::uintptr_t from, std::size_t bytes) noexcept {
  clear(from, from + bytes);
}

void detector::is_allocated(void* at, std::size_t bytes, std::uintptr_t by) noexcept {
  const apart own;
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  clear(address, address + bytes);
  const auto [found, is_new] =
      allocator_numbers_.try_emplace(by, static_cast<std::uint32_t>(allocators_.size()));
  if (is_new) allocators_.push_back(by);
  std::uint32_t* const place =
      &shadow_.get(address).allocations[(address & (shadow::chunk_bytes - 1)) / 16];
  place[0] = found->second;
  place[1] = shadow::is_size | static_cast<std::uint32_t>(bytes / 8);
}

void detector::forget_allocation(const void* at) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  if (!is_made) return;
  shadow::chunk* const c = shadow_.find(address);
  if (c == nullptr) return;
  std::uint32_t* const place = &c->allocations[(address & (shadow::chunk_bytes - 1)) / 16];
  __atomic_store_n(place, 0, __ATOMIC_RELAXED);  // other threads free, too
  __atomic_store_n(place + 1, 0, __ATOMIC_RELAXED);
}

void detector::is_freed(void* at, std::size_t bytes, std::uintptr_t by) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const code_id code = (code_of(by, 1) & ~(7U << 28U)) | 5U << 28U;
  // Bytes that nobody has touched need no trace of the end.
  for (std::size_t i = 0; i < bytes; i += 4) {
    shadow::chunk* const in = shadow_.find(address + i);
    if (in == nullptr) continue;
    cell& each = shadow::cell_of(*in, address + i);
    if (each.writer != 0 || each.reader != 0) touch_other(each, address + i, code, true);
  }
}

int detector::end() noexcept {
  if (!is_made || ended_) return 0;
  ended_ = true;
  ++away;
  return reports::finish(*this);
}

void detector::found(std::uintptr_t address, const one_access& earlier,
                     const one_access& later) noexcept {
  const apart own;
  ++races_;
  reports::add(*this, address, earlier, later);
}

}  // namespace heist::inline v0::race
