// A message for a full stack, where there would be a bare "Segmentation fault".
//
// A fiber that outgrows its stack touches the guard below it (stack_memory.hpp) and the kernel
// raises SIGSEGV. There is no stack left to handle it on, so each thread has an alternate one; the
// handler looks the address up among the registered guards, writes one line that names the size and
// how to raise it, and lets the process die of SIGSEGV as it would have.
//
// Other handlers: one that was there before (a crash reporter, a language runtime) is called in
// every case: after our line when it is our guard, and instead of it when it is not. One that is
// installed later replaces ours, as usual.
#pragma once

#include <cstddef>

#include "guard_table.hpp"

namespace heist::inline v0::platform {

// Installs the handler for SIGSEGV and SIGBUS, once per process; later calls do nothing.
// Thread-safe.
void install_overflow_handler() noexcept;

// The calling thread's alternate signal stack, from construction to destruction; both on the same
// thread. If the thread has one already (a sanitizer's, the program's own), that one is kept and
// nothing is installed. If memory is refused there is none, and an overflow on this thread is a
// bare SIGSEGV. `worker` is the number in the message; negative: no number.
class alternate_stack {
 public:
  explicit alternate_stack(int worker) noexcept;
  ~alternate_stack();
  alternate_stack(const alternate_stack&) = delete;
  alternate_stack& operator=(const alternate_stack&) = delete;

 private:
  std::byte* mapping_ = nullptr;  // guard page, then the stack; null if nothing was installed
  std::size_t mapping_bytes_ = 0;
  int outer_worker_ = -1;  // the number before this one, put back at the end
};

// An alternate_stack without a number for the calling thread, until the thread ends; later calls do
// nothing. It is no thread_local object with a destructor: to register one, glibc allocates memory,
// and ends the process when that is refused.
void keep_alternate_stack() noexcept;

}  // namespace heist::inline v0::platform
