// std::monostate without the rest of <variant>, where the standard library has a header for it:
// every program that forks includes this.
#pragma once

#if __has_include(<bits/monostate.h>)
#include <bits/monostate.h>
#else
#include <variant>
#endif
