// std::stop_token, which libc++ before 20 has only with a flag. The CMake package and pkg-config
// give that flag.
#pragma once

#include <version>

#include "heist/detail/requirements.hpp"

#if !defined(__cpp_lib_jthread)
#error \
    "heist needs std::stop_token: with libc++ before 20 compile and link with -fexperimental-library"
#include "no more of heist: see the error above"
#endif

#include <stop_token>
