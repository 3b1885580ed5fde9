// The asymmetric barrier's two forms. What they promise: barrier.hpp.
//
// Why the signal form is right. Requester: stores y, fence, asks; target: stores x, light barrier,
// loads y. The target's handler runs somewhere in the target's own order. If x's store came before
// it, the acknowledgment (release) publishes x to the requester (acquire), which then loads it. If
// it came after, so does the load of y, and the handler has seen the request (acquire), which was
// published (release) after y was stored. Between the two stands the handler's seq_cst fence, for
// what the target's processor had in its store buffer.
//
// One round at a time. A round asks up to 64 threads at once; `round_lock` is held until all have
// acknowledged. Requesters that wait for the lock or for each other run the handler all the same,
// so no circle of waiting can close. A round with acknowledgments in memory of its own, and without
// a lock, would have to outlive a signal that comes late to a thread which was given up for gone;
// here the memory is static, and a late signal carries a number that has passed.
//
// Who writes what:
//   round_number   the holder of round_lock
//   asked          the holder of round_lock; handlers read it
//   acknowledged   handlers, only upwards; the holder of round_lock before it asks, and it reads
//                  them afterwards
//   chosen_signal  the one that makes the instance; constant afterwards
#include "barrier.hpp"

#include <linux/membarrier.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>

#include "cpu.hpp"
#include "fatal.hpp"
#include "heist/error.hpp"
#include "once.hpp"
#include "park.hpp"
#include "platform/process.hpp"
#include "process_mutex.hpp"
#include "thread.hpp"

namespace heist::inline v0::platform {

namespace {

constexpr std::size_t threads_per_round = 64;
constexpr int spins_before_yield = 200;  // a signal to a running thread takes a few microseconds
constexpr int yields_before_park = 20;
constexpr std::chrono::milliseconds recheck_interval{
    20};  // is it gone? was the signal lost with a thread of the same number?

constinit process_mutex round_lock;  // guards round_number, and the use of `acknowledged`
constinit std::uint32_t round_number = 0;
constinit std::atomic<std::uint32_t> asked{0};
constinit std::array<park_word, threads_per_round> acknowledged{};
constinit std::atomic<int> chosen_signal{0};  // 0: none yet, or none free

// ---- membarrier ----

long membarrier(int command) noexcept { return ::syscall(SYS_membarrier, command, 0, 0); }

bool register_membarrier() noexcept {
  const long commands = membarrier(MEMBARRIER_CMD_QUERY);
  return commands >= 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0 &&
         membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
}

bool membarrier_now() noexcept {
  if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0) return true;
  return errno == EPERM && register_membarrier() &&
         membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0;
}

// ---- the signal: handler ----

// In front of `theirs` in the order of rounds, which wraps around.
bool is_later(std::uint32_t mine, std::uint32_t theirs) noexcept {
  return static_cast<std::int32_t>(mine - theirs) > 0;
}

void acknowledge(park_word& word, std::uint32_t round) noexcept {
  // Acquire: partner is the release store of `asked` in run_round. What the requester wrote before
  // it is seen by whatever this thread does after the handler.
  (void)asked.load(std::memory_order_acquire);
  // seq_cst, the barrier that the request is about. Partner: the fences in signal_barrier.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::uint32_t seen =
      word.load(std::memory_order_relaxed);  // stale is safe: the exchange compares again
  while (is_later(round, seen)) {
    // Release: partner is the acquire load in wait_for_all; publishes what this thread wrote before
    // the signal came. Relaxed on failure: only another look at the number.
    if (word.compare_exchange_weak(seen, round, std::memory_order_release,
                                   std::memory_order_relaxed)) {
      futex_wake(word, 1);
      return;
    }
  }
}

// Async-signal-safe: atomics and a system call, on static memory; futex_wake keeps errno.
extern "C" void heist_v0_on_barrier_signal(int, siginfo_t* info, void*) {
  if (info->si_code != SI_QUEUE) return;  // kill(1) by hand
  const auto value = reinterpret_cast<std::uintptr_t>(info->si_value.sival_ptr);
  const std::size_t place = value & 0xffffffffU;
  if (place < threads_per_round)
    acknowledge(acknowledged[place], static_cast<std::uint32_t>(value >> 32));
}

static_assert(sizeof(std::uintptr_t) == 8, "a signal's value carries a round and a place");

bool is_default(int signal_number) noexcept {
  struct sigaction current {};
  return ::sigaction(signal_number, nullptr, &current) == 0 &&
         (current.sa_flags & SA_SIGINFO) == 0 && current.sa_handler == SIG_DFL;
}

// The system call of every request, and of the trial below. 0, or errno.
int queue_signal(int number, pid_t tid, std::uintptr_t value) noexcept {
  siginfo_t info{};
  info.si_code = SI_QUEUE;
  info.si_pid = ::getpid();
  info.si_uid = ::getuid();
  info.si_value.sival_ptr = reinterpret_cast<void*>(value);
  return ::syscall(SYS_rt_tgsigqueueinfo, info.si_pid, tid, number, &info) == 0 ? 0 : errno;
}

// Sends this thread a value that the handler ignores: emulators accept handlers for signals that
// they can't deliver.
bool is_delivered(int candidate) noexcept {
  return queue_signal(candidate, thread_id(), threads_per_round) == 0;
}
bool is_not_tried(int) noexcept { return true; }

// Takes the highest real-time signal below SIGRTMAX that nobody handles and that `serves`: SIGRTMAX
// is what valgrind takes, low ones are what programs take. Only the construction of the instance
// calls it, in one thread at a time.
void take_signal(bool (*serves)(int candidate)) noexcept {
  struct sigaction action {};
  action.sa_sigaction = heist_v0_on_barrier_signal;
  // ONSTACK: a signal frame takes kilobytes with wide vector registers, and a fiber's stack may be
  // nearly full.
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  ::sigfillset(&action.sa_mask);
  for (int candidate = SIGRTMAX - 1; candidate >= SIGRTMIN; --candidate) {
    if (!is_default(candidate) || ::sigaction(candidate, &action, nullptr) != 0) continue;
    if (!serves(candidate)) {
      ::signal(candidate, SIG_DFL);
      continue;
    }
    // Relaxed: threads learn of the instance by the acquire in once_flag::call.
    chosen_signal.store(candidate, std::memory_order_relaxed);
    return;
  }
}

bool has_signal() noexcept {
  // Relaxed: set before any caller exists.
  return chosen_signal.load(std::memory_order_relaxed) != 0;
}

// ---- the signal: requester ----

enum class sent { yes, refused, gone };

sent send_request(pid_t tid, std::size_t place, std::uint32_t round) noexcept {
  const int number = chosen_signal.load(std::memory_order_relaxed);  // set before any round
  switch (queue_signal(number, tid, static_cast<std::uintptr_t>(round) << 32 | place)) {
    case 0:
      return sent::yes;
    case ESRCH:
      return sent::gone;
    case EAGAIN:
      return sent::refused;  // RLIMIT_SIGPENDING: until others have taken theirs
    default:
      // heavy_barrier() can report nothing, and to return without the barrier would break every
      // protocol above it.
      fatal("the system refuses to send the barrier's signal");
  }
}

// A main thread that has left by pthread_exit stays as a zombie until the process ends: it can be
// signalled, and never answers.
bool is_zombie(pid_t tid) noexcept {
  char text[512];
  std::snprintf(text, sizeof text, "/proc/self/task/%d/stat", static_cast<int>(tid));
  std::FILE* const file = std::fopen(text, "re");
  if (file == nullptr) return errno == ENOENT;
  const std::size_t length = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  text[length] = '\0';
  const char* const name_end = std::strrchr(text, ')');  // the name before it may hold anything
  return name_end != nullptr && length - static_cast<std::size_t>(name_end - text) > 2 &&
         (name_end[2] == 'Z' || name_end[2] == 'X');
}

bool has_acknowledged(std::size_t place, std::uint32_t round) noexcept {
  // Acquire: partner is the release in acknowledge.
  return !is_later(round, acknowledged[place].load(std::memory_order_acquire));
}

void wait_for(pid_t tid, std::size_t place, std::uint32_t round, sent state) noexcept {
  for (int turn = 0; state != sent::gone && !has_acknowledged(place, round); ++turn) {
    if (state == sent::refused) {
      ::sched_yield();
      state = send_request(tid, place, round);
    } else if (turn < spins_before_yield) {
      pause();
    } else if (turn < spins_before_yield + yields_before_park) {
      ::sched_yield();
    } else {
      const std::uint32_t seen =
          acknowledged[place].load(std::memory_order_relaxed);  // stale: the futex compares
      if (!is_later(round, seen)) continue;
      if (futex_wait_for(acknowledged[place], seen, recheck_interval)) continue;
      if (is_zombie(tid)) return;
      state = send_request(tid, place, round);
    }
  }
}

void run_round(std::span<const pid_t> tids, pid_t self) noexcept {
  const std::lock_guard hold(round_lock);
  const std::uint32_t round = ++round_number;
  // Relaxed: only this thread reads them before a handler writes. Nearer than half the numbers to
  // this round, so that is_later holds.
  for (std::size_t i = 0; i < tids.size(); ++i)
    acknowledged[i].store(round - 1, std::memory_order_relaxed);
  // Release: partner is the acquire in acknowledge.
  asked.store(round, std::memory_order_release);
  std::array<sent, threads_per_round> states{};
  std::array<pid_t, threads_per_round> named{};
  for (std::size_t i = 0; i < tids.size(); ++i) {
    named[i] = __atomic_load_n(&tids[i], __ATOMIC_RELAXED);  // they may change (barrier.hpp)
    states[i] = named[i] == self ? sent::gone : send_request(named[i], i, round);
  }
  for (std::size_t i = 0; i < tids.size(); ++i) wait_for(named[i], i, round, states[i]);
}

void signal_barrier(std::span<const pid_t> tids) noexcept {
  const int before = errno;
  const pid_t self = thread_id();
  // seq_cst: the caller's own full barrier, before it asks. Partner: the fence in acknowledge.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  while (!tids.empty()) {
    const std::size_t count = std::min(tids.size(), threads_per_round);
    run_round(tids.first(count), self);
    tids = tids.subspan(count);
  }
  // seq_cst: the same for what the caller loads next. Partner: the fence in acknowledge.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  errno = before;
}

// ---- choosing ----

std::optional<barrier_kind> kind_from_environment() {
  const char* const text = environment_variable("HEIST_BARRIER");
  if (text == nullptr) return std::nullopt;
  return parse_barrier_kind(text);
}

// A signal is taken even if membarrier serves, so that it is there, and unblocked everywhere,
// should membarrier be refused later. It isn't sent then, not even to try it: debuggers stop at
// each signal.
barrier_kind usable_kind(std::optional<barrier_kind> wanted) {
  if (wanted != barrier_kind::signal) {
    if (register_membarrier()) {
      if (!has_signal()) take_signal(is_not_tried);
      return barrier_kind::membarrier;
    }
    if (wanted == barrier_kind::membarrier)
      throw resource_error("HEIST_BARRIER=membarrier: the system refuses membarrier(2)");
  }
  // One that was taken while membarrier served has not been tried yet; or an earlier attempt threw.
  const int taken = chosen_signal.load(std::memory_order_relaxed);  // set under the caller's once
  if (taken != 0 && !is_delivered(taken)) {
    ::signal(taken, SIG_DFL);
    chosen_signal.store(0, std::memory_order_relaxed);
  }
  if (!has_signal()) take_signal(is_delivered);
  if (!has_signal())
    throw resource_error(
        "asymmetric barrier: membarrier(2) is refused, and no real-time signal is free");
  return barrier_kind::signal;
}

}  // namespace

barrier_kind parse_barrier_kind(std::string_view text) {
  if (text == "membarrier") return barrier_kind::membarrier;
  if (text == "signal") return barrier_kind::signal;
  throw usage_error("HEIST_BARRIER=" + std::string(text) + ": not one of membarrier, signal");
}

std::string_view name_of(barrier_kind kind) noexcept {
  return kind == barrier_kind::membarrier ? "membarrier" : "signal";
}

asymmetric_barrier& asymmetric_barrier::instance() {
  static constinit asymmetric_barrier only;
  static constinit once_flag made;
  made.call(
      [] { only.kind_.store(usable_kind(kind_from_environment()), std::memory_order_relaxed); });
  return only;
}

barrier_kind asymmetric_barrier::kind() const noexcept {
  return kind_.load(std::memory_order_relaxed);  // see the field
}

void asymmetric_barrier::admit_this_thread() const noexcept {
  const int number =
      chosen_signal.load(std::memory_order_relaxed);  // the instance exists, so it is set
  if (number == 0) return;
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, number);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void asymmetric_barrier::heavy_barrier(std::span<const pid_t> tids) noexcept {
  if (kind() == barrier_kind::membarrier) {
    const int before = errno;
    if (membarrier_now()) return;
    errno = before;
    if (!has_signal()) fatal("membarrier(2) was taken away, and no signal is free");
  }
  signal_barrier(tids);
}

void set_barrier_kind_for_test(std::optional<barrier_kind> kind) {
  asymmetric_barrier& barrier = asymmetric_barrier::instance();
  barrier.kind_.store(usable_kind(kind ? kind : kind_from_environment()),
                      std::memory_order_relaxed);  // see the field
}

}  // namespace heist::inline v0::platform
