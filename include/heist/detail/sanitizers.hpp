// HEIST_TSAN, HEIST_ASAN: which sanitizer this is compiled for, 1 or 0 each. HEIST_RACE: whether it
// is compiled for heist race, whose calls the compiler makes as those of ThreadSanitizer.
#pragma once

#ifndef HEIST_RACE
#define HEIST_RACE 0
#endif

#if HEIST_RACE
#define HEIST_TSAN 0
#elif defined(__SANITIZE_THREAD__)
#define HEIST_TSAN 1
#elif defined(__SANITIZE_ADDRESS__)
#define HEIST_ASAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HEIST_TSAN 1
#elif __has_feature(address_sanitizer)
#define HEIST_ASAN 1
#endif
#endif

#ifndef HEIST_TSAN
#define HEIST_TSAN 0
#endif
#ifndef HEIST_ASAN
#define HEIST_ASAN 0
#endif
