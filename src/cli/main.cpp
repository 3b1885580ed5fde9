#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

#include "cli/cli.hpp"
#include "workloads/files.hpp"

namespace {

// If standard output was closed, a file that is opened later must not take its place. It is opened
// for reading, so that printing still fails.
void occupy_closed_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor)
    if (fcntl(descriptor, F_GETFD) == -1) (void)open("/dev/null", O_RDONLY | O_CLOEXEC);
}

// Ends with a shell's code for the signal. The pools' threads end with the process.
extern "C" void end_interrupted(int signal) {
  heist::workloads::remove_unfinished_file();
  _exit(128 + signal);
}

}  // namespace

int main(int argc, char** argv) {
  occupy_closed_descriptors();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);        // a file-size limit is then a write error, like a full disk
  setenv("HWLOC_HIDE_ERRORS", "2", 0);  // a machine that shows no topology is not an error here
  for (const int each : {SIGINT, SIGTERM}) std::signal(each, end_interrupted);
  return heist::cli::run_cli(argc, argv, stdout, stderr);
}
