#include "cli/top/top_process.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "observe/stats/monitor.hpp"
#include "observe/stats/monitor_layout.hpp"
#include "platform/shared_futex.hpp"
#include "platform/utf8.hpp"

namespace heist::cli {

namespace {

using detail::monitor_header;
using detail::monitor_snapshot;

// A text in an array, which a 0 ends. It comes from another process, and goes to a terminal.
std::string printable(std::string_view text) {
  return platform::printable(text.substr(0, text.find('\0')));
}

std::string command_of(pid_t pid) {
  const int fd = ::open(fmt::format("/proc/{}/comm", pid).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "?";
  char text[64];
  const ssize_t n = ::read(fd, text, sizeof(text));
  ::close(fd);
  std::string_view name(text, n > 0 ? static_cast<std::size_t>(n) : 0);
  if (name.ends_with('\n')) name.remove_suffix(1);
  return printable(name);
}

bool read_at(int file, void* to, std::size_t bytes, std::size_t offset) noexcept {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t n = ::pread(file, at, bytes, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    offset += static_cast<std::size_t>(n);
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

// Whether the numbers make sense: where others are wrong they are wrong, and do no harm.
bool is_sound(const monitor_snapshot& s) noexcept {
  for (std::uint32_t i = 0; i < s.workers; ++i)
    if (s.worker[i].pool >= s.pools ||
        s.worker[i].state > static_cast<std::uint32_t>(detail::worker_state::parked))
      return false;
  return true;
}

seen_worker worker_of(const detail::monitor_worker& from) {
  // In the order of worker_state.
  constexpr seen_state states[] = {seen_state::searches, seen_state::runs, seen_state::blocked,
                                   seen_state::asleep};
  seen_worker w;
  w.index = from.index;
  w.state = states[from.state];
  w.is_caller = from.is_caller != 0;
  w.thread = from.tid;
  w.depth = from.depth;
  w.counts = from.counts;
  return w;
}

seen_process process_of(const monitor_snapshot& from) {
  seen_process p;
  p.taken_ns = from.taken_ns;
  p.left_out = from.left_out;
  for (std::uint32_t i = 0; i < from.pools; ++i) {
    const detail::monitor_pool& f = from.pool[i];
    p.pools.push_back({.name = printable({f.name, sizeof(f.name)}),
                       .policies = printable({f.policies, sizeof(f.policies)}),
                       .suspended = f.suspended,
                       .injected = f.injected,
                       .stacks_in_use = f.stacks_in_use,
                       .stacks_peak = f.stacks_peak,
                       .stacks_mapped = f.stacks_mapped,
                       .blocking_calls = f.blocking_calls,
                       .blocking_threads = f.blocking_threads,
                       .workers = {}});
  }
  for (std::uint32_t i = 0; i < from.workers; ++i)
    p.pools[from.worker[i].pool].workers.push_back(worker_of(from.worker[i]));
  return p;
}

}  // namespace

monitored_process::monitored_process(pid_t pid) : pid_(pid), path_(detail::monitor_path(pid)) {
  const auto started = platform::process_start_time(pid);
  struct stat process {};
  if (!started || ::stat(fmt::format("/proc/{}", pid).c_str(), &process) != 0)
    throw resource_error(fmt::format("top: there is no process {}", pid));
  start_time_ = *started;
  command_ = command_of(pid);
  const uid_t me = ::geteuid();
  if (process.st_uid != me && me != 0)
    throw resource_error(fmt::format("top: process {} ({}) is another user's", pid, command_));
  file_ = ::open(path_.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file_ < 0 && errno == ENOENT)
    throw resource_error(fmt::format(
        "top: process {} ({}) shows nothing: it must be started with HEIST_MONITOR=1, and have "
        "made a pool",
        pid, command_));
  if (file_ < 0) throw resource_error(fmt::format("top: {}: {}", path_, std::strerror(errno)));
  try {
    check_header();
    header_ = ::mmap(nullptr, detail::monitor_snapshot_offset, PROT_READ | PROT_WRITE, MAP_SHARED,
                     file_, 0);
    if (header_ == MAP_FAILED)
      throw resource_error(fmt::format("top: {}: {}", path_, std::strerror(errno)));
  } catch (...) {
    ::close(file_);
    throw;
  }
}

monitored_process::~monitored_process() {
  ::munmap(header_, detail::monitor_snapshot_offset);
  ::close(file_);
}

void monitored_process::refuse_file() const {
  throw resource_error(
      fmt::format("top: {} is damaged, or not what process {} has made", path_, pid_));
}

void monitored_process::check_header() const {
  struct stat about {};
  struct stat process {};
  const bool is_there =
      ::fstat(file_, &about) == 0 && ::stat(fmt::format("/proc/{}", pid_).c_str(), &process) == 0;
  if (!is_there || !S_ISREG(about.st_mode) || about.st_uid != process.st_uid ||
      (about.st_mode & 077) != 0)
    refuse_file();
  alignas(monitor_header) char bytes[sizeof(monitor_header)];
  if (!read_at(file_, bytes, sizeof(bytes), 0)) refuse_file();
  const auto& h = *reinterpret_cast<const monitor_header*>(bytes);
  if (h.magic != detail::monitor_magic || h.pid != static_cast<std::uint32_t>(pid_) ||
      h.start_time != start_time_)
    refuse_file();
  if (h.version != detail::monitor_version)
    throw resource_error(fmt::format(
        "top: process {} ({}) shows itself in version {} of the format, and this heist reads {}",
        pid_, command_, h.version, detail::monitor_version));
  if (h.snapshot_offset != detail::monitor_snapshot_offset ||
      h.snapshot_bytes != sizeof(monitor_snapshot) ||
      h.pool_bytes != sizeof(detail::monitor_pool) ||
      h.worker_bytes != sizeof(detail::monitor_worker) ||
      static_cast<std::size_t>(about.st_size) < detail::monitor_file_bytes)
    refuse_file();
}

std::uint32_t monitored_process::word_at(std::size_t offset) const {
  std::uint32_t word = 0;
  if (!read_at(file_, &word, sizeof(word), offset)) refuse_file();
  return word;
}

void monitored_process::ask() const {
  const std::uint32_t next = word_at(offsetof(monitor_header, asked)) + 1;
  constexpr auto offset = static_cast<off_t>(offsetof(monitor_header, asked));
  if (::pwrite(file_, &next, sizeof(next), offset) != ssize_t{sizeof(next)}) refuse_file();
  platform::shared_futex_wake_all(static_cast<char*>(header_) + offset);
}

std::optional<seen_process> monitored_process::look(std::chrono::milliseconds patience) {
  constexpr std::size_t answered = offsetof(monitor_header, answered);
  // A request that the last look has left without an answer still stands.
  if (word_at(answered) == word_at(offsetof(monitor_header, asked))) ask();
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const std::uint32_t seen = word_at(answered);
    if (seen == word_at(offsetof(monitor_header, asked))) return read();
    const auto left = std::chrono::nanoseconds(deadline - std::chrono::steady_clock::now()).count();
    if (left <= 0 || has_ended()) return std::nullopt;
    // Not longer: a process that ends wakes nobody.
    constexpr long most = 100'000'000;
    const timespec limit{0, std::min<long>(left, most)};
    platform::shared_futex_wait(static_cast<char*>(header_) + answered, seen, &limit);
  }
}

// The fences: partner is the release in shown_file::write, each for the reads before it.
std::optional<seen_process> monitored_process::read() const {
  constexpr std::size_t sequence = offsetof(monitor_header, sequence);
  constexpr std::size_t head = offsetof(monitor_snapshot, worker);
  constexpr int attempts = 100;
  const auto snapshot = std::make_unique_for_overwrite<monitor_snapshot>();
  auto* const bytes = reinterpret_cast<char*>(snapshot.get());
  for (int i = 0; i < attempts; ++i) {
    const std::uint32_t before = word_at(sequence);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (before % 2 != 0) continue;
    if (!read_at(file_, bytes, head, detail::monitor_snapshot_offset)) refuse_file();
    const bool fits = snapshot->pools <= detail::monitor_max_pools &&
                      snapshot->workers <= detail::monitor_max_workers;
    if (fits && !read_at(file_, bytes + head, snapshot->used_bytes() - head,
                         detail::monitor_snapshot_offset + head))
      refuse_file();
    std::atomic_thread_fence(std::memory_order_acquire);
    if (word_at(sequence) != before) continue;
    if (!fits || !is_sound(*snapshot)) refuse_file();
    seen_process seen = process_of(*snapshot);
    seen.pid = pid_;
    seen.command = command_;
    return seen;
  }
  return std::nullopt;
}

bool monitored_process::has_ended() const noexcept {
  return platform::process_start_time(pid_) != start_time_;
}

std::vector<listed_process> monitored_processes() {
  std::vector<listed_process> all;
  for (const pid_t pid : detail::published_processes()) all.push_back({pid, command_of(pid)});
  return all;
}

}  // namespace heist::cli
