// A rival's process: heist-rival-NAME PROGRAM WORKERS [SETTING=VALUE ...]. It answers the commands
// of workloads/side.hpp. The programs are those of workloads/, compiled with the rival's way of
// forking in place of heist's.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include <heist/error.hpp>

#include "workloads/side.hpp"

namespace {

unsigned workers_of(const char* text) {
  unsigned workers = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), workers);
  if (error != std::errc{} || *end != '\0' || workers == 0)
    throw heist::usage_error(std::string("'") + text + "' is no number of workers");
  return workers;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) throw heist::usage_error("usage: PROGRAM WORKERS [SETTING=VALUE ...]");
  const heist::workloads::execution how{.workers = workers_of(argv[2])};
  const auto program =
      heist::workloads::make_side_program(argv[1], std::vector<std::string>(argv + 3, argv + argc));
  heist::workloads::serve({*program, [&] { program->run_with(how); }}, stdin, stdout);
  return 0;
} catch (const heist::usage_error& error) {
  std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
  return 2;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
  return 1;
}
