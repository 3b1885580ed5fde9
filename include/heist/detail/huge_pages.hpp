// Memory in huge pages, for what is written as a whole and soon given back: most of the time that
// new memory takes goes into its page faults, of which a huge page has one where there were 512.
#pragma once

#include <cstddef>

#include "heist/detail/export.hpp"

namespace heist::inline v0::detail {

// Where they begin must be a multiple of this.
inline constexpr std::size_t huge_page = std::size_t{1} << 21;

// Asks the system for huge pages in these bytes, which begin at a multiple of huge_page, and does
// without where it has none.
HEIST_API void prefer_huge_pages(void* first, std::size_t bytes) noexcept;

}  // namespace heist::inline v0::detail
