// The program heist-describe, which only the build uses: the man page and the completions, of the
// commands of all programs.
#include "cli/cli.hpp"
#include "cli/describe/description.hpp"

namespace heist::cli {

namespace {

// Commands whose arguments their own programs read.
void add_texts_of_others(arguments& root, std::string& text) {
  root.command("cluster")->set_footer(
      "Where heist was built with MPI, heist cluster --help lists programs and options.");
  auto& tbb = *root.command("tbb");
  tbb.add({"-P,--workers", &text, "how many workers the pool has (HEIST_WORKERS)", "N"});
  tbb.add({"--stats", std::monostate(),
           "at the end, what the arenas and the pool did (HEIST_STATS=1)"});
  auto& check = *root.command("check");
  check.add({"--moves", std::monostate(),
             "joins continue on other threads as often as they can (HEIST_CHECK=moves)"});
  check.add({"--block", &text, "also calls that block a worker for longer: 10ms", "TIME"});
  check.add({"--starve", &text, "also what has waited for its turn for longer: 100ms", "TIME"});
}

int print_description(const std::string& form, output& out) {
  const auto root = make_root();
  std::vector<action> actions;  // the options' values live in them
  for (const auto commands : {core_commands(), bench_commands(), lab_commands()})
    for (const auto& each : commands)
      if (auto* const own = root->command(each.name)) actions.push_back(each.add(*own));
  std::string text;
  add_texts_of_others(*root, text);
  out.print("{}", describe_as(form, *root));
  return success;
}

}  // namespace

}  // namespace heist::cli

int main(int argc, char** argv) {
  return heist::cli::run_and_complain(
      [&](heist::cli::output& out) {
        return heist::cli::print_description(argc == 2 ? argv[1] : "", out);
      },
      stdout, stderr);
}
