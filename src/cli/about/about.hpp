// The commands that say what there is: list, presets, explain and info.
#pragma once

#include <memory>

#include "cli/args/suggest.hpp"
#include "cli/program.hpp"

namespace heist::cli {

action add_list(arguments& own);
action add_presets(arguments& own);
action add_explain(arguments& own);
action add_info(arguments& own);

// A command that takes one option or argument: run(value, out).
template <class Value>
action add_small(arguments& own, const char* names, const char* help,
                 int (*run)(const Value&, output&)) {
  const auto value = std::make_shared<Value>();
  own.add({names, value.get(), help});
  return [value, run, &own](const call& with) {
    refuse_extras(own.extras(), own.name());
    return run(*value, with.out);
  };
}

}  // namespace heist::cli
