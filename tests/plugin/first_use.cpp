// The first use of heist in a thread while another one loads a plugin, whose initialiser uses heist
// too and holds the loader's lock meanwhile. Either may come first.
//
//     first_use PLUGIN
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include <heist/heist.hpp>

namespace {

constexpr unsigned seconds_to_end = 20;  // a hang ends by SIGALRM

// `nearest`: the default pool asks hwloc, which is loaded for that.
bool meets(const char* plugin, std::chrono::milliseconds head_start, bool nearest) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(seconds_to_end);
    if (nearest) heist::configure_default_pool({.victim = heist::victim_kind::nearest});
    std::thread loads([=] {
      if (::dlopen(plugin, RTLD_NOW | RTLD_LOCAL) == nullptr) ::_exit(2);
    });
    std::this_thread::sleep_for(head_start);
    const auto [a, b] = heist::default_pool().run(
        [] { return heist::fork_join([] { return 1; }, [] { return 2; }); });
    loads.join();
    ::_exit(a + b == 3 ? 0 : 1);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return false;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  std::fprintf(stderr, "first_use: after %d ms%s: status %d\n",
               static_cast<int>(head_start.count()), nearest ? ", nearest" : "", status);
  return false;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  bool right = true;
  for (const bool nearest : {false, true})
    for (const int milliseconds : {0, 1, 5, 10, 15, 25, 50})
      right = meets(arguments[1], std::chrono::milliseconds(milliseconds), nearest) && right;
  return right ? 0 : 1;
}
