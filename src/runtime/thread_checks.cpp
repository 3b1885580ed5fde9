#include "runtime/thread_checks.hpp"

#include "heist/error.hpp"
#include "platform/program.hpp"
#include "runtime/pool_impl.hpp"

namespace heist::inline v0::detail {

const check_library* check_library_for(const check_settings& wanted) {
  if (!wanted.locks && wanted.block.count() == 0) return nullptr;
  const void* const found = platform::find_exported(check_library_name);
  if (found == nullptr)
    throw usage_error(
        "HEIST_CHECK: locks and block:TIME need libheist-check.so: start the program by heist "
        "check PROGRAM");
  return static_cast<const check_library*>(found);
}

checked_thread::checked_thread(const worker& w) noexcept : library_(w.pool.checking().library) {
  if (library_ != nullptr)
    begun_ = library_->begin(static_cast<std::uint64_t>(w.pool.checking().wanted.block.count()));
}

checked_thread::~checked_thread() {
  if (library_ != nullptr) library_->end(begun_);
}

void look_at_locks(const worker& w, const char* construct) noexcept {
  w.pool.checking().library->look(construct);
}

}  // namespace heist::inline v0::detail
