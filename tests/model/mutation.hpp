// The seam makes one change at a time to the protocol under test; the headers stay as they are.
//
// Every atomic operation of the seam calls effective_order() with its place in the source. A sound
// run records the places, and the list of weaker orders is made from them, so an operation that is
// added to a header gets its mutants automatically. The readable name of a place has its function,
// its kind and its number among the operations of this kind there: "pop_slow exchange 2".
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heist_model {

enum class operation : std::uint8_t { load, store, exchange, fence };

struct site {
  const char* file = "";
  const char* function = "";
  unsigned line = 0;
  operation what = operation::load;
  std::memory_order order = std::memory_order_relaxed;
  bool changes_tag = false;  // an exchange of a word whose tag differs
};

enum class change : std::uint8_t {
  none,
  weaker_order,      // at one site; relaxed for a fence: it is left out
  tag_not_compared,  // compare_exchange succeeds on another tag
  tag_kept,          // at one site the exchange does not change the tag
  split_for_bound,   // the owner's pop tests split
  no_second_look,    // the second look at head repeats what the first one saw
  no_heavy_barrier,
  low_half_once,  // a thief that reads before its exchange looks at the low half of the word once
  // Of growable_ring.
  no_second_epoch,      // the second look at the epoch repeats what the first one saw
  no_wait_for_parity,   // thieves from before the epoch's change are not seen
  current_before_copy,  // the new array is published, then filled
  // Of batch_stealing and its rules.
  stamp_kept,           // the owner's exchange does not change the stamp
  reach_too_short,      // by one, for the rule at_most_k
  highest_forgotten,    // each pop takes its own bottom for the highest
  oldest_before_stamp,  // half_of_seen reads the word's halves in that order
  // The sleep protocol's steps, left out or in another order.
  request_before_count,
  count_after_barrier,
  public_look_only,
  no_fence_to_wake,
  no_fence_at_end,
  no_second_request,
  no_look_for_sleepers,
  no_mail_look,
  // The steps of a guest and of the thread in whose seat it works.
  no_wake_by_the_unseated,
  no_wake_of_the_awaiting,
  no_announcement_for_the_resident,
  no_request_to_leave,
  no_fence_to_leave,
  no_fence_to_run,
  no_look_to_leave,
  mail_wakes_one,
  // The steps of a request for an urgent root.
  only_runners_are_asked,
  no_fence_to_ask,
  no_fence_after_answer,
  no_look_of_the_guest,
  // The steps of libtbb's market.
  hunger_after_look,
  no_barrier_of_owners,
  no_look_for_calls,
  flag_before_seat,
  no_second_look_at_seats,
};

struct mutant {
  std::string name;
  change what = change::none;
  site where;
  std::memory_order order = std::memory_order_relaxed;
};

// The mutant that runs now. The runs follow each other on one thread.
extern mutant running_mutant;

inline bool is_running(change c) { return running_mutant.what == c; }
bool is_running(change c, const site& here);

// Whether the mutant that runs takes the release from an exchange. What its thread has read before
// the exchange may then be read behind it.
bool is_without_release(std::string_view function);

// The order of the operation at `here` in this run. While recording, it also records `here`.
std::memory_order effective_order(const site& here);

void start_recording();
// The recorded places in `file`, in the order of the source.
std::vector<site> stop_recording(const std::string& file);

// One mutant for each order that can be weakened by one step, and for each change of the tag.
std::vector<mutant> mutants_of(const std::vector<site>& sites);

const char* name_of(std::memory_order order);

}  // namespace heist_model
