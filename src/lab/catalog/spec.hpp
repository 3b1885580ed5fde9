// A computation or a scheduler as one word: a name, or a name with arguments, as "fib:25" or
// "tree:2,20,8". Arguments are integers unless the name takes a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heist::lab {

struct argument_spec {
  std::string_view name;
  std::uint64_t least, greatest;
  std::uint64_t otherwise;  // the value of an argument that isn't given
};

class spec {
 public:
  // Splits at the first ':' and at every ','; the name isn't looked up.
  explicit spec(std::string_view text);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  // The text after the ':', unchanged: a file name, for example.
  [[nodiscard]] const std::string& rest() const { return rest_; }

  // The values of the arguments, in order. Throws usage_error, which names the argument, for too
  // many arguments and for one that is no integer or out of range.
  [[nodiscard]] std::vector<std::uint64_t> arguments(
      const std::vector<argument_spec>& expected) const;

 private:
  std::string text_, name_, rest_;
};

// "tree:k,depth,leafwork"
[[nodiscard]] std::string usage(std::string_view name, const std::vector<argument_spec>& arguments);

}  // namespace heist::lab
