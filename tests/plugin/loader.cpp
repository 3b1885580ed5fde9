// A program that knows nothing of heist. It loads the given plugins, uses and unloads them.
//
//     loader PLUGIN...
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace {

void* open_plugin(const char* path) {
  void* const handle = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) std::fprintf(stderr, "loader: %s\n", ::dlerror());
  return handle;
}

bool use(void* handle) {
  const auto fib = reinterpret_cast<long (*)(int)>(::dlsym(handle, "plugin_fib"));
  const auto all = reinterpret_cast<int (*)()>(::dlsym(handle, "plugin_all"));
  if (fib == nullptr || all == nullptr) return false;
  bool right = fib(20) == 6765 && all() == 0;
  // One thread existed before the plugin was loaded, the other started afterwards.
  std::thread([&] { right = right && fib(18) == 2584 && all() == 0; }).join();
  return right;
}

// The plugin's workers sleep now, or are about to: the code that they run next must still be in
// memory.
bool load_use_unload(const char* path) {
  void* const handle = open_plugin(path);
  if (handle == nullptr) return false;
  const bool right = use(handle);
  const bool closed = ::dlclose(handle) == 0;
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  return right && closed;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  for (int round = 0; round < 2; ++round) {
    for (int i = 1; i < count; ++i) {
      if (!load_use_unload(arguments[i])) {
        std::fprintf(stderr, "loader: round %d of %s failed\n", round, arguments[i]);
        return 1;
      }
    }
  }
  // All plugins are loaded at the same time, each with workers of its own.
  for (int i = 1; i < count; ++i) {
    void* const handle = open_plugin(arguments[i]);
    if (handle == nullptr || !use(handle)) return 1;
  }
  std::puts("loaded, used and unloaded");
  return 0;
}
