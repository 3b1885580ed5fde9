// What the commands share that start another program in their own place: options of the command,
// then the program and its arguments, which nobody looks at.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heist::cli {

struct leading_option {
  std::string_view shorter;  // "-P", or empty
  std::string_view longer;   // "--workers"
  std::string* value;        // nullptr: it takes none
  bool* is_given;            // may be nullptr
  std::string_view what{};   // the value is: "a number"
};

// The program and its arguments, which follow the options; nothing: help was asked for. Throws
// usage_error.
[[nodiscard]] std::optional<std::vector<std::string>> read_program(
    std::string_view command, int argc, const char* const* argv,
    std::span<const leading_option> options);

// Of the program that runs. Throws resource_error.
[[nodiscard]] std::filesystem::path own_path();

// Where that library is which only started programs load: in lib/FOLDER beside this program as it
// was built, or in FOLDER among the installed libraries. Throws resource_error, which says why it
// may be missing.
[[nodiscard]] std::string folder_of_library(std::string_view folder, std::string_view file,
                                            std::string_view why_missing);

// Throws std::bad_alloc.
void set_variable(const char* name, const std::string& value);
// In front of what the variable holds already.
void prepend_to_variable(const char* name, std::string value);

// Throws resource_error if the system refuses.
[[noreturn]] void become(std::string_view command, std::vector<std::string> program);

}  // namespace heist::cli
