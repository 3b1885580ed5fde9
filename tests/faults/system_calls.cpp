#include "tests/faults/system_calls.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "tests/faults/allocations.hpp"

namespace heist_test::system_calls {

namespace {

constinit std::atomic<long> left{0};  // counts down; at 1 a call is refused
constinit std::atomic<report*> told{nullptr};
constinit std::atomic<bool> any_refused{false};
constinit std::atomic<int> listener{-1};

// The supervisor is not asked about these calls. The first have no result. The next ones the kernel
// never refuses to a caller with valid arguments, and the C library relies on that: without a
// futex, an rseq or a munmap of a whole stack it ends the process. The last are those of the tests.
constexpr long let_through[] = {
    SYS_exit,   SYS_exit_group,     SYS_rt_sigreturn, SYS_restart_syscall, SYS_getpid,
    SYS_gettid, SYS_rt_sigprocmask, SYS_sched_yield,  SYS_set_robust_list, SYS_futex,
    SYS_rseq,   SYS_munmap,         SYS_write,        SYS_clock_nanosleep};

// The error with which the kernel itself refuses such a call.
int error_of(long call) noexcept {
  switch (call) {
    case SYS_mmap:
    case SYS_mprotect:
    case SYS_madvise:
    case SYS_mremap:
      return ENOMEM;
    case SYS_clone:
    case SYS_clone3:
      return EAGAIN;
    case SYS_membarrier:
      return ENOSYS;
    default:
      return EPERM;
  }
}

bool refuses(long call) noexcept {
  if (left.load() <= 0 || left.fetch_sub(1) != 1) return false;
  told.load()->refused(call);
  any_refused = true;
  return true;
}

// This must not allocate, because the thread that asks may hold the allocator's lock.
void* answer(void*) noexcept {
  while (listener.load() < 0) ::sched_yield();
  for (;;) {
    seccomp_notif question{};
    if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &question) != 0) {
      if (errno == EINTR || errno == ENOENT) continue;
      return nullptr;
    }
    seccomp_notif_resp reply{};
    reply.id = question.id;
    const long call = question.data.nr;
    if (!refuses(call)) {
      reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    } else if (call == SYS_brk) {
      reply.val = ::syscall(SYS_brk, 0);  // a refused brk returns the end of the heap
    } else {
      reply.error = -error_of(call);
    }
    ::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
  }
}

int install(std::vector<sock_filter>& program, unsigned flags) {
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter));
}

// Makes a filter that returns `action` for each of the calls, and `otherwise` for all others.
template <class Calls>
std::vector<sock_filter> program_for(const Calls& calls, std::uint32_t action,
                                     std::uint32_t otherwise) {
  std::vector<sock_filter> program{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const long call : calls) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, action));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, otherwise));
  return program;
}

}  // namespace

bool supervise(report& r) {
  told = &r;
  pthread_t thread;
  if (::pthread_create(&thread, nullptr, &answer, nullptr) != 0) return false;
  ::pthread_detach(thread);
  std::vector<sock_filter> program =
      program_for(let_through, SECCOMP_RET_ALLOW, SECCOMP_RET_USER_NOTIF);
  const int made = install(program, SECCOMP_FILTER_FLAG_NEW_LISTENER);
  if (made < 0) return false;
  listener = made;
  return true;
}

void refuse_at(long n) noexcept {
  any_refused = false;
  left = n;
}

bool was_refused() noexcept {
  left = 0;
  return any_refused;
}

namespace {

bool refuse(const std::vector<long>& calls, int error, unsigned flags) {
  std::vector<sock_filter> program =
      program_for(calls, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error), SECCOMP_RET_ALLOW);
  return install(program, flags) == 0;
}

}  // namespace

bool refuse_always(const std::vector<long>& calls, int error) { return refuse(calls, error, 0); }
bool refuse_everywhere(const std::vector<long>& calls, int error) {
  return refuse(calls, error, SECCOMP_FILTER_FLAG_TSYNC);
}

}  // namespace heist_test::system_calls

// ---- allocations.hpp

// glibc's own functions, under the names that it exports for this purpose.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t n, std::size_t size);
void* __libc_realloc(void* p, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* p);
}

namespace {

constinit std::atomic<long> left{0};  // counts down; at 1 an allocation is refused
constinit std::atomic<bool> refused{false};
constinit std::atomic<bool> only_new{false};
constinit std::atomic<long> in_use{0};

bool refuses(bool is_new) noexcept {
  if (only_new.load(std::memory_order_relaxed) != is_new ||
      left.load(std::memory_order_relaxed) <= 0 ||
      left.fetch_sub(1, std::memory_order_relaxed) != 1)
    return false;
  refused.store(true, std::memory_order_relaxed);
  errno = ENOMEM;
  return true;
}

void* counted(void* p) noexcept {
  if (p != nullptr) in_use.fetch_add(1, std::memory_order_relaxed);
  return p;
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) { return refuses(false) ? nullptr : counted(__libc_malloc(size)); }

void* calloc(std::size_t n, std::size_t size) {
  return refuses(false) ? nullptr : counted(__libc_calloc(n, size));
}

void* realloc(void* p, std::size_t size) {
  if (p == nullptr) return malloc(size);
  if (refuses(false)) return nullptr;
  void* const moved = __libc_realloc(p, size);
  if (moved == nullptr && size == 0) in_use.fetch_sub(1, std::memory_order_relaxed);
  return moved;
}

void* memalign(std::size_t alignment, std::size_t size) {
  return refuses(false) ? nullptr : counted(__libc_memalign(alignment, size));
}

void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }

int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  void* const p = memalign(alignment, size);
  if (p == nullptr) return ENOMEM;
  *result = p;
  return 0;
}

void free(void* p) {
  if (p == nullptr) return;
  in_use.fetch_sub(1, std::memory_order_relaxed);
  __libc_free(p);
}

}  // extern "C"

// This is not inlined, because g++ warns of free() if it sees that the memory came from new.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* const p = refuses(true) ? nullptr : std::malloc(size);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  void* const p =
      refuses(true) ? nullptr : std::aligned_alloc(static_cast<std::size_t>(alignment), size);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}

namespace heist_test::allocations {

void refuse_at(long n) noexcept {
  only_new.store(false);
  refused.store(false);
  left.store(n);
}
void refuse_new_at(long n) noexcept {
  refuse_at(0);
  only_new.store(true);
  left.store(n);
}
bool was_refused() noexcept {
  left.store(0);
  return refused.load();
}
long alive() noexcept { return in_use.load(); }

}  // namespace heist_test::allocations
