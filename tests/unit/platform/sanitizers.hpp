// Tells the tests which sanitizer is on, and tells the sanitizer of a switch.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define HEIST_TEST_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEIST_TEST_ASAN 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define HEIST_TEST_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HEIST_TEST_TSAN 1
#endif
#endif

#if defined(HEIST_TEST_ASAN)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(HEIST_TEST_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace heist_test {

#if defined(HEIST_TEST_ASAN)
inline constexpr bool asan = true;
#else
inline constexpr bool asan = false;
#endif
#if defined(HEIST_TEST_TSAN)
inline constexpr bool tsan = true;
#else
inline constexpr bool tsan = false;
#endif

// One fiber's annotations. Without a sanitizer all functions are empty.
class sanitizer_fiber {
 public:
  void created() {
#if defined(HEIST_TEST_TSAN)
    tsan_inside_ = __tsan_create_fiber(0);
#endif
  }

  void destroyed() {
#if defined(HEIST_TEST_TSAN)
    __tsan_destroy_fiber(tsan_inside_);
#endif
  }

  void entering([[maybe_unused]] const void* base, [[maybe_unused]] std::size_t size) {
#if defined(HEIST_TEST_ASAN)
    __sanitizer_start_switch_fiber(&fake_outside_, base, size);
#endif
#if defined(HEIST_TEST_TSAN)
    tsan_outside_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(tsan_inside_, 0);
#endif
  }

  void back_inside() {
#if defined(HEIST_TEST_ASAN)
    __sanitizer_finish_switch_fiber(fake_inside_, &outside_base_, &outside_size_);
#endif
  }

  void leaving() {
#if defined(HEIST_TEST_ASAN)
    __sanitizer_start_switch_fiber(&fake_inside_, outside_base_, outside_size_);
#endif
    to_outside();
  }

  void leaving_for_good() {
#if defined(HEIST_TEST_ASAN)
    __sanitizer_start_switch_fiber(nullptr, outside_base_, outside_size_);
#endif
    to_outside();
  }

  void back_outside() {
#if defined(HEIST_TEST_ASAN)
    __sanitizer_finish_switch_fiber(fake_outside_, nullptr, nullptr);
#endif
  }

 private:
  void to_outside() {
#if defined(HEIST_TEST_TSAN)
    __tsan_switch_to_fiber(tsan_outside_, 0);
#endif
  }

#if defined(HEIST_TEST_ASAN)
  void* fake_inside_ = nullptr;
  void* fake_outside_ = nullptr;
  const void* outside_base_ = nullptr;
  std::size_t outside_size_ = 0;
#endif
#if defined(HEIST_TEST_TSAN)
  void* tsan_inside_ = nullptr;
  void* tsan_outside_ = nullptr;
#endif
};

}  // namespace heist_test
