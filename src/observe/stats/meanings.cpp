#include "observe/stats/meanings.hpp"

namespace heist::inline v0 {

namespace {

using enum meaning_kind;

constexpr const char* nothing = "Nothing is to be done.";

constexpr meaning table[] = {
    {"steals", "steals", counter, "jobs taken from another worker",
     "Many steals for little work mean small pieces: each costs about half a microsecond.",
     "Fork the outer loop in place of the inner one, or end the division at longer leaves.",
     &counters::steals},
    {"failed_steals", "failed", counter, "attempts to steal that found nothing, or lost a race",
     "It is high while there is less work than workers. Only idle workers pay for it.",
     "HEIST_TRACE=t.json and `heist report t.json` say what they lacked.",
     &counters::failed_steals},
    {"failed_batch_steals", "lost batch", counter,
     "failed attempts that lost a race for several jobs at once",
     "The other failed ones found nothing, or lost a race for one job.", nothing,
     &counters::failed_batch_steals},
    {"batched", "batched", counter, "further jobs that a steal of several took",
     "It is above 0 with pool_config::steal_batch and the deques that allow it.", nothing,
     &counters::batched},
    {"exposes", "exposes", counter, "jobs that their owner made public because a thief asked",
     "There are as many as steals, or some more: this is how sharing begins.", nothing,
     &counters::exposes},
    {"remote_exposes", "remote", counter,
     "jobs that a thief made public for an owner that was busy",
     "It is high where owners run for more than 20 us without a fork.", "Make the leaves shorter.",
     &counters::remote_exposes},
    {"reclaims", "reclaims", counter, "public jobs that their owner took back",
     "It is high where owners come back before a thief has taken what it asked for.", nothing,
     &counters::reclaims},
    {"suspends", "suspends", counter, "joins that had to wait for a stolen job",
     "There are some for each steal. Meanwhile the worker runs something else.", nothing,
     &counters::suspends},
    {"blocked_joins", "blocked", counter, "waits of workers that had no stack to run anything else",
     "It is above 0 where the system gives no more memory for stacks.",
     "Lower HEIST_STACK_SIZE, or raise the limits of the process (ulimit -v, vm.max_map_count).",
     &counters::blocked_joins},
    {"roots", "roots", counter, "functions given to the pool by threads outside",
     "Every call from outside counts: run, submit, a loop.",
     "Where it is high and each is short, put several into one pool.run.", &counters::roots},
    {"parks", "parks", counter, "times that a worker went to sleep",
     "It is high where parallel parts are short and far between; a wake-up takes some 50 us.",
     "Put several small parts into one, or join less often.", &counters::parks},
    {"naps", "naps", counter, "short sleeps after only crumbs were found to steal",
     "It is high where what thieves find is not worth a steal.",
     "End the division earlier: a leaf of 10 us or more hides the steal.", &counters::naps},
    {"wakes", "wakes", counter, "times that a worker woke another one",
     "It follows parks: who sleeps must be woken.", "See parks.", &counters::wakes},
    {"inlined_forks", "inlined", counter, "forks that ran as plain calls since the deque was full",
     "It is above 0 where forks nest deeper than pool_config::fork_depth.",
     "Raise fork_depth, or split in halves in place of one by one.", &counters::inlined_forks},
    {"yields", "yields", counter, "processors given away after failed attempts",
     "It is above 0 under yield_kind::to_any and above.", nothing, &counters::yields},
    {"puts", "puts", deque_counter,
     "jobs put on the worker's deque; counted under HEIST_STATS=full",
     "Most of them are taken back by their owner: compare with steals.", nothing, &counters::puts},
    {"takes", "takes", deque_counter, "jobs that the worker took back from its deque",
     "Puts that were not stolen.", nothing, &counters::takes},
    {"failed_takes", "vain takes", deque_counter,
     "takes that found nothing, since a thief was faster",
     "There is one for each steal at the end of a deque.", nothing, &counters::failed_takes},
    {"resizes", "resizes", deque_counter, "arrays of growing deques replaced by larger ones",
     "It is above 0 at the beginning of deep recursions.", nothing, &counters::resizes},
    {"steals_by_size", "of size", counter, "steals by how many jobs they took",
     "Only steals of several jobs have a table.", nothing},
    {"pool", "", number, "the pool's name", "It heads the table.", nothing},
    {"workers", "worker", number, "the counters of each worker", "Each worker has a line.",
     nothing},
    {"total", "all", number, "the sums of all workers", "The last line has them.", nothing},
    {"has_histograms", "", number, "whether the pool measures times",
     "It is true under HEIST_STATS=timed and full.", nothing},
    {"histograms", "", number, "times and depths of steals, wake-ups and idle spells",
     "They are there under HEIST_STATS=timed and full.", nothing},
    {"stacks_in_use", "stacks in use", number, "stacks of functions that run or are suspended",
     "At the end it is the stacks that workers keep at hand.", nothing, nullptr,
     &pool_stats::stacks_in_use},
    {"stacks_peak", "stacks at most", number, "stacks in use at most at one time",
     "It is high where many functions wait at once, for locks, futures or channels.",
     "Bound how many functions are under way, as a pipeline's tokens do.", nullptr,
     &pool_stats::stacks_peak},
    {"stacks_mapped", "stacks mapped", number, "stacks mapped now, cached ones too",
     "Those that nobody uses are given back when the pool is idle.", nothing, nullptr,
     &pool_stats::stacks_mapped},
    {"blocking_calls", "blocking calls", pool_counter,
     "calls of heist::blocking on threads beside the workers", "Each costs two wake-ups.",
     "Let one call block for more work.", nullptr, &pool_stats::blocking_calls},
    {"blocking_refusals", "calls on workers", pool_counter,
     "calls of heist::blocking that blocked their worker, for lack of a free thread",
     "It is above 0 where more than 256 calls block at once, or the system refuses threads.",
     "Bound the calls that block at once, with a heist::semaphore.", nullptr,
     &pool_stats::blocking_refusals},
    {"blocking_threads_in_use", "threads now", number, "threads that run a blocking call now",
     "At the end it is 0.", nothing, nullptr, &pool_stats::blocking_threads_in_use},
    {"blocking_threads_peak", "threads at most", number, "threads that ran a blocking call at most",
     "Each is a thread that the pool has started.", nothing, nullptr,
     &pool_stats::blocking_threads_peak},
    {"seatless_calls", "calls that waited", pool_counter,
     "calls from outside that found no seat and waited for a worker",
     "It is high where more threads call the pool at once than it has workers.",
     "Give them seats of their own: pool_config::caller_seats.", nullptr,
     &pool_stats::seatless_calls},
    {"processor_ns", "on a processor", pool_counter, "ns for which workers had a processor",
     "It is less than the time of the run where workers sleep.", nothing, nullptr,
     &pool_stats::processor_ns},
    {"ready_ns", "waiting for a processor", pool_counter,
     "ns for which workers could run and had no processor",
     "Other programs ran on the processors, or a quota held this one back.",
     "Measure again when they are free.", nullptr, &pool_stats::ready_ns},
    {"steal_ns", "time of a steal", distribution, "from the look at the victim to the job in hand",
     "It is high where workers share no cache, or the owner has to be asked.",
     "Make fewer and larger pieces."},
    {"steal_depth", "jobs on its victim", distribution, "jobs on the victim's deque at a steal",
     "A depth of 1 means that thieves take the last piece each time.",
     "Make more pieces at the beginning: split in halves."},
    {"steal_places", "places to its victim", distribution,
     "how many worker numbers the victim is away", "It depends on pool_config::victim.", nothing},
    {"steals_by_distance", "steals by distance", distribution,
     "steals by how near the processors are, where workers are pinned",
     "Remote steals move data between packages.", "Choose pool_config::victim and pinning."},
    {"wake_ns", "time to wake", distribution,
     "from the decision to wake a worker to its first step",
     "It is high on a machine whose processors sleep deeply, or are busy with other programs.",
     "Parallel parts that come close together keep the workers awake."},
    {"idle_ns", "idle", distribution, "spells in which a worker had nothing to do, by reason",
     "The reasons below have it.", nothing},
    {"no_work", "idle: no_work", idle, "no deque held anything, though several workers ran",
     "There were fewer jobs than workers.",
     "Make more and smaller jobs near the ends of loops and at the leaves, or begin the longest "
     "first."},
    {"private_work", "idle: private_work", idle,
     "work was there, but its owner had not made it public yet", "The owner was in a long leaf.",
     "An owner shares when it next forks or looks for a request: make the leaves shorter."},
    {"serial_phase", "idle: serial_phase", idle, "one worker ran, with nothing on its deque",
     "A part of the program isn't parallel.",
     "Split what runs alone; HEIST_PROFILE=workspan says where the critical path is."},
    {"blocked", "idle: blocked", idle, "nobody ran: all that had begun waited or blocked",
     "Locks, futures, channels or blocking calls hold everything up.",
     "Begin the waits earlier, hold locks for shorter, or give the pool something else to do "
     "meanwhile."},
    {"not_given", "", idle, "nothing was given to the pool (heist report alone says so)",
     "The program was outside of the pool.",
     "Run that part in the pool, or let the pool work on the next part meanwhile."},
    {"parallelism", "", finding,
     "T1/Tinf of a profile is less than 4 for each worker (heist report)",
     "No number of processors makes the program faster than that.", "Shorten the critical path."},
    {"few_pieces", "", finding,
     "a profile has less than 8 forks and spawns for each worker (heist report)",
     "The last piece to end keeps the other workers waiting.",
     "Divide the work further: about eight pieces for each worker can be spread evenly."},
    {"burden", "", finding, "the costs of forks and steals halve the parallelism (heist report)",
     "The pieces are too small for these costs.", "Make them larger where the division ends."},
    {"imbalance", "", finding,
     "the busiest worker worked half as long again as the mean of all (heist report)",
     "Work that can't be stolen lies with it.", "The timeline shows what it runs."},
    {"short_jobs", "", finding, "half of the stolen jobs took 5 us or less (heist report)",
     "A steal costs about a tenth of 5 us.",
     "Make jobs longer where the division ends: a leaf of 10 us or more hides the steal."},
    {"contended_lock", "", finding,
     "functions waited for a heist::mutex, 2 % of the workers' time or more (heist report)",
     "The lock is held for long, or asked for often.",
     "Hold it for shorter, or divide what it guards."},
    {"hidden_waits", "", finding,
     "workers slept while they seemed to work, 2 % of their time or more (heist report)",
     "A lock that isn't heist's, input and output, or pages that weren't in memory.",
     "heist check names the calls; heist::mutex and heist::blocking let the worker go on."},
    {"slow_wakes", "", finding, "wake-ups took 2 % of the workers' time or more (heist report)",
     "Parallel parts are short and far between.", "Join less often, or put several into one."},
    {"busy_machine", "", finding,
     "threads got less than 90 % of the processor time that they wanted (heist report)",
     "Other programs ran on the processors, or a quota held this one back.",
     "Measure again when they are free."},
    {"unfinished", "", finding, "the recording has no end (heist report)",
     "The program was ended in the middle, or runs.", nothing},
    {"no_space", "", finding, "the disk was full before the program ended (heist report)",
     "The recording ends earlier.", "Make room, or set HEIST_TRACE_EVENTS."},
    {"lost_events", "", finding, "there was no room for all events (heist report)",
     "What is said about the beginning of the run may be wrong.",
     "Raise HEIST_TRACE_EVENTS, or record a shorter part by pool::start_trace()."},
};

}  // namespace

std::span<const meaning> all_meanings() noexcept { return table; }

const meaning* find_meaning(std::string_view name) noexcept {
  for (const meaning& m : table)
    if (name == m.name) return &m;
  return nullptr;
}

std::string meaning::metric() const {
  return std::string("heist_") + name + (kind == meaning_kind::number ? "" : "_total");
}

std::string meaning::help() const {
  std::string text = what;
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text + ".";
}

const char* to_string(meaning_kind k) noexcept {
  switch (k) {
    case counter:
    case deque_counter:
      return "counter";
    case number:
    case pool_counter:
      return "number of a pool";
    case distribution:
      return "histogram";
    case idle:
      return "reason to be idle";
    case finding:
      return "finding of heist report";
  }
  return "";
}

}  // namespace heist::inline v0
