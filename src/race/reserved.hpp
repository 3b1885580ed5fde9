// An array of addresses, which get memory as they are written to. All zero at first.
#pragma once

#include <cstddef>

#include <sys/mman.h>

namespace heist::inline v0::race {

template <class T>
class reserved {
 public:
  constexpr reserved() noexcept = default;
  // False, with errno: there are not so many addresses.
  [[nodiscard]] bool reserve(std::size_t n) noexcept {
    void* const at = ::mmap(nullptr, n * sizeof(T), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return false;
    first_ = static_cast<T*>(at);
    return true;
  }
  // The same for what is written from the first one on. Memory comes in huge pages then: there are
  // systems on which a page fault takes as long as a hundred branches.
  [[nodiscard]] bool reserve_in_order(std::size_t n) noexcept {
    if (!reserve(n)) return false;
    (void)::madvise(first_, n * sizeof(T), MADV_HUGEPAGE);  // else in small ones
    return true;
  }
  T& operator[](std::size_t i) noexcept { return first_[i]; }
  const T& operator[](std::size_t i) const noexcept { return first_[i]; }

 private:
  T* first_ = nullptr;  // never given back
};

}  // namespace heist::inline v0::race
