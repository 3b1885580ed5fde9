// The functions that may block, other than for a lock; and what heist asks for.
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "checker/interpose.hpp"
#include "checker/reporter.hpp"
#include "runtime/core/check_library.hpp"

namespace heist::inline v0::checker {

HEIST_INTERPOSE_BLOCKING(int, pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t* m), (c, m))
HEIST_INTERPOSE_BLOCKING(int, pthread_cond_timedwait,
                         (pthread_cond_t * c, pthread_mutex_t* m, const timespec* end), (c, m, end))
HEIST_INTERPOSE_BLOCKING(int, pthread_cond_clockwait,
                         (pthread_cond_t * c, pthread_mutex_t* m, clockid_t clock,
                          const timespec* end),
                         (c, m, clock, end))
HEIST_INTERPOSE_BLOCKING(int, pthread_barrier_wait, (pthread_barrier_t * b), (b))
HEIST_INTERPOSE_BLOCKING(int, pthread_join, (pthread_t t, void** result), (t, result))
HEIST_INTERPOSE_BLOCKING(int, sem_wait, (sem_t * s), (s))
HEIST_INTERPOSE_BLOCKING(int, sem_timedwait, (sem_t * s, const timespec* end), (s, end))
HEIST_INTERPOSE_BLOCKING(int, sem_clockwait, (sem_t * s, clockid_t clock, const timespec* end),
                         (s, clock, end))

HEIST_INTERPOSE_BLOCKING(int, nanosleep, (const timespec* time, timespec* left), (time, left))
HEIST_INTERPOSE_BLOCKING(int, clock_nanosleep,
                         (clockid_t clock, int flags, const timespec* time, timespec* left),
                         (clock, flags, time, left))
HEIST_INTERPOSE_BLOCKING(unsigned, sleep, (unsigned seconds), (seconds))
HEIST_INTERPOSE_BLOCKING(int, usleep, (useconds_t time), (time))

HEIST_INTERPOSE_BLOCKING(int, poll, (pollfd * files, nfds_t n, int ms), (files, n, ms))
HEIST_INTERPOSE_BLOCKING(int, ppoll,
                         (pollfd * files, nfds_t n, const timespec* time, const sigset_t* mask),
                         (files, n, time, mask))
HEIST_INTERPOSE_BLOCKING(int, select,
                         (int n, fd_set* in, fd_set* out, fd_set* other, timeval* time),
                         (n, in, out, other, time))
HEIST_INTERPOSE_BLOCKING(int, epoll_wait, (int file, epoll_event* events, int most, int ms),
                         (file, events, most, ms))
HEIST_INTERPOSE_BLOCKING(ssize_t, read, (int file, void* to, size_t n), (file, to, n))
HEIST_INTERPOSE_BLOCKING(ssize_t, write, (int file, const void* from, size_t n), (file, from, n))
HEIST_INTERPOSE_BLOCKING(ssize_t, recv, (int file, void* to, size_t n, int flags),
                         (file, to, n, flags))
HEIST_INTERPOSE_BLOCKING(ssize_t, recvfrom,
                         (int file, void* to, size_t n, int flags, sockaddr* from, socklen_t* size),
                         (file, to, n, flags, from, size))
HEIST_INTERPOSE_BLOCKING(ssize_t, recvmsg, (int file, msghdr* message, int flags),
                         (file, message, flags))
HEIST_INTERPOSE_BLOCKING(int, accept, (int file, sockaddr* from, socklen_t* size),
                         (file, from, size))
HEIST_INTERPOSE_BLOCKING(int, accept4, (int file, sockaddr* from, socklen_t* size, int flags),
                         (file, from, size, flags))
HEIST_INTERPOSE_BLOCKING(int, connect, (int file, const sockaddr* to, socklen_t size),
                         (file, to, size))
HEIST_INTERPOSE_BLOCKING(pid_t, wait, (int* status), (status))
HEIST_INTERPOSE_BLOCKING(pid_t, waitpid, (pid_t child, int* status, int options),
                         (child, status, options))
HEIST_INTERPOSE_BLOCKING(int, flock, (int file, int operation), (file, operation))
HEIST_INTERPOSE_BLOCKING(int, fsync, (int file), (file))

namespace {

[[gnu::destructor]] void finish() noexcept { reporter::instance().finish(); }

}  // namespace

extern "C"
    __attribute__((visibility("default"))) constinit const detail::check_library table __asm__(
        "heist_v0_check_library") = {
        [](std::uint64_t longest) { return flow::current().begin(longest); },
        [](unsigned begun) { flow::current().end(begun); },
        [](const char* construct) { flow::current().look(construct); },
};

}  // namespace heist::inline v0::checker
