#include "platform/program.hpp"

#include <cpuid.h>
#include <windows.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace heist::inline v0::platform {

namespace {

std::string file_of(HMODULE module) {
  std::array<char, 1024> path{};
  const DWORD length =
      ::GetModuleFileNameA(module, path.data(), static_cast<DWORD>(path.size()) - 1);
  return {path.data(), length};
}

}  // namespace

std::string program_name() {
  const std::string path = file_of(nullptr);
  const std::size_t slash = path.find_last_of("\\/");
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// Its own words, of which cpuid gives 16 bytes at a time.
std::string processor_name() {
  std::array<unsigned, 4> part{};
  std::string name;
  for (unsigned leaf = 0x80000002U; leaf <= 0x80000004U; ++leaf) {
    if (__get_cpuid(leaf, &part[0], &part[1], &part[2], &part[3]) == 0) return "unknown processor";
    std::array<char, sizeof(part)> text;
    std::memcpy(text.data(), part.data(), sizeof(part));
    name.append(text.begin(), std::find(text.begin(), text.end(), '\0'));
  }
  const std::size_t last = name.find_last_not_of(' ');
  name.resize(last == std::string::npos ? 0 : last + 1);
  return name;
}

loaded_place find_loaded_place(const void* object) {
  HMODULE module = nullptr;
  constexpr DWORD flags =
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (::GetModuleHandleExA(flags, static_cast<LPCSTR>(object), &module) == 0) return {};
  loaded_place place;
  place.file = file_of(module);
  place.offset = static_cast<std::size_t>(static_cast<const char*>(object) -
                                          reinterpret_cast<const char*>(module));
  return place;
}

const void* find_exported(const char* /*name*/) noexcept { return nullptr; }

}  // namespace heist::inline v0::platform
