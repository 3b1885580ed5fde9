// The symbol that tells how the library was built: see heist/detail/export.hpp.
#include "heist/detail/export.hpp"

const char HEIST_BUILT = 0;
