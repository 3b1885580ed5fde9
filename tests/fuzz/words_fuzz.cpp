// The words that the lab's options accept: computations, kernels, lists of numbers; the first byte
// says which. A valid word is made and, if it is small, run; an invalid one gives a usage_error of
// one line.
#include <algorithm>
#include <string_view>
#include <vector>

#include <heist/error.hpp>

#include "cli/args/numbers.hpp"
#include "fuzz.hpp"
#include "lab/catalog/computation.hpp"
#include "lab/catalog/kernels.hpp"
#include "lab/catalog/schedulers.hpp"
#include "lab/checks/kernel_checker.hpp"

namespace {

using namespace heist::lab;

// Limits a word to some ten thousand instructions.
constexpr std::uint64_t most = 200;

bool is_small(const spec& word, const std::vector<argument_spec>& arguments) {
  const auto values = word.arguments(arguments);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] > most && arguments[i].name != "seed") return false;
  return true;
}

void run_everywhere(computation& of) {
  const auto measures = of.measure();
  for (const auto& each : schedulers()) {
    run_settings settings;
    settings.scheduler = each.kind;
    settings.processors = 3;
    try {
      require(of.run(settings).work == measures.work);
    } catch (const heist::usage_error& error) {
      require(each.name == "busy-leaves");  // does not accept general computations
    }
  }
}

void try_computation(std::string_view text) {
  const spec word(text);
  const auto& all = computations();
  const auto known = std::find_if(all.begin(), all.end(),
                                  [&](const auto& each) { return each.name == word.name(); });
  if (word.name() == "file") return;  // a file name, which may be any text
  if (known != all.end() && word.name() != "uts" && !is_small(word, known->arguments)) return;
  const auto made = make_computation(text);
  if (made->dag() != nullptr) run_everywhere(*made);  // computations in memory are small
}

void try_kernel(std::string_view text) {
  const auto processes = static_cast<std::uint32_t>(1 + text.size() % 8);
  static const auto figure1 = make_computation("figure1");
  for (const auto scheduler : {user_scheduler::abp, user_scheduler::greedy}) {
    kernel_settings settings;
    settings.scheduler = scheduler;
    settings.kernel = std::string(text);
    settings.processes = processes;
    settings.yield = static_cast<yield_policy>(text.size() % 3);
    settings.patience = 200;
    kernel_checker checker(figure1->measure());
    settings.observer = &checker;
    checker.finish(settings, figure1->run_under_kernel(settings));
  }
}

void try_numbers(std::string_view text) {
  for (const std::uint32_t greatest : {1U, 1000U, UINT32_MAX}) try {
      for (const auto value : heist::cli::number_list("f", "-P", text, greatest))
        require(value >= 1 && value <= greatest);
    } catch (const heist::usage_error& error) {
      require(std::string_view(error.what()).starts_with("f: -P"));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    if (*data == 'c') try_computation(text);
    if (*data == 'k') try_kernel(text);
    if (*data == 'n') try_numbers(text);
  } catch (const heist::usage_error&) {
    // A word may contain line ends, which the command removes from its message.
  }
  return 0;
}
