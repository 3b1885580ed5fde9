// std::monostate without the rest of <variant> where the library has it apart: every program that
// forks includes this.
#pragma once

#if __has_include(<bits/monostate.h>)
#include <bits/monostate.h>
#else
#include <variant>
#endif
