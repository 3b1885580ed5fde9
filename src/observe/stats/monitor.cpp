// Shows what the pools do in a file in shared memory: see monitor_layout.hpp for the protocol.
#include "observe/stats/monitor.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <thread>

#include "heist/error.hpp"
#include "heist/presets.hpp"
#include "observe/stats/monitor_layout.hpp"
#include "observe/stats/pool_state.hpp"
#include "platform/process.hpp"
#include "platform/shared_futex.hpp"
#include "platform/thread.hpp"
#include "runtime/core/deque_sizes.hpp"
#include "runtime/core/environment.hpp"
#include "runtime/core/live_pools.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

namespace {

// Generation + 1 of the process that has a file and a thread for this.
constinit std::atomic<unsigned> publishing{0};

template <std::size_t N>
void copy_text(char (&to)[N], std::string_view text) noexcept {
  const std::size_t n = std::min(text.size(), N - 1);
  std::memcpy(to, text.data(), n);
  std::memset(to + n, 0, N - n);
}

std::uint64_t monotonic_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// Relaxed, all of it: a snapshot's numbers are of slightly different moments.
void add_worker(pool_impl& p, unsigned i, const counters& c, monitor_snapshot& to) noexcept {
  if (to.workers == monitor_max_workers) {
    ++to.left_out;
    return;
  }
  worker& w = p.at(i);
  monitor_worker& shown = to.worker[to.workers++];
  shown.pool = to.pools - 1;
  shown.index = i;
  shown.state = static_cast<std::uint32_t>(w.doing.load(std::memory_order_relaxed));
  shown.is_caller = w.is_guest ? 1 : 0;
  shown.tid = static_cast<std::uint64_t>(i < p.size() ? p.resident(i).tid : w.tid);
  shown.depth = deque_size(w);
  shown.counts = c;
}

void add_pool(pool_impl& p, monitor_snapshot& to) {
  if (to.pools == monitor_max_pools) {
    to.left_out += p.size();
    return;
  }
  const pool_stats s = p.stats();
  monitor_pool& shown = to.pool[to.pools++];
  copy_text(shown.name, p.config().name);
  copy_text(shown.policies, to_string(p.config()));
  shown.suspended = suspended_fibers(p);
  shown.injected = p.injection().size();
  shown.stacks_in_use = s.stacks_in_use;
  shown.stacks_peak = s.stacks_peak;
  shown.stacks_mapped = s.stacks_mapped;
  shown.blocking_calls = s.blocking_calls;
  shown.blocking_threads = s.blocking_threads_in_use;
  for (unsigned i = 0; i < p.slots(); ++i)
    if (p.is_in_use(i)) add_worker(p, i, s.workers[i], to);
}

void take_snapshot(monitor_snapshot& to) noexcept {
  to.taken_ns = monotonic_ns();
  to.pools = to.workers = 0;
  to.left_out = 0;
  try {
    live_pools::for_each([&to](pool_impl& p) { add_pool(p, to); });
  } catch (const std::bad_alloc&) {
    ++to.left_out;  // whatever is missing
  }
}

// The file, in memory.
class shown_file {
 public:
  explicit shown_file(char* memory) noexcept
      : header_(*reinterpret_cast<monitor_header*>(memory)),
        words_(reinterpret_cast<std::uint64_t*>(memory + monitor_snapshot_offset)) {}

  // Relaxed: a reader's request carries nothing.
  [[nodiscard]] std::uint32_t asked() const noexcept {
    return header_.asked.load(std::memory_order_relaxed);
  }
  void wait_while(std::uint32_t seen) const noexcept {
    platform::shared_futex_wait(&header_.asked, seen);
  }
  void write(const monitor_snapshot& what) noexcept {
    const std::uint32_t before = header_.sequence.load(std::memory_order_relaxed);
    header_.sequence.store(before + 1, std::memory_order_relaxed);
    // Partner: the fence of the reader. One that has read a word of what follows sees the odd
    // number.
    std::atomic_thread_fence(std::memory_order_release);
    const char* const from = reinterpret_cast<const char*>(&what);
    for (std::size_t i = 0; i < what.used_bytes() / sizeof(std::uint64_t); ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, from + i * sizeof(word), sizeof(word));
      __atomic_store_n(words_ + i, word, __ATOMIC_RELAXED);
    }
    // Release: partner is the reader's first read of it; carries the words.
    header_.sequence.store(before + 2, std::memory_order_release);
  }
  void answer(std::uint32_t asked) noexcept {
    header_.answered.store(asked, std::memory_order_release);  // as the sequence before it
    platform::shared_futex_wake_all(&header_.answered);
  }

 private:
  monitor_header& header_;
  std::uint64_t* words_;
};

void serve(char* memory, monitor_snapshot& shown) noexcept {
  platform::set_thread_name("heist-monitor");
  shown_file file(memory);
  std::uint32_t answered = 0;
  for (;;) {
    const std::uint32_t asked = file.asked();
    if (asked == answered) {
      file.wait_while(asked);
      continue;
    }
    take_snapshot(shown);
    file.write(shown);
    file.answer(asked);
    answered = asked;
    std::this_thread::sleep_for(monitor_pause);
  }
}

// Whether the process that made this file has ended. (The file is this user's.)
bool is_stale(const std::string& path, pid_t pid) noexcept {
  const auto started = platform::process_start_time(pid);
  if (!started) return true;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return false;
  char begin[offsetof(monitor_header, snapshot_offset)];
  const bool is_whole = ::pread(fd, begin, sizeof(begin), 0) == ssize_t{sizeof(begin)};
  ::close(fd);
  if (!is_whole) return false;  // it may be in the making
  std::uint64_t magic = 0;
  std::uint64_t start_time = 0;
  std::memcpy(&magic, begin + offsetof(monitor_header, magic), sizeof(magic));
  std::memcpy(&start_time, begin + offsetof(monitor_header, start_time), sizeof(start_time));
  return magic == monitor_magic && start_time != *started;
}

[[noreturn]] void refuse(const std::string& what, int error) {
  throw resource_error("HEIST_MONITOR: " + what + ": " + std::strerror(error));
}

// Opens a new file for this process alone. One of that name is left over: nobody else has its
// number.
int make_file(const std::string& path) {
  constexpr int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int fd = ::open(path.c_str(), flags, 0600);
  if (fd < 0 && errno == EEXIST && ::unlink(path.c_str()) == 0)
    fd = ::open(path.c_str(), flags, 0600);
  if (fd < 0) refuse(path, errno);
  return fd;
}

// Makes the file so long, with memory behind all of it. 0, or an error number.
int allocate(int fd, std::size_t bytes) noexcept {
  int error = 0;
  do {
    error = ::posix_fallocate(fd, 0, static_cast<off_t>(bytes));
  } while (error == EINTR);
  return error;
}

char* map_new_file(const std::string& path) {
  const int fd = make_file(path);
  // The umask may have taken the owner's rights too. Where the folder is full, this is refused here
  // and not by a SIGBUS when the memory is written.
  int error = ::fchmod(fd, 0600) != 0 ? errno : allocate(fd, monitor_file_bytes);
  void* const memory =
      error == 0 ? ::mmap(nullptr, monitor_file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                 : MAP_FAILED;
  if (error == 0 && memory == MAP_FAILED) error = errno;
  ::close(fd);
  if (memory == MAP_FAILED) {
    ::unlink(path.c_str());
    refuse(path, error);
  }
  // A child of fork() has its own file, or none.
  ::madvise(memory, monitor_file_bytes, MADV_DONTFORK);
  return static_cast<char*>(memory);
}

void begin_file(char* memory) noexcept {
  auto* const header = ::new (memory) monitor_header{};
  header->version = monitor_version;
  header->pid = static_cast<std::uint32_t>(::getpid());
  header->start_time = platform::process_start_time(::getpid()).value_or(0);
  header->snapshot_offset = monitor_snapshot_offset;
  header->snapshot_bytes = sizeof(monitor_snapshot);
  header->pool_bytes = sizeof(monitor_pool);
  header->worker_bytes = sizeof(monitor_worker);
  __atomic_store_n(&header->magic, monitor_magic, __ATOMIC_RELEASE);  // now it is one
}

// The number of the process in a file's name; 0 if it isn't one of ours.
pid_t pid_of(std::string_view name) noexcept {
  const std::string_view prefix = monitor_prefix;
  if (!name.starts_with(prefix)) return 0;
  name.remove_prefix(prefix.size());
  pid_t pid = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), pid);
  return problem == std::errc() && end == name.data() + name.size() && pid > 0 ? pid : 0;
}

// Calls visit(path, pid, owner) for each file that has such a name.
template <class Visit>
void for_each_file(Visit&& visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(monitor_folder), &::closedir);
  if (folder == nullptr) return;
  while (const dirent* const entry = ::readdir(folder.get())) {
    const pid_t pid = pid_of(entry->d_name);
    if (pid == 0) continue;
    const std::string path = monitor_path(pid);
    struct stat about {};
    if (::lstat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode))
      visit(path, pid, about.st_uid);
  }
}

void remove_at_exit() {
  // Only the process that made it, and not a child that inherited this function.
  if (publishing.load(std::memory_order_relaxed) == platform::process_generation() + 1)
    ::unlink(monitor_path(::getpid()).c_str());
}

void start_serving(char* memory, std::unique_ptr<monitor_snapshot> shown) {
  const platform::signals_held hold;
  auto thread =
      platform::try_start_thread([memory, place = shown.get()] { serve(memory, *place); });
  if (!thread) refuse("the system refused a thread", errno);
  static_cast<void>(shown.release());  // the thread's, for as long as the process lives
  thread->detach();
}

}  // namespace

void publish_for_monitors() {
  if (!monitor_from_environment()) return;
  const unsigned me = platform::process_generation() + 1;
  // Relaxed: only the first caller does what follows.
  if (publishing.exchange(me, std::memory_order_relaxed) == me) return;
  char* memory = nullptr;
  try {
    static_cast<void>(published_processes());                         // removes what is stale
    auto shown = std::make_unique_for_overwrite<monitor_snapshot>();  // most of it stays unused
    std::memset(static_cast<void*>(shown.get()), 0, offsetof(monitor_snapshot, worker));
    memory = map_new_file(monitor_path(::getpid()));
    begin_file(memory);
    start_serving(memory, std::move(shown));
  } catch (...) {
    publishing.store(0, std::memory_order_relaxed);
    if (memory != nullptr) {
      ::munmap(memory, monitor_file_bytes);
      ::unlink(monitor_path(::getpid()).c_str());
    }
    throw;
  }
  static_cast<void>(std::atexit(&remove_at_exit));
}

std::vector<pid_t> published_processes() {
  std::vector<pid_t> found;
  const uid_t me = ::geteuid();
  for_each_file([&](const std::string& path, pid_t pid, uid_t owner) {
    if (owner == me && is_stale(path, pid))
      ::unlink(path.c_str());
    else if (owner == me || me == 0)
      found.push_back(pid);
  });
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace heist::inline v0::detail
