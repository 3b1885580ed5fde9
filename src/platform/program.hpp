// What this process runs, and on what.
#pragma once

#include <cstddef>
#include <string>

namespace heist::inline v0::platform {

// The file name of the program, without its folders.
[[nodiscard]] std::string program_name();
// The model of the first processor as the system names it; else the machine's architecture.
[[nodiscard]] std::string processor_name();

// Where an object lies that is part of the program or of a library.
struct loaded_place {
  std::string symbol{};    // its name, if the file tells
  std::string file{};      // empty: it is in none
  std::size_t offset = 0;  // in the file as it was loaded
};
[[nodiscard]] loaded_place find_loaded_place(const void* object);

// What the program, or a library that it has loaded, exports under that name; or nullptr.
[[nodiscard]] const void* find_exported(const char* name) noexcept;

}  // namespace heist::inline v0::platform
