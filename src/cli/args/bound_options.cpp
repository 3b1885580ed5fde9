#include "cli/args/bound_options.hpp"

#include <utility>

#include <fmt/format.h>

namespace heist::cli {

using workloads::option_kind;
using workloads::option_spec;
using workloads::option_values;

namespace {

const char* type_name(option_kind kind) {
  if (kind == option_kind::bytes) return "BYTES";
  if (kind == option_kind::path) return "FILE";
  return kind == option_kind::integer ? "N" : "NAME";
}

}  // namespace

void bound_options::add(arguments& to, const std::vector<option_spec>& specs) {
  to_ = &to;
  for (const auto& spec : specs) {
    if (spec.kind == option_kind::files) {
      to.add({spec.name, &files_, spec.help});
      continue;
    }
    auto& one = given_.emplace_back(given{spec.name, {}});
    auto help = spec.help;
    if (!spec.default_value.empty()) help += fmt::format(" [{}]", spec.default_value);
    // The lab's commands take both names too.
    const auto* const prefix = spec.name == "workers" ? "-P,--" : "--";
    to.add({prefix + spec.name, &one.text, help, type_name(spec.kind), spec.choices});
  }
}

void bound_options::copy_to(option_values& values) const {
  for (const auto& one : given_)
    if (is_given(one)) values.set(one.name, one.text);
  for (const auto& file : files_) values.add_file(file);
}

std::string bound_options::first_given() const {
  for (const auto& one : given_)
    if (is_given(one)) return one.name;
  return {};
}

option_spec pool_option(std::string name, std::string help, std::int64_t min, std::int64_t max) {
  return {std::move(name), std::move(help), option_kind::integer, "", min, max, {}};
}

}  // namespace heist::cli
