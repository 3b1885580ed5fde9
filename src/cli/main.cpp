// The program heist.
#include "cli/cli.hpp"

int main(int argc, char** argv) {
  return heist::cli::run_program(heist::cli::core_commands(), argc, argv);
}
