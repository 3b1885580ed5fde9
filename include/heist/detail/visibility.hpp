// HEIST_API marks what a program links against. The shared library is built with hidden visibility,
// so that everything else may change.
#pragma once

// A Windows program links the static library only, whose symbols need no mark.
#if defined(_WIN32)
#define HEIST_API
#define HEIST_HIDDEN
#else
#define HEIST_API __attribute__((visibility("default")))
#define HEIST_HIDDEN __attribute__((visibility("hidden")))
#endif

// HEIST_KEPT marks what nothing refers to and the linker must keep; only ELF has such a mark.
#if defined(__ELF__)
#define HEIST_KEPT __attribute__((used, retain))
#else
#define HEIST_KEPT __attribute__((used))
#endif
