// The mistakes of published deques, each with a program that shows it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/model/model.hpp"

namespace heist_model::published {

enum class mistake : std::uint8_t {
  none,
  taken_twice,
  never_pushed,  // an item that nobody has put in, out of an empty deque or an unwritten slot
  lost,          // at the end nobody has it
  not_newest,    // the owner's pop gave another one
};

struct verdict {
  outcome what;
  mistake found;  // by the program; none if Relacy stopped it
};

struct story {
  std::string name;
  std::string how;  // in Relacy's words, how the published form ends
  mistake shown;
  plan usual;
  std::function<verdict(const plan&)> published;
  std::function<verdict(const plan&)> ours;  // the same program on heist's form
};

std::vector<story> stories();

}  // namespace heist_model::published
