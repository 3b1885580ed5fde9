// The detector's state, and what each access does with it.
//
// The run is serial, on the thread that begins it; what other threads do isn't looked at.
// Everything here belongs to that thread, except `away`, which each thread has for itself.
//
// The rule for accesses without locks is that of SP-bags: a cell keeps the last write, and one read
// that is parallel to as much as possible (bags.hpp, B3); an access that finds the other's number
// in a set marked parallel races with it. With locks, and for reads of several families, a cell
// keeps a list: ALL-SETS (Cheng, Feng, Leiserson, Randall, Stark, "Detecting data races in Cilk
// programs that use locks", 1998). Both report a race on a location if and only if there is one in
// the program's graph of this input.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heist/detail/race.hpp"
#include "race/bags.hpp"
#include "race/last_reference.hpp"
#include "race/locks.hpp"
#include "race/shadow.hpp"
#include "race/verdicts.hpp"

namespace heist::inline v0::race {

// Around what the detector does for itself: its own memory isn't the program's.
class apart {
 public:
  apart() noexcept { ++away; }
  ~apart() { --away; }
  apart(const apart&) = delete;
  apart& operator=(const apart&) = delete;
};

// By construct, and the place of its call.
struct beginning {
  unsigned kind = 0;                      // as detail::race::kind
  std::array<std::uintptr_t, 16> from{};  // and the calls around it, the innermost first
};

struct one_access {
  branch_id branch = 0;
  code_id by = 0;
  std::uint32_t lockset = 0;
  bool writes = false;
};

// What still matters of what has touched a cell, where a last write and one read don't say it.
struct access_list {
  std::vector<one_access> writes{}, reads{};
  std::uint32_t common = 0;  // a set of locks that all of them held
  std::size_t clean_at = 0;  // so many: time to look which of them still matter
};

// Moments in the order of their branches; nullptr: none.
using moments = std::vector<moment>;
using clock_ref = std::shared_ptr<const moments>;
[[nodiscard]] clock_ref merged(const clock_ref& a, const clock_ref& b);

// An item's passage through a stage of a pipeline, as the index of its branch.
struct stage_index {
  std::uint16_t run;  // the lower bits of its number
  unsigned stage;
  std::uint64_t item;

  explicit stage_index(std::uint64_t index) noexcept
      : run(static_cast<std::uint16_t>(index >> 48U)),
        stage(index >> 40U & 0xffU),
        item(index & ((std::uint64_t{1} << 40U) - 1)) {}
  [[nodiscard]] static std::uint64_t of(std::uint64_t run, unsigned stage,
                                        std::uint64_t item) noexcept {
    return run << 48U | std::uint64_t{stage} << 40U | item;
  }
};

class detector {
 public:
  static detector& instance() noexcept;
  detector() = default;
  detector(const detector&) = delete;
  detector& operator=(const detector&) = delete;

  // Ends the process if there is no memory, or a variable has a bad value.
  void begin() noexcept;
  // What was found is written, too. The exit code that a program without errors is to have.
  [[nodiscard]] int end() noexcept;

  // ---- Branches. `bag` is the caller's, of those that wait for one join: 0 at first.
  void begin_branch(std::uint32_t* bag, unsigned kind, std::uint64_t index, std::uintptr_t from,
                    std::uintptr_t stack, bool is_loose = false) noexcept;
  void end_branch() noexcept;
  void join(std::uint32_t* bag) noexcept;
  // The same for an object that has no room for a bag.
  void begin_branch_of(const void* object, unsigned kind, std::uint64_t index, std::uintptr_t from,
                       std::uintptr_t stack) noexcept;
  void join(const void* object) noexcept;
  // What joins `owner` joins `object`, too.
  void belong(const void* object, const void* owner) noexcept;
  // Functions of a graph: each is a branch of `run`, and what precedes it is told before it begins.
  void begin_node(const void* run, std::uint32_t index, std::uintptr_t from,
                  std::uintptr_t stack) noexcept;
  void precede(const void* run, std::uint32_t before, std::uint32_t after) noexcept;
  // A pipeline: which of its stages are in order; the first one is the source. Then each item's
  // passage through a stage is a branch of `run`.
  void begin_pipeline(const void* run, const bool* in_order, unsigned stages,
                      std::uint64_t tokens) noexcept;
  void begin_stage(const void* run, unsigned stage, std::uint64_t item, std::uintptr_t from,
                   std::uintptr_t stack) noexcept;
  // Messages by an object, or its making.
  void order(const void* object, detail::race::message how);

  // ---- Views of reducers: each branch has its own, in order. view() is the branch's last one, or
  // nullptr; add_view() puts one behind it. take_view() gives the leftmost one to the caller.
  [[nodiscard]] void* view(const void* reducer) noexcept;
  void add_view(const void* reducer, void* view);
  [[nodiscard]] void* take_view(const void* reducer) noexcept;

  // ---- Locks that the current branch holds.
  void take(const void* lock, bool shared) noexcept;
  void drop(const void* lock) noexcept;

  // ---- Memory.
  // Those of one construct, which the branch itself joins.
  void join_own(std::uint32_t* bag) noexcept;
  void is_fresh(std::uintptr_t from, std::size_t bytes) noexcept;
  void is_allocated(void* at, std::size_t bytes, std::uintptr_t by) noexcept;
  void is_freed(void* at, std::size_t bytes, std::uintptr_t by) noexcept;
  void forget_allocation(const void* at) noexcept;

  // ---- Accesses. N bytes at an address that is a multiple of min(N, 8). Most are of what the
  // branch has just touched: everything else is out of line. (A branch that holds locks has a
  // number that is in no cell.)
  template <std::size_t N, bool Writes>
  [[gnu::always_inline]] void touch(std::uintptr_t address, std::uintptr_t by) noexcept {
    if (is_private(address)) return;
    // Not in the unused part of the stack, into which the branch would grow.
    if (address - stack_end_ >= lowest_ - stack_end_) [[likely]] {
      if (shadow::chunk* const chunk = shadow_.find(address); chunk != nullptr) [[likely]] {
        if (is_quiet<Writes>(&shadow::cell_of(*chunk, address), N < 4 ? 1 : N / 4)) [[likely]]
          return;
      }
    }
    touch_slowly<N, Writes>(address, by);
  }
  void touch_range(std::uintptr_t address, std::size_t bytes, std::uintptr_t by,
                   bool writes) noexcept;
  void touch_atomically(std::uintptr_t address, std::size_t bytes, std::uintptr_t by,
                        bool writes) noexcept;

  // The calls that the thread is in, as the compiler announces them.
  void enter(std::uintptr_t from) noexcept {
    if (depth_ < most_calls) calls_[depth_] = from;
    ++depth_;
  }
  void leave() noexcept {
    if (depth_ != 0) --depth_;
  }

  [[nodiscard]] std::size_t depth() const noexcept { return depth_; }
  [[nodiscard]] std::uint64_t races() const noexcept { return races_; }
  // Those that were not of what the branch had just touched.
  [[nodiscard]] std::uint64_t accesses() const noexcept { return accesses_; }
  [[nodiscard]] branch_id branches() const noexcept { return bags_.count(); }

  // While a lazy static is made its thread has it for itself, and who comes later finds it ready.
  void begin_static() noexcept;
  void end_static() noexcept;

 private:
  friend struct describer;
  static constexpr branch_id root = 1;
  static constexpr std::size_t most_calls = 1U << 16;

  struct open_branch {
    branch_id own = 0;
    branch_id plain = 0;  // its number while it holds no locks
    std::uint32_t* bag = nullptr;
    std::uintptr_t stack = 0, lowest = 0;
    std::size_t depth = 0;
    std::uint32_t lockset = 0;
    std::uint32_t unjoined = 0;  // bags of its own constructs with branches
    bool of_object = false;
    // A branch that an object joins has ended in it: nobody knows when that is joined.
    bool has_loose = false;
    bool has_sent = false;  // it, or what was begun in it
    clock_ref received{};
    std::vector<std::pair<std::uint32_t, branch_id>> aliases{};  // its numbers, by lockset

    void begin(branch_id id, std::uint32_t* its_bag, std::uintptr_t its_stack,
               const clock_ref& received_before) noexcept;
  };

  [[nodiscard]] code_id code_of(std::uintptr_t by, std::size_t bytes) noexcept {
    const std::uintptr_t offset = by - program_;
    const auto log = static_cast<std::uint32_t>(bytes >= 16 ? 4 : bytes >= 8 ? 3 : bytes >> 1U);
    if (offset < (std::uintptr_t{1} << 28U)) [[likely]]
      return static_cast<std::uint32_t>(offset) | log << 28U;
    return code_elsewhere(by) | log << 28U | std::uint32_t{1} << 31U;
  }
  [[nodiscard]] code_id code_elsewhere(std::uintptr_t by) noexcept;

  [[gnu::always_inline]] [[nodiscard]] static bool are_alike(const cell* first,
                                                             std::size_t n) noexcept {
    for (std::size_t i = 1; i < n; ++i)
      if (first[i].both != first->both) return false;
    return true;
  }
  // n cells that are alike, and in which an access by the current branch changes nothing.
  template <bool Writes>
  [[gnu::always_inline]] [[nodiscard]] bool is_quiet(const cell* first,
                                                     std::size_t n) const noexcept {
    return are_alike(first, n) &&
           (first->both == current_ || (!Writes && verdicts_.is_read(first->both)));
  }
  // In a frame of the branch that runs, of which all branches have been joined: nothing that is
  // parallel has touched it, and what comes later follows.
  [[gnu::always_inline]] [[nodiscard]] bool is_private(std::uintptr_t address) const noexcept {
    return address - stack_end_ < private_bytes_;
  }
  void find_private() noexcept {
    private_bytes_ = top_->unjoined == 0 && !top_->has_loose ? top_->stack - stack_end_ : 0;
  }
  template <std::size_t N, bool Writes>
  [[gnu::noinline]] void touch_slowly(std::uintptr_t address, std::uintptr_t by) noexcept {
    ++accesses_;
    if (address < lowest_ && address >= stack_end_) lowest_ = address;
    const code_id code = code_of(by, N);
    if constexpr (N < 4) {
      touch_bytes(address, N, code, Writes);
    } else {
      cell* const first = &shadow::cell_of(shadow_.get(address), address);
      if (!touch_known<Writes>(first, N / 4, code)) touch_each<Writes>(first, N / 4, address, code);
    }
  }
  // n cells that are alike, and of which nothing has to be found out. False: they aren't.
  template <bool Writes>
  [[gnu::always_inline]] [[nodiscard]] bool touch_known(cell* first, std::size_t n,
                                                        code_id by) noexcept {
    const branch_id writer = first->writer(), reader = first->reader();
    if (locked_ || !are_alike(first, n) || !is_known_serial(writer) || !is_known_serial(reader))
      return false;
    for (std::size_t i = 0; i < n; ++i) {
      if (Writes) {
        first[i] = {.both = current_, .written_by = by};
      } else if (writer != current_ && reader != current_) {
        first[i].set_reader(current_, by);
      }
    }
    if (!Writes) verdicts_.keep_read(first->both);
    return true;
  }
  template <bool Writes>
  [[gnu::noinline]] void touch_each(cell* first, std::size_t n, std::uintptr_t address,
                                    code_id by) noexcept {
    for (std::size_t i = 0; i < n; ++i)
      if (!is_quiet<Writes>(first + i, 1)) touch_other(first[i], address, by, Writes);
  }
  [[gnu::always_inline]] [[nodiscard]] bool is_known_serial(branch_id id) const noexcept {
    return id == 0 || id == current_ || verdicts_.is_serial(id);
  }
  void touch_other(cell& c, std::uintptr_t address, code_id by, bool writes) noexcept;
  [[gnu::noinline]] void touch_marked(cell& c, std::uintptr_t address, code_id by,
                                      bool writes) noexcept;
  void touch_listed(cell& c, std::uintptr_t address, code_id by, bool writes) noexcept;
  void make_list(cell& c);
  [[nodiscard]] std::uint32_t lockset() const noexcept { return locked_ ? top_->lockset : 0; }
  [[nodiscard]] bool is_said(const access_list& all, bool writes) noexcept;
  void clean(access_list& all, bool writes) noexcept;
  void touch_bytes(std::uintptr_t address, std::size_t bytes, code_id by, bool writes) noexcept;
  void clear_marked(cell& c) noexcept;
  void clear(std::uintptr_t from, std::uintptr_t to) noexcept;
  void clear_cells(cell* first, cell* last) noexcept;
  void need_number() const noexcept;
  [[nodiscard]] std::uint32_t number_of_beginning(unsigned kind, std::uintptr_t from) noexcept;
  void hand_up_views(branch_id ended) noexcept;
  void use_number(branch_id id) noexcept {
    current_ = id;
    verdicts_.forget_reads();
  }
  void use_lockset(std::uint32_t set) noexcept;
  [[nodiscard]] std::uint32_t lockset_with(std::uint32_t set, std::uintptr_t lock);
  [[nodiscard]] std::uint32_t lockset_without(std::uint32_t set, std::uintptr_t lock);
  [[nodiscard]] std::uint32_t number_of_set(lock_set locks);
  [[nodiscard]] bool is_parallel(branch_id id) noexcept {
    return bags_.is_parallel(id) && (graphs_.empty() || !precedes_by_graph(id)) &&
           (!top_->received || !follows_by_messages(id));
  }
  // Whether a read by that branch says enough of one by this, if the two are parallel.
  [[nodiscard]] bool stands_for_this(branch_id id) const noexcept {
    return id >= last_sent_ && bags_.family(id) == bags_.family(current_);
  }
  [[nodiscard]] bool races_with(branch_id id) noexcept {
    if (is_known_serial(id)) return false;
    if (is_parallel(id)) return true;
    verdicts_.keep_serial(id);
    return false;
  }
  [[nodiscard]] bool precedes_by_graph(branch_id id) const noexcept;
  [[nodiscard]] bool follows_by_messages(branch_id id) const noexcept;
  // The branch goes on under a new number.
  void renumber() noexcept;
  [[nodiscard]] clock_ref send();
  void receive(const clock_ref& sent);
  // It has been joined with the branch that the program began with.
  [[nodiscard]] bool is_of_root(branch_id id) noexcept { return bags_.are_joined(id, root); }
  void found(std::uintptr_t address, const one_access& earlier, const one_access& later) noexcept;

  // What each access uses comes first.
  branch_id current_ = 0;
  bool locked_ = false;
  std::uintptr_t lowest_ = 0, stack_end_ = 0;
  std::uintptr_t private_bytes_ = 0;  // from stack_end_ on
  std::uintptr_t program_ = 0;        // where it was loaded
  std::uint64_t accesses_ = 0;
  verdicts verdicts_;
  shadow shadow_;
  bags bags_;
  byte_cells bytes_;
  std::uint64_t races_ = 0;
  std::size_t depth_ = 0;
  reserved<std::uintptr_t> calls_;
  // The outermost one first; behind the innermost one are those whose memory is used again.
  std::vector<open_branch> open_ = std::vector<open_branch>(1);
  open_branch* top_ = open_.data();
  std::vector<beginning> beginnings_;
  std::unordered_map<std::uint64_t, std::uint32_t> beginning_numbers_;
  std::array<std::pair<std::uint64_t, std::uint32_t>, 64> last_beginnings_{};
  // A task graph, or a pipeline: then it has stages. The index of a branch has its number above.
  struct graph {
    std::uint64_t number = 0;
    std::uint64_t now = 0;  // the function that runs, plus 1; a stage's index
    std::vector<std::vector<std::uint64_t>> before;  // by function: what precedes it, as bits
    std::vector<unsigned> next_in_order;             // by stage: the first one from there on
    unsigned last_in_order = 0;
    std::uint64_t tokens = 0;

    [[nodiscard]] bool precedes_now(std::uint64_t index) const noexcept;
  };
  struct sent_by_object {
    std::deque<clock_ref> items;
    clock_ref to_all;
  };
  struct views_of_reducer {
    std::vector<void*> all;
    std::size_t taken = 0;
    bool last_is_own = false;  // of that branch, and not of one that has ended
  };
  static constexpr std::uint32_t most_nodes = 1U << 15U;

  std::unordered_map<const void*, std::uint32_t> object_bags_;
  std::unordered_map<const void*, std::vector<const void*>> members_;
  std::unordered_map<const void*, graph> graphs_;  // that run
  std::uint64_t graph_number_ = 0;
  std::unordered_map<const void*, sent_by_object> messages_;
  std::unordered_map<std::uint32_t, clock_ref> received_in_;  // by bag
  branch_id last_sent_ = 0;  // the number that the last sender went on with
  std::unordered_map<branch_id, std::unordered_map<const void*, views_of_reducer>> views_;
  std::uint64_t views_made_ = 0;
  std::vector<std::uintptr_t> codes_;
  std::unordered_map<std::uintptr_t, std::uint32_t> code_numbers_;
  std::deque<lock_set> locksets_{{}};  // sorted
  std::map<lock_set, std::uint32_t> lockset_numbers_{{{}, 0}};
  std::vector<std::uint32_t> with_atomics_;  // by set: the one that has their lock, too, or 0
  std::vector<access_list> lists_{{}};
  std::vector<std::uint32_t> free_lists_;
  std::vector<std::uintptr_t> allocators_{0};
  std::unordered_map<std::uintptr_t, std::uint32_t> allocator_numbers_;
  std::uint64_t statics_ = 0;
  branch_id before_static_ = 0;
  bool locked_before_static_ = false;
  bool ended_ = false;
};

// In memory that is there before the first constructor runs.
alignas(detector) extern constinit unsigned char detector_bytes[sizeof(detector)]
    __attribute__((visibility("hidden")));

inline detector& detector::instance() noexcept {
  return *reinterpret_cast<detector*>(detector_bytes);
}

}  // namespace heist::inline v0::race
