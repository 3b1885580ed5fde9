// The floating-point modes of the running thread: rounding, flushing to zero, masked exceptions.
//
// <cfenv> also saves the flags of what has happened, which takes ten times as long.
#pragma once

#include <cstdint>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <cfenv>
#endif

namespace heist::inline v0::platform {

class float_modes {
 public:
  [[nodiscard]] static float_modes now() noexcept {
    float_modes m;
#if defined(__x86_64__)
    m.word_ = mxcsr_now();
    asm volatile("fnstcw %0" : "=m"(m.x87_));
#elif defined(__aarch64__)
    asm volatile("mrs %0, fpcr" : "=r"(m.word_));
#else
    m.word_ = static_cast<std::uint64_t>(std::fegetround());
#endif
    return m;
  }

  void set() const noexcept {
#if defined(__x86_64__)
    const auto mxcsr = static_cast<std::uint32_t>(word_);
    asm volatile("ldmxcsr %0" : : "m"(mxcsr));
    asm volatile("fldcw %0" : : "m"(x87_));
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" : : "r"(word_));
#else
    std::fesetround(static_cast<int>(word_));
#endif
  }

  friend bool operator==(const float_modes&, const float_modes&) = default;

  // The same as one number, for those who have room for one.
  [[nodiscard]] std::uint64_t word() const noexcept { return word_ | std::uint64_t{x87_} << 32; }
  [[nodiscard]] static float_modes of_word(std::uint64_t word) noexcept {
    float_modes m;
#if defined(__x86_64__)
    m.x87_ = static_cast<std::uint16_t>(word >> 32);
    word = static_cast<std::uint32_t>(word);
#endif
    m.word_ = word;
    return m;
  }

#if defined(__x86_64__)
  // The lower half of the word. Reading the x87 control word takes several times as long.
  [[nodiscard]] static std::uint32_t mxcsr_now() noexcept {
    std::uint32_t mxcsr = 0;
    asm volatile("stmxcsr %0" : "=m"(mxcsr));
    return mxcsr & ~status_flags;
  }
#endif

 private:
  static constexpr std::uint32_t status_flags = 0x3f;  // of MXCSR: what has happened

  std::uint64_t word_ = 0;
  std::uint16_t x87_ = 0;
};

}  // namespace heist::inline v0::platform
