// Windows has no fork(): a process is its own only generation.
#include "platform/process.hpp"

#include <windows.h>

#include <cstdlib>

namespace heist::inline v0::platform {

unsigned process_generation() noexcept { return 0; }

void call_in_forked_child(void (*)()) noexcept {}

const char* environment_variable(const char* name) noexcept { return std::getenv(name); }

void keep_code_loaded() noexcept {
  HMODULE mine = nullptr;
  ::GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
                       reinterpret_cast<LPCSTR>(&keep_code_loaded), &mine);
}

}  // namespace heist::inline v0::platform
