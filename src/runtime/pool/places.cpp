// What is given to a place of a pool (place_queues.hpp).
#include "heist/places.hpp"

#include "platform/nodes.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"
#include "runtime/notes.hpp"
#include "runtime/waits/rendezvous.hpp"
#include "runtime/work/views.hpp"

namespace heist::inline v0 {

namespace detail {

// The fence's partner is that of sleepers::announce, as in wake_for_injection().
void pool_impl::run_placed(root& r, unsigned place) noexcept {
  notes::root_enters(this_worker(), r, measured_.get());
  placed_->push(r, place);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const platform::park_bits bit = platform::park_bits{1} << place % 32;
  static_cast<void>(sleepers_.wake_one(bit) || nappers_.wake_one());
  wait_until_settled(r.state, {wait_kind::call});
  if (measured_ != nullptr) notes::root_is_received(this_worker(), r, *measured_);
  if (r.views != nullptr) receive_views(r.views);
}

bool is_elsewhere(unsigned place) noexcept {
  const worker* const w = this_worker();
  return w != nullptr && !w->alone && place != w->place && place < w->pool.places() &&
         !w->current.get()->is_serial;
}

void run_placed(unsigned place, root& r) noexcept { this_worker()->pool.run_placed(r, place); }

void* allocate_interleaved(std::size_t bytes) noexcept {
  return platform::allocate_interleaved(bytes);
}
void free_interleaved(void* p, std::size_t bytes) noexcept { platform::free_interleaved(p, bytes); }

}  // namespace detail

unsigned place_count() noexcept {
  const detail::worker* const w = detail::this_worker();
  return w == nullptr ? 1 : w->pool.places();
}

unsigned this_place() noexcept {
  const detail::worker* const w = detail::this_worker();
  return w == nullptr ? 0 : w->place;
}

unsigned place_of(const void* address) noexcept {
  const detail::worker* const w = detail::this_worker();
  if (w == nullptr || w->pool.places() == 1) return 0;
  const int node = platform::node_of_page(address);
  const unsigned places = w->pool.places();
  for (unsigned k = 0; k < places; ++k)
    if (w->pool.node_of(k) == node) return k;
  return places;
}

}  // namespace heist::inline v0
