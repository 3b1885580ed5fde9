// Includes Relacy without the macros that would change the whole translation unit, and with C++20's
// release sequences.
//
// Relacy runs the threads of a test as fibers. At every atomic operation it chooses which thread
// runs next and which of the permitted stores a load sees. Its macros for `new`, `assert` and the
// memory orders would rewrite heist's headers, so this file names Relacy's types itself.
//
// Relacy is stronger than C++ in these respects, so that a mutant may survive it:
//   - a seq_cst fence synchronizes with every earlier one; in C++ it only orders loads and stores;
//   - a load sees one of the last three stores (two in a full search);
//   - a load is not delayed beyond its place in the program, so load buffering doesn't happen.
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// At each operation Relacy switches to the thread that runs next, which is mostly the same one. Its
// own function would jump even then, which takes a third of the whole time.
#define switch_to_fiber relacy_switch_to_fiber
#include <relacy/pch.hpp>
#include <relacy/platform.hpp>
#undef switch_to_fiber
inline void switch_to_fiber(fiber_t& to, fiber_t& from) {
  if (&to != &from) relacy_switch_to_fiber(to, from);
}

#include <relacy/relacy.hpp>

#undef memory_order_relaxed
#undef memory_order_consume
#undef memory_order_acquire
#undef memory_order_release
#undef memory_order_acq_rel
#undef memory_order_seq_cst
#undef new
#undef delete
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef assert

namespace heist_model {

using order_vector = rl::timestamp_t*;

// A relaxed store ends the release sequence that an earlier store of the same thread began. Relacy,
// of 2011, continues the sequence: a relaxed store after a release store would be as good as a
// second release.
template <rl::thread_id_t Threads>
unsigned relaxed_store(rl::atomic_data* data, rl::thread_id_t self, rl::timestamp_t& clock,
                       order_vector released_by_fence) {
  auto& variable = *static_cast<rl::atomic_data_impl<Threads>*>(data);
  const unsigned index = ++variable.current_index_ % rl::atomic_history_size;
  auto& record = variable.history_[index];
  record.busy_ = true;
  record.thread_id_ = self;
  record.seq_cst_ = false;
  record.acq_rel_timestamp_ = ++clock;
  for (rl::thread_id_t i = 0; i != Threads; ++i) {
    record.first_seen_order_[i] = static_cast<rl::timestamp_t>(-1);
    record.acq_rel_order_[i] = released_by_fence[i];
  }
  record.first_seen_order_[self] = clock;
  return index;
}

}  // namespace heist_model

namespace rl {

template <>
template <>
inline unsigned thread_info<2>::atomic_store<mo_relaxed, false>(atomic_data* data) {
  return heist_model::relaxed_store<2>(data, index_, own_acq_rel_order_, release_fence_order_);
}

template <>
template <>
inline unsigned thread_info<3>::atomic_store<mo_relaxed, false>(atomic_data* data) {
  return heist_model::relaxed_store<3>(data, index_, own_acq_rel_order_, release_fence_order_);
}

}  // namespace rl
