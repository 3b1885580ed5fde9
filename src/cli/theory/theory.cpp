// heist theory: each subcommand has a file of its own.
#include "cli/theory/theory.hpp"

#include <cstdio>

#include "cli/theory/theory_adversaries.hpp"
#include "cli/theory/theory_bounds.hpp"
#include "cli/theory/theory_granularity.hpp"
#include "cli/theory/theory_recycling.hpp"

namespace heist::cli {

namespace {

struct dispatch {
  output& out;
  std::FILE* err;

  int operator()(const recycling_request& request) const { return recycling(request, out, err); }
  int operator()(const bounds_request& request) const { return show_bounds(request, out, err); }
  int operator()(const kernel_study_request& request) const {
    return study_kernels(request, out, err);
  }
  int operator()(const granularity_request& request) const {
    return granularity(request, out, err);
  }
};

}  // namespace

int theory(const theory_request& request, output& out, std::FILE* err) {
  return std::visit(dispatch{out, err}, request);
}

}  // namespace heist::cli
