// HEIST_TSAN, HEIST_ASAN: which sanitizer this is compiled for, 1 or 0 each.
#pragma once

#if defined(__SANITIZE_THREAD__)
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
