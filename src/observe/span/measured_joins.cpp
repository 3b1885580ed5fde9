// Joins of a measured pool: a function that was not stolen is run here, so that its end is seen.
#include "heist/scope.hpp"
#include "observe/span/strands.hpp"
#include "runtime/fibers/slots.hpp"
#include "runtime/notes.hpp"
#include "runtime/work/fork_join.hpp"

namespace heist::inline v0::detail {

job* notes::join_measured(worker& w, position h, bool throws) {
  strand& s = strands::of(*w.current.get());
  strands::stop(w, s);
  open_fork* const f = strands::find(s, h);
  job& j = slot_to_join(w, h);
  job* result = &j;
  std::uintptr_t how = job::pending;
  const bool has_waited = !take_back(w, h, j);
  if (has_waited) how = wait_for_stolen(h, j);
  if (how != job::pending) {
    if (f != nullptr) strands::receive(self_worker(), *f);
  } else if (f != nullptr && throws) {
    result = &strands::run_joined(j, *f);
    how = result->state.look();
  } else if (f != nullptr) {
    strands::forget(s);
  }
  if (has_waited)
    strands::go_afresh(self_worker(), s);
  else
    strands::go(self_worker(), s);
  return how == job::pending ? nullptr : taken_back_result(*result, how, throws);
}

void scope_state::run_measured_pushed() noexcept {
  strand& s = strands::of(*self_worker().current.get());
  const bool ran = strands::stop(self_worker(), s);
  open_fork* const f = strands::find(s, static_cast<position>(hot_path::depth()));
  job* const slot = join_child();
  if (f == nullptr) {
    if (slot != nullptr) run_apart(*slot);
  } else if (slot != nullptr) {
    strands::run_pushed_child(*f, this, [&] { run_apart(*slot); });
  } else {
    strands::receive_pushed(self_worker(), *f, this);
  }
  if (!ran) return;
  if (slot == nullptr)
    strands::go_afresh(self_worker(), s);
  else
    strands::go(self_worker(), s);
}

}  // namespace heist::inline v0::detail
