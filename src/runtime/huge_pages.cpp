#include "heist/detail/huge_pages.hpp"

#include <cerrno>

#include <sys/mman.h>

namespace heist::inline v0::detail {

void prefer_huge_pages(void* first, std::size_t bytes) noexcept {
  const int before = errno;
  // Only whole ones: nothing beyond these bytes is touched. A system without them refuses.
  (void)::madvise(first, bytes / huge_page * huge_page, MADV_HUGEPAGE);
  errno = before;
}

}  // namespace heist::inline v0::detail
