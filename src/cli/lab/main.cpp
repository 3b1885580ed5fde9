// The program heist-lab, which `heist sim`, `heist theory` and `heist lab` become.
#include "cli/cli.hpp"

int main(int argc, char** argv) {
  return heist::cli::run_program(heist::cli::lab_commands(), argc, argv);
}
