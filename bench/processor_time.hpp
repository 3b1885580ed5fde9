// The processor time that all threads of this process have used so far.
#pragma once

#include <sys/resource.h>

#include <cstdint>

namespace heist::bench {

struct processor_time {
  double seconds;
  std::int64_t switches;  // times that a thread gave its processor up or lost it

  [[nodiscard]] static processor_time now() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds_of = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return {seconds_of(used.ru_utime) + seconds_of(used.ru_stime),
            std::int64_t{used.ru_nvcsw} + used.ru_nivcsw};
  }
};

}  // namespace heist::bench
