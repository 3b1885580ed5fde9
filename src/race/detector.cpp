#include "race/detector.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include <link.h>
#include <pthread.h>
#include <sys/mman.h>

#include "race/report.hpp"

namespace heist::inline v0::race {

alignas(detector) constinit unsigned char detector_bytes[sizeof(detector)]{};

constinit thread_local int in_heist = 0;
constinit thread_local int away = 1;  // until begin(), and on all other threads

namespace {

constinit bool is_made = false;

constexpr std::size_t few = 8;  // of a list: they are looked at each time

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

// A variable of the calling thread: what runs beside the caller on another one has another.
bool is_thread_local(std::uintptr_t address) noexcept {
  return ::dl_iterate_phdr(
             [](dl_phdr_info* info, std::size_t, void* wanted) {
               const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data);
               if (first == 0) return 0;
               const std::uintptr_t at = *static_cast<std::uintptr_t*>(wanted);
               for (int i = 0; i < info->dlpi_phnum; ++i)
                 if (info->dlpi_phdr[i].p_type == PT_TLS && at - first < info->dlpi_phdr[i].p_memsz)
                   return 1;
               return 0;
             },
             &address) != 0;
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
    reports::give_up("no room for shadow memory, which needs 29 GB of addresses", errno);
  d.program_ = base_of_program();
  d.stack_end_ = end_of_stack();
  d.top_->own = d.top_->plain = d.current_ = d.bags_.open({}, true);
  d.top_->lowest = d.lowest_ = ~std::uintptr_t{0};
  d.top_->stack = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  d.find_private();
  d.beginnings_.emplace_back();
  d.codes_.push_back(0);
  away = 0;
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
  if (locked_ || c.writer() >= least_mark) [[unlikely]]
    return touch_marked(c, address, by, writes);
  const bool races = races_with(c.writer());
  if (races) [[unlikely]]
    found(address, {c.writer(), c.written_by, 0, true}, {current_, by, 0, writes});
  if (writes) {
    if (races_with(c.reader())) [[unlikely]]
      found(address, {c.reader(), c.read_by, 0, false}, {current_, by, 0, writes});
    // The read before it need not be kept: what is parallel to that is parallel to this write.
    c = {.both = current_, .written_by = by};
    return;
  }
  if (c.writer() != current_ && c.reader() != current_) {
    if (!races_with(c.reader())) {
      c.set_reader(current_, by);
    } else if (!stands_for_this(c.reader())) {
      return touch_listed(c, address, by, false);
    }
  }
  if (!races) verdicts_.keep_read(c.both);
}

void detector::touch_marked(cell& c, std::uintptr_t address, code_id by, bool writes) noexcept {
  if (c.writer() == by_bytes) {
    cell* const four = bytes_.of(c.written_by);
    for (int i = 0; i < 4; ++i)
      touch_other(four[i], address + static_cast<unsigned>(i), by, writes);
  } else {
    touch_listed(c, address, by, writes);
  }
}

// One of the last accesses says as much as one that the current branch makes. Those further back
// aren't asked: then an entry is kept that wasn't needed.
bool detector::is_said(const access_list& all, bool writes) noexcept {
  constexpr std::ptrdiff_t most = 32;
  const std::uint32_t mine = lockset();
  const auto says = [&](const one_access& e) {
    if (e.branch == current_) return true;
    return stands_for_this(e.branch) &&
           (e.lockset == mine || contains(locksets_[mine], locksets_[e.lockset])) &&
           is_parallel(e.branch);
  };
  const auto among = [&](const std::vector<one_access>& these) {
    return std::any_of(these.rbegin(), these.rbegin() + std::min(std::ssize(these), most), says);
  };
  return among(all.writes) || (!writes && among(all.reads));
}

// Leaves out what precedes the current branch with at least its locks, and what precedes all that
// is still to come. `writes`: of what the current branch does.
void detector::clean(access_list& all, bool writes) noexcept {
  const lock_set& mine = locksets_[lockset()];
  const auto is_past = [&](const one_access& e) {
    if (is_of_root(e.branch)) return true;
    return (writes || !e.writes) && !is_parallel(e.branch) && contains(locksets_[e.lockset], mine);
  };
  std::erase_if(all.reads, is_past);
  std::erase_if(all.writes, is_past);
  bool is_first = true;
  lock_set common;
  for (const auto* these : {&all.reads, &all.writes}) {
    for (const one_access& e : *these) {
      const lock_set& its = locksets_[e.lockset];
      if (std::exchange(is_first, false))
        common = its;
      else if (!common.empty())
        common = both_of(common, its);
    }
  }
  all.common = number_of_set(std::move(common));
  all.clean_at = 2 * (all.reads.size() + all.writes.size()) + few;
}

void detector::touch_listed(cell& c, std::uintptr_t address, code_id by, bool writes) noexcept {
  const apart own;
  if (c.writer() != by_list) make_list(c);
  access_list& all = lists_[c.written_by];
  const one_access now{current_, by, lockset(), writes};
  const lock_set& mine = locksets_[now.lockset];
  if (are_disjoint(locksets_[all.common], mine)) {
    const auto races = [&](const one_access& e) {
      return is_parallel(e.branch) && are_disjoint(locksets_[e.lockset], mine);
    };
    auto at = std::find_if(all.writes.begin(), all.writes.end(), races);
    bool has_found = at != all.writes.end();
    if (writes && !has_found) {
      at = std::find_if(all.reads.begin(), all.reads.end(), races);
      has_found = at != all.reads.end();
    }
    if (has_found) found(address, *at, now);
  }
  const std::size_t size = all.reads.size() + all.writes.size();
  if (size >= all.clean_at || (writes && size <= few)) clean(all, writes);
  if (!is_said(all, writes)) {
    if (all.reads.empty() && all.writes.empty())
      all.common = now.lockset;
    else if (all.common != now.lockset)
      all.common = number_of_set(both_of(mine, locksets_[all.common]));
    (writes ? all.writes : all.reads).push_back(now);
  }
  // Without any locks it is a plain cell again.
  if (locked_ || !all.reads.empty() || all.writes.size() != 1) return;
  const one_access last = all.writes[0];
  if (last.branch != current_) return;
  free_lists_.push_back(c.written_by);
  all = {};
  c = {.both = last.branch, .written_by = last.by};
}

void detector::make_list(cell& c) {
  std::uint32_t list = 0;
  if (!free_lists_.empty()) {
    list = free_lists_.back();
    free_lists_.pop_back();
  } else {
    list = static_cast<std::uint32_t>(lists_.size());
    lists_.emplace_back();
  }
  if (c.writer() != 0) lists_[list].writes.push_back({c.writer(), c.written_by, 0, true});
  if (c.reader() != 0) lists_[list].reads.push_back({c.reader(), c.read_by, 0, false});
  c = {.both = by_list, .written_by = list};
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
      if (c.writer() != by_bytes) {
        const std::uint32_t four = bytes_.take();
        // A list is not shared by four cells.
        cell* const each = bytes_.of(four);
        for (int i = 0; i < 4; ++i) each[i] = c;
        if (c.writer() == by_list) {
          const apart own;
          for (int i = 1; i < 4; ++i) {
            each[i].written_by = static_cast<std::uint32_t>(lists_.size());
            lists_.push_back(lists_[c.written_by]);
          }
        }
        c = {.both = by_bytes, .written_by = four};
      }
      cell* const each = bytes_.of(c.written_by);
      for (std::size_t i = 0; i < n; ++i) touch_other(each[skipped + i], address + i, by, writes);
      const auto is_first = [&](const cell& e) { return e.both == each[0].both; };
      if (each[0].writer() < least_mark && std::all_of(each + 1, each + 4, is_first)) {
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
  const std::uint32_t before = top_->lockset;
  const bool is_static = statics_ != 0;
  if (before >= with_atomics_.size()) with_atomics_.resize(before + std::size_t{1});
  if (with_atomics_[before] == 0) with_atomics_[before] = lockset_with(before, lock_of_atomics);
  if (!is_static) use_lockset(with_atomics_[before]);
  touch_bytes(address, bytes, (code_of(by, 1) & ~(7U << 28U)) | 7U << 28U, writes);
  if (!is_static) use_lockset(before);
}

// ---- Memory.

void detector::clear_marked(cell& c) noexcept {
  if (c.writer() == by_bytes) {
    const std::uint32_t four = c.written_by;
    for (int i = 0; i < 4; ++i)
      if (bytes_.of(four)[i].writer() >= least_mark) clear_marked(bytes_.of(four)[i]);
    bytes_.give_back(four);
  } else if (c.writer() == by_list) {
    const apart own;
    lists_[c.written_by] = {};
    free_lists_.push_back(c.written_by);
  }
}

void detector::clear(std::uintptr_t from, std::uintptr_t to) noexcept {
  from &= ~std::uintptr_t{3};
  while (from < to) {
    const std::uintptr_t end = std::min(to, (from | (shadow::chunk_bytes - 1)) + 1);
    if (shadow::chunk* const c = shadow_.find(from); c != nullptr) {
      cell* const first = &shadow::cell_of(*c, from);
      clear_cells(first, first + (end - from + 3) / 4);
    }
    from = end;
  }
}

void detector::clear_cells(cell* first, cell* last) noexcept {
  constexpr std::ptrdiff_t at_once = 8;
  for (; last - first >= at_once; first += at_once) {
    cell::numbers all = 0;
    for (std::ptrdiff_t i = 0; i < at_once; ++i) all |= first[i].both;
    if (all == 0) continue;  // what was never touched is to get no memory
    if (cell{.both = all}.writer() >= least_mark) [[unlikely]]
      for (std::ptrdiff_t i = 0; i < at_once; ++i)
        if (first[i].writer() >= least_mark) clear_marked(first[i]);
    std::fill(first, first + at_once, cell{});
  }
  for (; first != last; ++first) {
    if (first->writer() >= least_mark) [[unlikely]]
      clear_marked(*first);
    if (first->both != 0) *first = {};
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
    if (each.both != 0) touch_other(each, address + i, code, true);
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
  if (is_thread_local(address)) return;
  ++races_;
  reports::add(*this, address, earlier, later);
}

namespace last_reference {

constinit thread_local std::uintptr_t held_counter = 0;

namespace {

constinit thread_local std::size_t held_at = 0;  // the calls that the thread was in

void let_go() noexcept {
  held_counter = 0;
  --away;
}

}  // namespace

void hold(std::uintptr_t counter, std::size_t depth) noexcept {
  if (is_held()) return;
  held_counter = counter;
  held_at = depth;
  ++away;
}

void left(std::size_t depth) noexcept {
  if (is_held() && depth < held_at) let_go();
}

void freed(std::uintptr_t first, std::size_t bytes) noexcept {
  if (is_held() && held_counter - first < bytes) let_go();
}

}  // namespace last_reference

}  // namespace heist::inline v0::race
