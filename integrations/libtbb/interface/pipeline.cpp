// parallel_pipeline: items that go through filters, some of which take one item at a time.
//
// A task carries one item as far as it can. At a serial filter that is taken, or whose turn has not
// come, it leaves the item in the filter's buffer and ends; who leaves the filter makes a task for
// the next item. At most `max_tokens` items are under way.
//
// Reading. A serial input is read by one task at a time, the reader. After each item the reader
// makes another one, unless as many items are under way as may be; then the next item that ends
// goes on as the reader. A parallel input is read by as many tasks as there may be items.
//
// Invariants.
//   I1  A serial filter runs for the task that has entered it (buffer::enter), or for which the
//       item was taken out of the buffer, until that leaves.
//   I2  Items get their numbers in the order in which they come to the first filter that is in
//       order; every such filter takes them in the order of the numbers.
//   I3  An item belongs to its task, or to a buffer. The one that has it when the group is
//       cancelled gives it to the filter's finalize().
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "arenas/contexts.hpp"
#include "arenas/dispatch.hpp"
#include "heist/detail/short_lock.hpp"
#include "parts/abi.hpp"

namespace tbb::detail::r1 {

namespace {

// Whether the input filter that this thread has called has ended its input.
thread_local bool input_has_ended = false;

// Not inlined: the thread may be another one after a filter.
[[gnu::noinline]] bool exchange_input_has_ended(bool value) noexcept {
  return std::exchange(input_has_ended, value);
}

struct item {
  void* object = nullptr;
  std::uint64_t number = 0;
  bool has_number = false;
};

}  // namespace

class stage_task;

// A filter of the pipeline with what is before it.
class stage {
 public:
  explicit stage(d1::base_filter* f) noexcept : filter_(f) {}
  stage(stage&& other) noexcept : filter_(std::exchange(other.filter_, nullptr)) {}
  ~stage() {
    if (filter_ == nullptr) return;
    for (auto& [number, waiting] : waiting_) filter_->finalize(waiting.object);
    filter_->~base_filter();
    deallocate_memory(filter_);
  }

  [[nodiscard]] d1::base_filter& filter() const noexcept { return *filter_; }

  // true: the caller's item may go through. false: it waits here.
  [[nodiscard]] bool enter(item& i) {
    const std::lock_guard held(lock_);
    const bool in_order = filter_->is_ordered();
    if (in_order && !i.has_number) {
      i.number = last_number_++;
      i.has_number = true;
    }
    if (!is_taken_ && (!in_order || i.number == turn_)) return is_taken_ = true;
    waiting_.emplace(in_order ? i.number : arrivals_++, i);
    return false;
  }

  // The caller's item is through. true: `next` is another one, which may go now.
  [[nodiscard]] bool leave(item& next) {
    const std::lock_guard held(lock_);
    ++turn_;
    const auto first = waiting_.begin();
    if (first == waiting_.end() || (filter_->is_ordered() && first->first != turn_)) {
      is_taken_ = false;
      return false;
    }
    next = first->second;
    waiting_.erase(first);
    return true;
  }

 private:
  d1::base_filter* filter_;
  std::mutex lock_;
  bool is_taken_ = false;
  std::uint64_t turn_ = 0;         // of a filter in order: which item is next
  std::uint64_t last_number_ = 0;  // if items get their numbers here
  std::uint64_t arrivals_ = 0;     // of a filter in no order
  std::map<std::uint64_t, item> waiting_;
};

class pipeline {
 public:
  pipeline(d1::task_group_context& c, std::size_t max_tokens, const d1::filter_node& root)
      : context(c), free_tokens_(max_tokens) {
    add(root);
  }

  void run();

  [[nodiscard]] bool has_serial_input() const noexcept { return stages[0]->filter().is_serial(); }
  // A token for another item, if the input goes on.
  [[nodiscard]] bool take_token() noexcept {
    const std::lock_guard held(lock_);
    if (has_ended_ || free_tokens_ == 0) {
      reader_waits_ = !has_ended_;
      return false;
    }
    --free_tokens_;
    return true;
  }
  // The item has come to its end. true: the caller reads the next one, with the token.
  [[nodiscard]] bool end_item() noexcept {
    const std::lock_guard held(lock_);
    if (!has_ended_ && (!has_serial_input() || std::exchange(reader_waits_, false))) return true;
    ++free_tokens_;
    return false;
  }
  void end_input() noexcept {
    const std::lock_guard held(lock_);
    has_ended_ = true;
  }

  void spawn_task(item i, std::size_t at, bool is_inside);

  d1::task_group_context& context;
  d1::wait_context wait{0};
  std::vector<std::unique_ptr<stage>> stages;
  std::uint64_t read = 0;  // items of a serial input: the reader's

 private:
  void add(const d1::filter_node& node) {
    if (node.left && node.right) {
      add(*node.left);
      add(*node.right);
    } else {
      d1::base_filter* const f = node.create_filter();
      f->my_pipeline = this;
      stages.push_back(std::make_unique<stage>(f));
    }
  }

  heist::v0::detail::short_lock lock_;
  std::size_t free_tokens_;
  bool has_ended_ = false;
  bool reader_waits_ = false;
};

class stage_task final : public d1::task {
 public:
  stage_task(pipeline& p, item i, std::size_t at, bool is_inside,
             const d1::small_object_allocator& memory) noexcept
      : pipeline_(p), item_(i), at_(at), is_inside_(is_inside), memory_(memory) {}
  ~stage_task() override {
    if (at_ != 0 && item_.object != nullptr && at_ < pipeline_.stages.size())
      pipeline_.stages[at_]->filter().finalize(item_.object);
  }

 private:
  d1::task* execute(d1::execution_data& data) override {
    do {
      if (at_ == 0 && !read()) return cancel(data);
      if (!go_through()) return cancel(data);
      at_ = 0;
      item_ = {};
    } while (!context_access::is_cancelled(pipeline_.context) && pipeline_.end_item());
    return cancel(data);
  }
  // Called for a task that has thrown, too. Deletes it before its wait may end.
  d1::task* cancel(d1::execution_data& data) override {
    pipeline& p = pipeline_;
    memory_.delete_object(this, data);
    p.wait.release();
    return nullptr;
  }
  using context_access = task_group_context_impl;

  // false: there is no more.
  bool read() {
    d1::base_filter& input = pipeline_.stages[0]->filter();
    const bool is_serial = input.is_serial();
    // The others can read at the same time.
    if (!is_serial && pipeline_.take_token()) pipeline_.spawn_task({}, 0, false);
    exchange_input_has_ended(false);
    void* const object = input(nullptr);
    if (exchange_input_has_ended(false) || (object == nullptr && !input.object_may_be_null())) {
      pipeline_.end_input();
      return false;
    }
    item_.object = object;
    at_ = 1;
    if (is_serial) {
      if (input.is_ordered()) {
        item_.number = pipeline_.read++;
        item_.has_number = true;
      }
      if (pipeline_.take_token()) pipeline_.spawn_task({}, 0, false);
    }
    return true;
  }

  // false: the item waits at a filter, and is not this task's any more; or the group is cancelled,
  // and no filter gets it.
  bool go_through() {
    for (; at_ < pipeline_.stages.size(); ++at_) {
      if (context_access::is_cancelled(pipeline_.context)) return false;
      stage& s = *pipeline_.stages[at_];
      const bool is_serial = s.filter().is_serial();
      if (is_serial && !is_inside_ && !s.enter(item_)) {
        item_.object = nullptr;
        return false;
      }
      is_inside_ = false;
      item_.object = s.filter()(item_.object);
      item next;
      if (is_serial && s.leave(next)) pipeline_.spawn_task(next, at_, true);
    }
    return true;
  }

  pipeline& pipeline_;
  item item_;
  std::size_t at_;
  bool is_inside_;  // of the serial filter at_: the item was taken out of the buffer for this task
  d1::small_object_allocator memory_;
};

void pipeline::spawn_task(item i, std::size_t at, bool is_inside) {
  d1::small_object_allocator memory;
  auto& t = *memory.new_object<stage_task>(*this, i, at, is_inside, memory);
  wait.reserve();
  r1::spawn(t, context);
}

void pipeline::run() {
  if (!take_token()) return;
  d1::small_object_allocator memory;
  auto* const first = memory.new_object<stage_task>(*this, item{}, std::size_t{0}, false, memory);
  wait.reserve();
  r1::execute_and_wait(*first, context, wait, context);
}

void parallel_pipeline(d1::task_group_context& context, std::size_t max_tokens,
                       const d1::filter_node& root) {
  pipeline(context, max_tokens, root).run();
}

// Called by the input filter, while it runs.
void set_end_of_input(d1::base_filter&) { exchange_input_has_ended(true); }

}  // namespace tbb::detail::r1
