// This function is apart from all loops that call it, so that the compiler cannot see its body
// there.
#include "bench/api/kernels.hpp"

namespace heist::bench::api {

std::uint64_t opaque_body(std::size_t i) { return chain(i, 3); }

}  // namespace heist::bench::api
