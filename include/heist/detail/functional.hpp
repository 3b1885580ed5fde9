// std::plus and the like, std::invoke and std::function, without the hash tables and searchers that
// libstdc++'s <functional> brings along.
#pragma once

#if __has_include(<bits/std_function.h>) && __has_include(<bits/stl_function.h>) && \
    __has_include(<bits/invoke.h>) && __has_include(<bits/refwrap.h>)
#include <bits/invoke.h>
#include <bits/refwrap.h>
#include <bits/std_function.h>
#include <bits/stl_function.h>
#else
#include <functional>
#endif
