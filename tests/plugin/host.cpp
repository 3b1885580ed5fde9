// Loads plugins, each with RTLD_LOCAL, and lets all of them use their default pool:
//
//     host PLUGIN...
//
// Prints how many threads there are then. With HEIST_IN_HOST it uses heist itself before and after.
#include <dlfcn.h>

#include <cstdio>
#include <filesystem>
#include <iterator>

#if HEIST_IN_HOST
#include <heist/heist.hpp>

namespace {

long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = heist::fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

// What a plugin calls inside the host's pool forks there.
template <class F>
bool in_pool(F&& f) {
  return heist::default_pool().run(f);
}

}  // namespace
#else
namespace {

long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

template <class F>
bool in_pool(F&& f) {
  return f();
}

}  // namespace
#endif

namespace {

bool use(const char* path) {
  void* const plugin = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) return std::fprintf(stderr, "host: %s\n", ::dlerror()), false;
  if (const auto makes = reinterpret_cast<void (*)()>(::dlsym(plugin, "plugin_makes_pool"))) {
    makes();
    return true;
  }
  const auto its_fib = reinterpret_cast<long (*)(int)>(::dlsym(plugin, "plugin_fib"));
  const auto its_all = reinterpret_cast<int (*)()>(::dlsym(plugin, "plugin_all"));
  const auto right = [&] { return its_fib(15) == 610 && its_all() == 0; };
  return right() && in_pool(right);
}

}  // namespace

int main(int count, char** arguments) {
  bool right = fib(15) == 610;
  for (int i = 1; i < count; ++i) right = use(arguments[i]) && right;
  right = fib(15) == 610 && right;
  const std::filesystem::directory_iterator threads("/proc/self/task");
  std::printf("threads: %td\n", std::distance(begin(threads), end(threads)));
  return right ? 0 : 1;
}
