// A plugin whose initialiser uses the default pool, some time after the loader has begun.
#include <chrono>
#include <thread>

#include <heist/heist.hpp>

namespace {

const int at_load = [] {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return heist::default_pool().run([] { return 1; });
}();

}  // namespace

extern "C" int plugin_at_load() { return at_load; }
