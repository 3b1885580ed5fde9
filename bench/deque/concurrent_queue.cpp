// moodycamel::ConcurrentQueue in place of a deque. It is a FIFO queue for many producers and
// behaves differently: the owner's pop takes its oldest item, not its newest, and there is no order
// between owner and thieves.
#include "bench/deque/contestant.hpp"

#if HEIST_BENCH_CONCURRENT_QUEUE

#include <concurrentqueue/concurrentqueue.h>

#include "bench/deque/measure.hpp"

namespace heist::bench {

namespace {

// Owner and thieves have tokens, which are the queue's fast path.
class fifo {
  using queue = moodycamel::ConcurrentQueue<number>;

 public:
  using item_type = number;
  static constexpr std::size_t max_capacity = std::size_t{1} << 32;

  explicit fifo(std::size_t capacity) : queue_(capacity), producer_(queue_) {}

  class owner_end {
   public:
    explicit owner_end(fifo& f) noexcept : fifo_(&f) {}
    deque::push_result push(number one) noexcept {
      return fifo_->queue_.enqueue(fifo_->producer_, one) ? deque::push_result::ok
                                                          : deque::push_result::full;
    }
    std::optional<number> pop() noexcept {
      number one = 0;
      if (!fifo_->queue_.try_dequeue_from_producer(fifo_->producer_, one)) return std::nullopt;
      return one;
    }

   private:
    fifo* fifo_;
  };

  class thief_end {
   public:
    explicit thief_end(fifo& f) : queue_(&f.queue_), consumer_(std::make_shared<token>(f.queue_)) {}
    deque::steal_answer<number> steal() noexcept {
      number one = 0;
      if (!queue_->try_dequeue(*consumer_, one)) return {deque::steal_result::empty, 0};
      return {deque::steal_result::taken, one};
    }

   private:
    using token = moodycamel::ConsumerToken;
    queue* queue_;
    std::shared_ptr<token> consumer_;
  };

  owner_end owner() noexcept { return owner_end(*this); }
  thief_end thief() { return thief_end(*this); }

 private:
  queue queue_;
  moodycamel::ProducerToken producer_;
};

}  // namespace

std::optional<deque_contestant> concurrent_queue() {
  return contestant_of<fifo>("ConcurrentQueue (FIFO)");
}

}  // namespace heist::bench

#else

namespace heist::bench {

std::optional<deque_contestant> concurrent_queue() { return std::nullopt; }

}  // namespace heist::bench

#endif
