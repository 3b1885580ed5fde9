// The handler, its message, and the alternate stacks that it runs on. Everything that a handler
// calls here is async-signal-safe: system calls, atomics, and arithmetic on the handler's own
// stack.
#include "overflow.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "fatal.hpp"
#include "once.hpp"
#include "overflow_message.hpp"

namespace heist::inline v0::platform {

namespace {

// The number of the worker that this thread is. initial-exec: a handler must not call the dynamic
// linker's allocator, which the first access in another model may do.
[[gnu::tls_model("initial-exec")]] constinit thread_local int worker_of_this_thread = -1;

// ---- the handler ----

// What was installed before us. Written before our handler is installed, then only read, except for
// `spent`.
struct earlier_action {
  struct sigaction action;
  std::atomic<bool> spent;  // SA_RESETHAND: it has been called. Relaxed: a flag of its own
};

constinit earlier_action earlier_segv{};
constinit earlier_action earlier_bus{};

bool is_a_function(const struct sigaction& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) != 0 ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

// Sent by kill, raise or sigqueue rather than by a fault: returning from it would not bring it
// back.
bool was_sent(const siginfo_t& info) noexcept { return info.si_code <= 0; }

// Makes the default action happen: by running into the fault again once we return, or by sending it
// again.
void die_by(int number, const siginfo_t& info) noexcept {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigemptyset(&standard.sa_mask);
  ::sigaction(number, &standard, nullptr);
  if (was_sent(info)) ::raise(number);  // blocked until our handler returns, then deadly
}

// Calls it as the kernel would have: with its mask added, its own signal blocked or not.
void call_function(const struct sigaction& action, int number, siginfo_t* info, void* context) {
  sigset_t before;
  ::pthread_sigmask(SIG_BLOCK, &action.sa_mask, &before);
  if ((action.sa_flags & SA_NODEFER) != 0 && sigismember(&action.sa_mask, number) == 0) {
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, number);
    ::pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
  }
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(number, info, context);
  } else {
    action.sa_handler(number);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// True if there was a function and it returned.
bool call_earlier(int number, siginfo_t* info, void* context) {
  earlier_action& earlier = number == SIGBUS ? earlier_bus : earlier_segv;
  if (!is_a_function(earlier.action)) return false;
  const bool once = (earlier.action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0;
  if (once && earlier.spent.exchange(true, std::memory_order_relaxed)) return false;
  call_function(earlier.action, number, info, context);
  return true;
}

extern "C" void heist_v0_on_fault(int number, siginfo_t* info, void* context) {
  const int before = errno;
  const std::size_t stack_bytes = was_sent(*info) ? 0 : stack_with_guard_at(info->si_addr);
  if (stack_bytes != 0) {
    const std::string_view line = overflow_message(stack_bytes, worker_of_this_thread).text();
    (void)!::write(STDERR_FILENO, line.data(), line.size());  // nobody left to tell if it fails
    call_earlier(number, info, context);
    die_by(number, *info);
  } else if (!call_earlier(number, info, context)) {
    const earlier_action& earlier = number == SIGBUS ? earlier_bus : earlier_segv;
    const bool ignored = !is_a_function(earlier.action) && earlier.action.sa_handler == SIG_IGN;
    // The kernel doesn't let a process ignore a fault, only a signal that was sent.
    if (!ignored || !was_sent(*info)) die_by(number, *info);
  }
  errno = before;
}

// What a signal's frame takes on this processor.
std::size_t least_handler_bytes() noexcept {
#if defined(_SC_MINSIGSTKSZ)
  return static_cast<std::size_t>(std::max(0L, ::sysconf(_SC_MINSIGSTKSZ)));
#else
  return MINSIGSTKSZ;
#endif
}

#if defined(MAP_STACK)
constexpr int stack_flag = MAP_STACK;
#else
constexpr int stack_flag = 0;
#endif

void install_for(int number, earlier_action& earlier) noexcept {
  struct sigaction ours {};
  ours.sa_sigaction = heist_v0_on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  // Two steps: a fault between them must find `earlier` filled in.
  ::sigaction(number, nullptr, &earlier.action);
  ::sigaction(number, &ours, nullptr);
}

}  // namespace

void install_overflow_handler() noexcept {
  static constinit once_flag installed;
  installed.call([] {
    install_for(SIGSEGV, earlier_segv);
    install_for(SIGBUS, earlier_bus);
  });
}

// 64 KiB: a signal frame is 3 KiB with AVX-512 and 11 KiB with AMX, and an earlier handler, such as
// a crash reporter, may want to walk stacks.
alternate_stack::alternate_stack(int worker) noexcept {
  outer_worker_ = std::exchange(worker_of_this_thread, worker);
  stack_t current{};
  if (::sigaltstack(nullptr, &current) != 0 || (current.ss_flags & SS_DISABLE) == 0) return;

  const std::size_t guard = page_bytes();
  const std::size_t least = least_handler_bytes();
  const std::size_t wanted = std::max<std::size_t>(64 * 1024, least + 32 * 1024);
  const std::size_t bytes = guard + (wanted + guard - 1) / guard * guard;
  void* const mapping = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | stack_flag, -1, 0);
  if (mapping == MAP_FAILED) return;
  auto* const lowest = static_cast<std::byte*>(mapping);
  stack_t ours{};
  ours.ss_sp = lowest + guard;
  ours.ss_size = bytes - guard;
  if (::mprotect(lowest, guard, PROT_NONE) != 0 || ::sigaltstack(&ours, nullptr) != 0) {
    ::munmap(mapping, bytes);
    return;
  }
  mapping_ = lowest;
  mapping_bytes_ = bytes;
}

alternate_stack::~alternate_stack() {
  worker_of_this_thread = outer_worker_;
  if (mapping_ == nullptr) return;
  stack_t current{};
  const bool is_known = ::sigaltstack(nullptr, &current) == 0;
  // Else somebody has put theirs in place.
  if (is_known && current.ss_sp == mapping_ + page_bytes()) {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
  }
  ::munmap(mapping_, mapping_bytes_);
}

namespace {

struct kept_stack {
  bool made = false;
  alignas(alternate_stack) std::byte memory[sizeof(alternate_stack)]{};
};
constinit thread_local kept_stack stack_of_this_thread;

}  // namespace

void keep_alternate_stack() noexcept {
  static constinit std::optional<pthread_key_t> at_thread_end;
  static constinit once_flag made;
  made.call([] {
    // These destructors come after those of thread_local objects, so the stack serves them as well.
    const auto destroy = [](void* kept) {
      static_cast<alternate_stack*>(kept)->~alternate_stack();
    };
    pthread_key_t key{};
    if (::pthread_key_create(&key, destroy) == 0) at_thread_end = key;
  });
  if (!at_thread_end || stack_of_this_thread.made) return;
  auto* const stack = ::new (&stack_of_this_thread.memory) alternate_stack(-1);
  if (::pthread_setspecific(*at_thread_end, stack) != 0) {
    stack->~alternate_stack();
    return;
  }
  stack_of_this_thread.made = true;
}

}  // namespace heist::inline v0::platform

// ---- fatal.hpp

namespace heist::inline v0::platform {

namespace {

// writev() only reads through it.
iovec part(std::string_view text) noexcept { return {const_cast<char*>(text.data()), text.size()}; }

}  // namespace

void fatal(std::string_view message) noexcept {
  const std::array<iovec, 3> line = {part("heist: "), part(message), part("\n")};
  // If this fails there is nobody left to tell.
  (void)!::writev(STDERR_FILENO, line.data(), static_cast<int>(line.size()));
  std::abort();
}

}  // namespace heist::inline v0::platform
