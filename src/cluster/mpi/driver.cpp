#include "cluster/mpi/driver.hpp"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "cluster/frame.hpp"
#include "cluster/journal.hpp"

namespace heist::inline v0::cluster {

namespace {

constexpr std::chrono::nanoseconds shortest_round = std::chrono::microseconds(100);
constexpr std::chrono::nanoseconds longest_round = std::chrono::milliseconds(2);
constexpr int looks_each_round = 50;
// With a pool: the first nap finds an answer that comes at once, the longest one keeps the looks
// below a hundredth of a processor.
constexpr std::chrono::nanoseconds shortest_nap = std::chrono::microseconds(50);
constexpr std::chrono::nanoseconds longest_nap = std::chrono::microseconds(400);
constexpr std::chrono::nanoseconds longest_shared_round = std::chrono::milliseconds(20);
constexpr std::chrono::seconds between_progress{1};

std::uint64_t count_ns(std::chrono::nanoseconds time) {
  return static_cast<std::uint64_t>(time.count());
}

}  // namespace

driver::driver(context::impl& in, const std::string& name, detail::shared_work& work,
               mpi_transport& transport, node& own)
    : in_(in),
      name_(name),
      work_(work),
      transport_(transport),
      node_(own),
      start_(clock::now()),
      next_snapshot_(start_ + in.how.interval),
      next_progress_(start_ + between_progress) {
  own_.workers = in.workers;
}

void driver::run() {
  back_off pause;
  while (!node_.is_finished()) {
    const bool something_came = receive_all();
    look_at_clock();
    if (node_.has_work())
      work_a_round();
    else if (!something_came)
      pause.wait();
    if (something_came || node_.has_work()) pause.reset();
  }
  own_.elapsed_ns = ns_since_start(clock::now());
  if (writing_.valid()) writing_.wait();
}

bool driver::receive_all() {
  const auto before = clock::now();
  transport_.reap();
  bool something_came = false;
  while (auto next = transport_.receive()) {
    something_came = true;
    try {
      auto m = from_frame(next->frame);
      transport_.note_answer(m);
      node_.receive(next->from, std::move(m));
    } catch (const wire_error& e) {
      node_.blame(next->from, e.what());
    }
  }
  if (!something_came) {
    ++own_.polls;
    const auto took = count_ns(clock::now() - before);
    own_.polling_ns += took;
    if (node_.has_work()) look_ns_ = (7 * look_ns_ + took) / 8;
  }
  return something_came;
}

void driver::look_at_clock() {
  if (transport_.now_ns() >= node_.next_tick_ns()) node_.tick();
  if (in_.self != 0) return;
  const auto now = clock::now();
  if (!in_.how.checkpoint.empty()) keep_journal(now);
  if (in_.how.on_progress && now >= next_progress_) {
    next_progress_ = now + between_progress;
    in_.how.on_progress({own_.items, ns_since_start(now), snapshots_});
  }
}

void driver::keep_journal(clock::time_point now) {
  if (writing_.valid()) {
    if (writing_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) end_writing();
    return;
  }
  if (now >= next_snapshot_) {
    next_snapshot_ = now + in_.how.interval;
    node_.begin_snapshot();
  }
  if (auto taken = node_.take_snapshot())
    writing_ = std::async(std::launch::async,
                          [path = journal_path(in_), name = name_, what = std::move(*taken)] {
                            write_journal(path, name, what);
                          });
}

void driver::end_writing() {
  try {
    writing_.get();
    ++snapshots_;
  } catch (const std::exception& e) {
    node_.fail(e.what());
  }
}

void driver::work_a_round() {
  const auto before = clock::now();
  try {
    own_.items += in_.own_pool ? work_beside_messages(before + longest_shared_round)
                               : work_.process_until(before + round_length());
  } catch (const std::exception& e) {
    node_.fail(e.what());
  } catch (...) {
    node_.fail("an exception that is no std::exception");
  }
  own_.working_ns += count_ns(clock::now() - before);
  node_.worked();
}

// The pool works until a message has come, and this thread sleeps between its looks for one.
std::uint64_t driver::work_beside_messages(clock::time_point deadline) {
  auto round = work_.begin_round(*in_.own_pool, deadline);
  try {
    for (auto nap = shortest_nap; !round.is_ready(); nap = std::min(2 * nap, longest_nap)) {
      std::this_thread::sleep_for(nap);
      if (!transport_.has_arrived()) continue;
      work_.end_round();
      break;
    }
  } catch (...) {  // MPI refuses, and the bag is still being processed
    work_.end_round();
    round.wait();
    throw;
  }
  return round.get();
}

driver::clock::duration driver::round_length() const {
  const std::chrono::nanoseconds trip(transport_.trips().least_ns), look(look_ns_);
  return std::clamp(std::max(trip, looks_each_round * look), shortest_round, longest_round);
}

std::uint64_t driver::ns_since_start(clock::time_point now) const { return count_ns(now - start_); }

rank_summary driver::summary() const {
  auto all = own_;
  const auto counts = node_.counts();
  all.requests = counts.requests;
  all.refusals = counts.refusals;
  all.steals_in = counts.loot_in;
  all.gifts_in = counts.gifts_in;
  all.steals_out = counts.loot_out;
  all.gifts_out = counts.gifts_out;
  all.messages_in = counts.messages_in;
  all.messages_out = counts.messages_out;
  all.bytes_out = counts.bytes_out;
  const auto& trips = transport_.trips();
  all.round_trips = trips.count;
  all.round_trip_ns = trips.sum_ns;
  all.least_round_trip_ns = trips.least_ns;
  return all;
}

std::string journal_path(const context::impl& in) { return in.how.checkpoint + "/heist.journal"; }

}  // namespace heist::inline v0::cluster
