#include "graph/stolen_drains.hpp"

#include <algorithm>

#include "heist/detail/invariant.hpp"
#include "runtime/waits/rendezvous.hpp"
#include "runtime/work/views.hpp"
#include "tasks/left_work.hpp"

namespace heist::inline v0::detail {

// Lives on the stack of the fiber on which it drains.
class graph_drainer {
 public:
  // What lies on the deque: a node that is ready, or a range of nodes of which some may be.
  struct entry {
    stolen_drains* run;
    graph_node* node;
    std::uint32_t first;
    std::uint32_t last;
  };

  // Drains it on a drainer of its own.
  static graph_report drain_by_itself(stolen_drains& run, const entry& e) noexcept {
    const views_refused in_no_order;
    graph_drainer drainer(run);
    drainer.drain(e);
    return drainer.counts_;
  }

 private:
  explicit graph_drainer(stolen_drains& r) noexcept
      : run_(r), left_(fiber_here(), pushes_per_answer) {}

  // Runs the entry, and what becomes ready by that as far as no thief takes it.
  void drain(entry e) noexcept {
    do {
      if (e.node != nullptr)
        run_from(*e.node);
      else
        search(e.first, e.last);
    } while (next(e));
  }

  static constexpr unsigned pushes_per_answer = 4;
  static constexpr std::uint32_t small_range = 64;

  void run_from(graph_node& first) noexcept {
    graph_node* n = &first;
    do {
      run_.run_one(*n, counts_);
      graph_node* goes_on = nullptr;
      run_.finish(*n, [&](graph_node& s) {
        if (goes_on != nullptr) push(*goes_on);
        goes_on = &s;
      });
      n = goes_on;
    } while (n != nullptr);
  }

  void search(std::uint32_t first, std::uint32_t last) noexcept {
    while (last - first > small_range) {
      const std::uint32_t middle = first + (last - first) / 2;
      if (!push(entry{&run_, nullptr, middle, last})) break;
      last = middle;
    }
    const auto& store = run_.contents();
    position below = left_.size();
    for (std::uint32_t i = first; i < last; ++i) {
      if (store.predecessors[i] != 0) continue;
      run_from(*store.nodes[i]);
      below = std::min(below, left_.size());
      while (left_.size() > below)
        if (entry e; pop(e)) run_from(*e.node);
    }
  }

  void push(graph_node& n) noexcept {
    if (!push(entry{&run_, &n, 0, 0})) run_.put_aside(n);
  }
  bool push(const entry& e) noexcept {
    worker* const w = worker_here();
    return left_.is_here(w) && left_.push<entry>(*w, &run_stolen, e);
  }

  bool pop(entry& e) noexcept {
    const entry* const newest = left_.pop<entry>();
    if (newest != nullptr) e = *newest;
    return newest != nullptr;
  }
  bool next(entry& e) noexcept {
    while (!left_.empty())
      if (pop(e)) return true;
    e = {&run_, run_.take_aside(), 0, 0};
    return e.node != nullptr;
  }

  static void run_stolen(job& j) noexcept {
    const auto e = left_work::item_in<entry>(j);
    stolen_drains& run = *e.run;
    run.begin();  // G2
    j.views = nullptr;
    left_work::settle_at_once(j);
    if (run.end(drain_by_itself(run, e))) run.is_over_.end();
  }

  stolen_drains& run_;
  left_work left_;
  graph_report counts_{};
};

void stolen_drains::run() {
  begin();
  const auto all = static_cast<std::uint32_t>(contents().nodes.size());
  if (!end(graph_drainer::drain_by_itself(*this, {this, nullptr, 0, all}))) is_over_.wait();
}

bool stolen_drains::end(const graph_report& counts) noexcept {
  {
    const holding hold(guard_);
    count(counts);
  }
  // Release: what it did; acquire: what the others did, for the one that returns from run().
  const std::uint32_t before = active_.fetch_sub(1, std::memory_order_acq_rel);
  HEIST_INVARIANT("stolen_drains.hpp G2", before != 0);
  return before == 1;
}

void stolen_drains::put_aside(graph_node& n) noexcept {
  const holding hold(guard_);
  put(n);
  aside_.store(aside_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

graph_node* stolen_drains::take_aside() noexcept {
  if (aside_.load(std::memory_order_relaxed) == 0) return nullptr;
  const holding hold(guard_);
  graph_node* const n = take();
  if (n != nullptr)
    aside_.store(aside_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  return n;
}

}  // namespace heist::inline v0::detail
