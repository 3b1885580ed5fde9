// The program heist-bench, which `heist bench` becomes.
#include "cli/cli.hpp"

int main(int argc, char** argv) {
  return heist::cli::run_program(heist::cli::bench_commands(), argc, argv, "bench");
}
