// What follows what by messages: items of channels, permits of semaphores, latches, and the results
// of futures for which several wait.
//
// A branch that sends hands on what precedes the message: its own moment, and those that it has got
// itself. Who receives that follows all that precedes one of these moments (bags.hpp, B4), and so
// do the branches that it begins, and those that join it. These are vector clocks (Fidge 1988,
// Mattern 1989) that only have the branches which have sent something.
//
// Which item a receiver gets may depend on the schedule: the order is that of this run.
#include <algorithm>
#include <memory>
#include <utility>

#include "heist/detail/race.hpp"
#include "race/detector.hpp"

namespace heist::inline v0::race {

// Of a branch that is in both the later moment.
clock_ref merged(const clock_ref& a, const clock_ref& b) {
  if (!a || !b || a == b) return a ? a : b;
  auto both = std::make_shared<moments>();
  auto i = a->begin();
  for (const moment& m : *b) {
    while (i != a->end() && i->branch < m.branch) both->push_back(*i++);
    both->push_back(m);
    if (i == a->end() || i->branch != m.branch) continue;
    both->back().until = std::max(i->until, m.until);
    ++i;
  }
  both->insert(both->end(), i, a->end());
  return both;
}

void detector::renumber() noexcept {
  need_number();
  top_->plain = bags_.alias(top_->own);
  top_->aliases.clear();
  use_lockset(top_->lockset);
}

clock_ref detector::send() {
  renumber();
  top_->has_sent = true;
  last_sent_ = top_->plain;
  const auto mine = std::make_shared<moments>(1, moment{top_->own, top_->plain});
  return merged(top_->received, mine);
}

void detector::receive(const clock_ref& sent) {
  if (!sent || sent == top_->received) return;
  auto all = std::make_shared<moments>(*merged(top_->received, sent));
  // The sets say the rest.
  std::erase_if(*all, [&](const moment& m) { return !bags_.is_parallel(m.branch); });
  top_->received = all->empty() ? nullptr : std::move(all);
}

void detector::order(const void* object, detail::race::message how) {
  using detail::race::message;
  verdicts_.forget();
  const apart own;
  if (how == message::made) {
    messages_.erase(object);
  } else if (how == message::sent) {
    messages_[object].items.push_back(send());
  } else if (how == message::told) {
    clock_ref& all = messages_[object].to_all;
    all = merged(all, send());
  } else if (const auto at = messages_.find(object); at != messages_.end()) {
    auto& [items, to_all] = at->second;
    if (how == message::heard) {
      receive(to_all);
    } else if (!items.empty()) {
      receive(items.front());
      items.pop_front();
    }
  }
}

bool detector::follows_by_messages(branch_id id) const noexcept {
  for (const moment& m : *top_->received)
    if (bags_.precedes(id, m)) return true;
  return false;
}

}  // namespace heist::inline v0::race
