// The bodies of basic_node.
#pragma once

#include <algorithm>
#include <exception>

namespace heist::inline v0::cluster {

template <class Seam>
basic_node<Seam>::basic_node(const node_settings& settings, rank self, rank nodes, work& bag,
                             port& through)
    : settings_(settings),
      self_(self),
      nodes_(nodes),
      place_(self, nodes),
      bag_(bag),
      sender_(through),
      thief_(settings, self, nodes, sender_),
      termination_(place_, sender_),
      snapshots_(place_, nodes, sender_, bag),
      neighbours_(settings, place_, sender_) {}

template <class Seam>
void basic_node<Seam>::start() {
  say_hello();
  look_after();
}

template <class Seam>
void basic_node<Seam>::receive(rank from, message m) {
  ++counts_.messages_in;
  neighbours_.on_message(from);
  if (is_finished()) return;
  if (m.kind == message_kind::stop)
    return stop({static_cast<rank>(m.number),
                 std::string(reinterpret_cast<const char*>(m.payload.data()), m.payload.size())},
                from);
  try {
    handle(from, m);
  } catch (const std::exception& e) {
    stop({from, e.what()});
  }
}

// Whether a node in this place sends such messages to this one.
template <class Seam>
bool basic_node<Seam>::is_expected(rank from, message_kind kind) const {
  using enum message_kind;
  switch (kind) {
    case hello:
    case message_kind::counts:
    case result:
      return place_.has_child(from);
    case message_kind::begin:
    case wave:
    case message_kind::finish:
    case message_kind::release:
    case mark:
      return !place_.is_root() && from == place_.parent();
    case lifeline:
    case gift:
    case bound:
      return thief_.lifelines().has(self_, from);
    case part:
    case late:
      return place_.is_root();
    case request:
    case refusal:
    case loot:
    case alive:
    case message_kind::stop:
      break;
  }
  return from < nodes_ && from != self_;
}

template <class Seam>
void basic_node<Seam>::handle(rank from, message& m) {
  using enum message_kind;
  if (!is_expected(from, m.kind))
    throw wire_error("it sends what a node in its place does not send");
  snapshots_.before(m, bags_);
  switch (m.kind) {
    case hello:
      on_hello(m);
      break;
    case message_kind::begin:
      basic_node::begin();
      break;
    case request:
      answer_thief(from, m);
      break;
    case refusal:
      thief_.on_refusal(m, !bag_.is_empty());
      break;
    case loot:
      thief_.on_loot(m);
      ++counts_.loot_in;
      take_in(m);
      break;
    case lifeline:
      remembered_.add(self_, from);
      break;
    case gift:
      thief_.on_gift(from);
      ++counts_.gifts_in;
      take_in(m);
      break;
    case bound:
      bag_.raise_bound(static_cast<std::int64_t>(m.number));
      spread_bound(from);
      break;
    case wave:
      termination_.on_wave(m.number);
      break;
    case message_kind::counts:
      termination_.on_counts(m);
      break;
    case message_kind::finish:
      basic_node::finish();
      break;
    case result:
      on_result(from, std::move(m));
      break;
    case message_kind::release:
      basic_node::release();
      break;
    case part:
      snapshots_.on_part(std::move(m));
      break;
    case late:
      snapshots_.on_late(std::move(m));
      break;
    case mark:
    case alive:
    case message_kind::stop:
      break;
  }
  look_after();
}

template <class Seam>
void basic_node<Seam>::worked() {
  if (is_finished()) return;
  spread_bound({});
  look_after();
}

template <class Seam>
void basic_node<Seam>::tick() {
  if (is_finished()) return;
  if (const auto silent = neighbours_.look())
    stop({*silent, "nothing was heard of it for " +
                       std::to_string(settings_.silence_ns / 1'000'000) + " ms"});
}

// ---- The beginning ----

template <class Seam>
void basic_node<Seam>::on_hello(const message& m) {
  if (m.number != settings_.fingerprint) {
    stop({static_cast<rank>(m.sent), "it runs another program, version or arguments"});
    return;
  }
  ++there_;
  say_hello();
}

// Tells the parent, when all below are there. `sent` names the node, which may differ from who
// forwards the message.
template <class Seam>
void basic_node<Seam>::say_hello() {
  if (there_ < place_.children() || state_ != state::gathering) return;
  if (place_.is_root())
    begin();
  else
    sender_.send(place_.parent(),
                 {.kind = message_kind::hello, .number = settings_.fingerprint, .sent = self_});
}

template <class Seam>
void basic_node<Seam>::begin() {
  if (state_ != state::gathering) return;
  state_ = state::working;
  place_.for_each_child([&](rank child) { sender_.send(child, {.kind = message_kind::begin}); });
}

// ---- Work ----

template <class Seam>
void basic_node<Seam>::answer_thief(rank from, const message& m) {
  message answer{.kind = message_kind::loot, .number = m.number};
  if (has_work() && bag_.split_to(answer.payload)) {
    ++bags_.sent;
    ++counts_.loot_out;
    counts_.bytes_out += answer.payload.size();
  } else {
    answer.kind = message_kind::refusal;
  }
  sender_.send(from, std::move(answer));
}

template <class Seam>
void basic_node<Seam>::take_in(const message& m) {
  ++bags_.received;
  bag_.merge(m.payload);
  snapshots_.forward_late(m);
}

template <class Seam>
void basic_node<Seam>::make_gifts() {
  while (!remembered_.is_empty() && has_work()) {
    message gift{.kind = message_kind::gift};
    if (!bag_.split_to(gift.payload)) return;
    const rank to = remembered_.farthest(self_);
    remembered_.remove(self_, to);
    ++bags_.sent;
    ++counts_.gifts_out;
    counts_.bytes_out += gift.payload.size();
    sender_.send(to, std::move(gift));
  }
}

template <class Seam>
void basic_node<Seam>::spread_bound(std::optional<rank> except) {
  const auto known = bag_.bound();
  if (known <= bound_) return;
  bound_ = known;
  thief_.lifelines().for_each(self_, [&](rank other) {
    if (other != except)
      sender_.send(other,
                   {.kind = message_kind::bound, .number = static_cast<std::uint64_t>(known)});
  });
}

// What may be due after anything has changed.
template <class Seam>
void basic_node<Seam>::look_after() {
  if (state_ != state::working || failure_) return;
  make_gifts();
  if (bag_.is_empty())
    thief_.look_for_work();
  else if (Seam::has(protocol_step::passive_answers))
    return;
  termination_.passive(bags_);
  if (termination_.is_over()) finish();
}

template <class Seam>
void basic_node<Seam>::begin_snapshot() {
  if (state_ == state::working && !failure_) snapshots_.begin(bags_);
}

template <class Seam>
std::optional<snapshot> basic_node<Seam>::take_snapshot() {
  if (!snapshots_.is_complete() || is_over()) return {};
  return snapshots_.collect();
}

// ---- The end ----

template <class Seam>
void basic_node<Seam>::finish() {
  if (state_ != state::working) return;
  state_ = state::collecting;
  place_.for_each_child([&](rank child) { sender_.send(child, {.kind = message_kind::finish}); });
  pass_result_on();
}

template <class Seam>
void basic_node<Seam>::on_result(rank from, message m) {
  results_.emplace_back(from, std::move(m.payload));
  pass_result_on();
}

// Merges the children's results in the order of their ranks, so that the order of messages doesn't
// show.
template <class Seam>
void basic_node<Seam>::pass_result_on() {
  if (results_.size() < place_.children() || state_ != state::collecting) return;
  std::sort(results_.begin(), results_.end(),
            [](const auto& x, const auto& y) { return x.first < y.first; });
  for (const auto& [child, result] : results_) bag_.merge(result);
  results_.clear();
  state_ = state::delivered;
  if (place_.is_root()) return release();
  message up{.kind = message_kind::result};
  bag_.write_to(up.payload);
  sender_.send(place_.parent(), std::move(up));
}

template <class Seam>
void basic_node<Seam>::release() {
  if (state_ != state::delivered) return;
  state_ = state::finished;
  place_.for_each_child([&](rank child) { sender_.send(child, {.kind = message_kind::release}); });
}

template <class Seam>
void basic_node<Seam>::stop(failure why, std::optional<rank> except) {
  if (is_finished()) return;
  failure_ = std::move(why);
  const auto* text = reinterpret_cast<const std::byte*>(failure_->text.data());
  message m{.kind = message_kind::stop, .number = failure_->at};
  m.payload.assign(text, text + failure_->text.size());
  if (except && !Seam::has(protocol_step::stop_is_passed_on)) return;
  place_.for_each_neighbour([&](rank other) {
    if (other != except) sender_.send(other, m);
  });
}

template <class Seam>
node_counts basic_node<Seam>::counts() const {
  auto all = counts_;
  all.requests = thief_.requests();
  all.refusals = thief_.refusals();
  all.messages_out = sender_.sent;
  return all;
}

}  // namespace heist::inline v0::cluster
