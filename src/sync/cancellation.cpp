#include "heist/cancellation.hpp"

namespace heist::inline v0::detail {

void throw_cancelled(std::uint64_t done, std::uint64_t total) { throw cancelled(done, total); }

}  // namespace heist::inline v0::detail
