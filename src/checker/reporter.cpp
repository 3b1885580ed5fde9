#include "checker/reporter.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string_view>
#include <thread>

#include "checker/places.hpp"

namespace heist::inline v0::checker {

namespace {

using namespace std::chrono_literals;

// How often calls that have not returned are looked at.
constexpr auto look_interval = 250ms;
// Those that are shorter report themselves when they return.
constexpr std::uint64_t long_block_ns = 1'000'000'000;
constexpr auto patience_at_end = 5s;

std::string milliseconds(std::uint64_t ns) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f ms", static_cast<double>(ns) / 1e6);
  return text;
}

void write_all(const std::string& text) noexcept {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(STDERR_FILENO, text.data() + done, text.size() - done);
    if (n <= 0) return;
    done += static_cast<std::size_t>(n);
  }
}

// No signal of the program's is delivered to the reporter.
class signals_blocked {
 public:
  signals_blocked() noexcept {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~signals_blocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  signals_blocked(const signals_blocked&) = delete;
  signals_blocked& operator=(const signals_blocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

// Never destroyed: threads may still report while the program ends.
reporter& reporter::instance() noexcept {
  static reporter& only = *[] {
    auto* const made = new reporter;
    // In the child of fork() no lock is held by a thread that isn't there.
    ::pthread_atfork([] { instance().lock(); }, [] { instance().unlock(); },
                     [] { instance().unlock(); });
    return made;
  }();
  return only;
}

void reporter::lock() noexcept {
  flows_mutex_.lock();
  mutex_.lock();
}

void reporter::unlock() noexcept {
  mutex_.unlock();
  flows_mutex_.unlock();
}

void reporter::follow(flow& f, std::uint64_t longest_block_ns) noexcept {
  const std::lock_guard hold(flows_mutex_);
  f.next = flows_;
  flows_ = &f;
  looks_at_blocks_ = looks_at_blocks_ || longest_block_ns != 0;
  if (process_ == ::getpid()) return;
  process_ = ::getpid();
  try {
    const signals_blocked during;
    std::thread([this] { run(); }).detach();
  } catch (...) {  // without a thread finish() says all
  }
}

void reporter::forget(flow& f) noexcept {
  const std::lock_guard hold(flows_mutex_);
  for (flow** at = &flows_; *at != nullptr; at = &(*at)->next) {
    if (*at != &f) continue;
    *at = f.next;
    return;
  }
}

void reporter::add(const finding& f) noexcept {
  try {
    const std::lock_guard hold(mutex_);
    if (!known_.insert(f.locked.hash() * 31 + f.at.hash()).second) return;
    if (known_.size() > most_reports) {
      ++unsaid_;
      return;
    }
    waiting_.push_back(f);
    changed_.notify_all();
  } catch (...) {  // without memory nothing is said
  }
}

bool reporter::look_at_blocks() noexcept {
  const std::lock_guard hold(flows_mutex_);
  if (looks_at_blocks_)
    for (flow* f = flows_; f != nullptr; f = f->next) f->look_at_block(long_block_ns);
  return looks_at_blocks_;
}

void reporter::say_all(std::unique_lock<std::mutex>& hold) noexcept {
  std::vector<finding> now;
  now.swap(waiting_);
  is_saying_ = true;
  hold.unlock();
  for (const finding& f : now) {
    try {
      const std::string text = text_of(f);
      // The same two places, reached by other ways, or another object.
      if (said_.insert(f.what + text.substr(text.find('\n'))).second) write_all(text);
    } catch (...) {
    }
  }
  hold.lock();
  is_saying_ = false;
  changed_.notify_all();
}

void reporter::run() noexcept {
  ::pthread_setname_np(::pthread_self(), "heist-report");
  const flow::apart own(flow::current());
  for (;;) {
    const bool looks = look_at_blocks();
    std::unique_lock hold(mutex_);
    const auto has_some = [this] { return !waiting_.empty(); };
    if (looks)
      changed_.wait_for(hold, look_interval, has_some);
    else
      changed_.wait(hold, has_some);
    say_all(hold);
  }
}

void reporter::finish() noexcept {
  const flow::apart own(flow::current());
  std::unique_lock hold(mutex_);
  changed_.wait_for(hold, patience_at_end, [this] { return !is_saying_; });
  say_all(hold);
  if (unsaid_ != 0)
    write_all("heist: " + std::to_string(unsaid_) + " more places were found, and not said\n");
  unsaid_ = 0;
}

std::string reporter::text_of(const finding& f) {
  if (f.lock == nullptr)
    return "heist: " + std::string(f.what) + " blocked a worker for " +
           (f.goes_on ? "more than " : "") + milliseconds(f.ns) + ":\n  called at " +
           place_of(f.at) +
           "\nheist: its processor did nothing meanwhile; heist::blocking(f) runs f elsewhere\n";
  char address[2 + 2 * sizeof(void*) + 1];
  std::snprintf(address, sizeof(address), "%p", const_cast<const void*>(f.lock));
  return "heist: a " + std::string(f.what) + " (" + address + ") is held " +
         (std::string_view(f.construct).starts_with("wait") ? "by a function that " : "") +
         f.construct + ":\n  locked at " + place_of(f.locked) + "\n  held at   " + place_of(f.at) +
         "\nheist: the function may go on in another thread, and this one may run a function that "
         "wants the lock: unlock it first, or hold a heist::mutex\n";
}

}  // namespace heist::inline v0::checker
