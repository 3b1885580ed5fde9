// Small programs, each with the verdict that heist race has to give.
#pragma once

#include <string>
#include <vector>

namespace heist_test {

// Of a racy program the lines of the two accesses end with the comments (1) and (2), in the order
// of the serial run: in the program, or in what stands before it.
enum class verdict : bool { clean, racy };
using enum verdict;

struct race_program {
  const char* name;
  const char* file;
  int line;
  verdict expected;
  void (*run)();
};

inline std::vector<race_program>& race_programs() {
  static std::vector<race_program> all;
  return all;
}

struct registered_race_program {
  explicit registered_race_program(const race_program& p) { race_programs().push_back(p); }
};

// What the optimiser has to leave as it is.
template <class T>
[[gnu::always_inline]] inline void use(T& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

}  // namespace heist_test

#define HEIST_NAME2(a, b) a##b
#define HEIST_NAME1(a, b) HEIST_NAME2(a, b)
#define PROGRAM(name, expected) HEIST_PROGRAM(name, expected, __COUNTER__)
#define HEIST_PROGRAM(name, expected, n)                                                \
  static void HEIST_NAME1(program_, n)();                                               \
  static const heist_test::registered_race_program HEIST_NAME1(                         \
      registered_, n)({name, __FILE__, __LINE__, expected, &HEIST_NAME1(program_, n)}); \
  static void HEIST_NAME1(program_, n)()
