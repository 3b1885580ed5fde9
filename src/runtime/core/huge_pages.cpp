#include "heist/detail/huge_pages.hpp"

#include <cerrno>

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

namespace heist::inline v0::detail {

#if defined(MADV_HUGEPAGE)
void prefer_huge_pages(void* first, std::size_t bytes) noexcept {
  const int before = errno;
  // Only whole ones: nothing beyond these bytes is touched. A system without them refuses.
  (void)::madvise(first, bytes / huge_page * huge_page, MADV_HUGEPAGE);
  errno = before;
}
#else
void prefer_huge_pages(void*, std::size_t) noexcept {}  // the system decides
#endif

}  // namespace heist::inline v0::detail
