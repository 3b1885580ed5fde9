// One side of the comparison: two libraries at once in one process, on one heist pool or on threads
// of their own. Each side is a process, because libraries keep the threads that they have started.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace two_libraries {

enum class pair : std::uint8_t { jxl_opencv, jxl_fftw };
inline constexpr pair all_pairs[] = {pair::jxl_opencv, pair::jxl_fftw};
constexpr std::string_view to_string(pair p) noexcept {
  return p == pair::jxl_opencv ? "JPEG XL beside OpenCV" : "JPEG XL beside FFTW";
}

enum class side : std::uint8_t {
  own,    // the program has a thread for each library, and each library its own threads
  heist,  // the program has a thread for each library, and both libraries work on one pool
  forks,  // the program has no threads: it forks in the pool
};
inline constexpr side all_sides[] = {side::own, side::heist, side::forks};
constexpr std::string_view to_string(side s) noexcept {
  constexpr std::string_view names[] = {"threads of their own", "one heist pool",
                                        "one heist pool, forked"};
  return names[static_cast<std::size_t>(s)];
}

struct measurement {
  double time_s = 0;
  double cpu_s = 0;            // of all threads
  long voluntary = 0;          // context switches of threads that had to wait
  long involuntary = 0;        // and of those that had to make room
  long threads = 0;            // in the process, at the most of two counts
  std::uint64_t checksum = 0;  // of all that the libraries returned
};

// What is to be done: `size` is the number of pictures, and of transforms.
struct job {
  pair libraries;
  side where;
  unsigned threads;
  unsigned size;
};

// Does it once to warm up and once to measure.
measurement run(const job& j);

std::string to_line(const measurement& m);
measurement from_line(const std::string& line);

}  // namespace two_libraries
