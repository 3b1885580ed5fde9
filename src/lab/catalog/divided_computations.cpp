#include "lab/catalog/divided_computations.hpp"

#include <bit>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "lab/catalog/programmed.hpp"
#include "lab/programs/loops.hpp"
#include "lab/programs/matmul.hpp"
#include "lab/programs/nqueens.hpp"
#include "lab/programs/quicksort.hpp"
#include "lab/programs/skynet.hpp"

namespace heist::lab {

std::unique_ptr<computation> make_divided(const spec& word,
                                          const std::vector<std::uint64_t>& arguments) {
  const auto small = [&](std::size_t i) { return static_cast<std::uint32_t>(arguments[i]); };
  if (word.name() == "quicksort")
    return make_programmed(word, quicksort_program(small(0), arguments[1]));
  if (word.name() == "skynet") return make_programmed(word, skynet_program{arguments[0]});
  if (word.name() == "nqueens") return make_programmed(word, nqueens_program{small(0), small(1)});
  if (word.name() == "loops")
    return make_programmed(word, loops_program{arguments[0], arguments[1], arguments[2]});
  if (!std::has_single_bit(arguments[0]))
    throw usage_error(fmt::format("{}: n is a power of two, not {}", word.text(), arguments[0]));
  return make_programmed(word, matmul_program{small(0), small(1)});
}

}  // namespace heist::lab
