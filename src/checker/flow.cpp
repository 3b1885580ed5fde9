#include "checker/flow.hpp"

#include <unwind.h>

#include <ctime>

#include "checker/reporter.hpp"

namespace heist::inline v0::checker {

namespace {

std::uint64_t now_ns() noexcept {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(t.tv_nsec);
}

class guarded {
 public:
  explicit guarded(std::atomic_flag& flag) noexcept : flag_(flag) {
    while (flag_.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~guarded() { flag_.clear(std::memory_order_release); }
  guarded(const guarded&) = delete;
  guarded& operator=(const guarded&) = delete;

 private:
  std::atomic_flag& flag_;
};

}  // namespace

call_chain call_chain::here(unsigned skipped) noexcept {
  struct walk {
    call_chain chain{};
    unsigned skipped;
  } w{{}, skipped + 1};
  const auto add = [](_Unwind_Context* context, void* to) {
    walk& at = *static_cast<walk*>(to);
    if (at.skipped != 0) {
      --at.skipped;
      return _URC_NO_REASON;
    }
    const std::uintptr_t address = _Unwind_GetIP(context);
    if (address == 0 || at.chain.count_ == longest) return _URC_END_OF_STACK;
    at.chain.addresses_[at.chain.count_++] = address - 1;  // in the call, not behind it
    return _URC_NO_REASON;
  };
  _Unwind_Backtrace(add, &w);
  return w.chain;
}

constinit thread_local flow flow::of_thread;

unsigned flow::begin(std::uint64_t longest_block_ns) noexcept {
  const apart own(*this);
  const unsigned before = first_;
  first_ = count_;
  longest_block_ns_ = longest_block_ns;
  is_worker_ = true;
  reporter::instance().follow(*this, longest_block_ns);
  return before;
}

void flow::end(unsigned begun) noexcept {
  const apart own(*this);
  reporter::instance().forget(*this);
  is_worker_ = false;
  first_ = begun;
}

void flow::look(const char* construct) noexcept {
  if (!notes()) return;
  for (unsigned i = first_; i < count_; ++i) {
    if (held_[i].is_told) continue;
    const apart own(*this);
    held_[i].is_told = true;
    reporter::instance().add(
        {held_[i].lock, held_[i].kind, held_[i].where, construct, call_chain::here(1), 0, false});
  }
}

void flow::acquired(const volatile void* lock, const char* kind) noexcept {
  if (!notes()) return;
  if (count_ == most_held) {  // locks that fibers took elsewhere, or more than anybody holds
    for (unsigned i = first_ + 1; i < count_; ++i) held_[i - 1] = held_[i];
    --count_;
  }
  held_[count_++] = {lock, kind, call_chain::here(2), false};
}

void flow::released(const volatile void* lock) noexcept {
  if (apart_ != 0) return;
  for (unsigned i = count_; i-- > 0;) {
    if (held_[i].lock != lock) continue;
    for (unsigned k = i + 1; k < count_; ++k) held_[k - 1] = held_[k];
    --count_;
    if (i < first_) --first_;
    return;
  }
}

void flow::block(const char* call) noexcept {
  if (!notes() || longest_block_ns_ == 0) return;
  const call_chain where = call_chain::here(2);
  const guarded hold(guard_);
  call_ = call;
  since_ns_ = now_ns();
  blocked_at_ = where;
  is_reported_ = false;
}

void flow::unblock() noexcept {
  // Only this thread writes it.
  if (call_ == nullptr) return;
  const apart own(*this);
  const guarded hold(guard_);
  const std::uint64_t ns = now_ns() - since_ns_;
  if (ns > longest_block_ns_ && !is_reported_) report_block(ns, false);
  call_ = nullptr;
}

void flow::look_at_block(std::uint64_t least_ns) noexcept {
  const guarded hold(guard_);
  if (call_ == nullptr || is_reported_) return;
  const std::uint64_t ns = now_ns() - since_ns_;
  if (ns > least_ns && ns > longest_block_ns_) report_block(ns, true);
}

void flow::report_block(std::uint64_t ns, bool goes_on) noexcept {
  is_reported_ = true;
  reporter::instance().add({nullptr, call_, {}, nullptr, blocked_at_, ns, goes_on});
}

}  // namespace heist::inline v0::checker
