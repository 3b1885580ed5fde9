// heist bench --suite: heist, its presets and the rivals on whole programs.
#include <csignal>

#include <atomic>
#include <filesystem>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "bench/machine.hpp"
#include "bench/suite/baseline.hpp"
#include "bench/suite/suite.hpp"
#include "cli/bench/bench_print.hpp"
#include "cli/bench/requests.hpp"
#include "cli/cli.hpp"
#include "cli/progress.hpp"

namespace heist::cli {

namespace {

// Relaxed throughout: it is a flag alone, and carries nothing.
std::atomic<bool> interrupt_came{false};

// While it lives, the first Ctrl-C ends the suite after the current run; a second one ends the
// process as always.
class interrupt_watch {
 public:
  interrupt_watch() {
    interrupt_came.store(false, std::memory_order_relaxed);
    struct sigaction once {};
    once.sa_handler = [](int) { interrupt_came.store(true, std::memory_order_relaxed); };
    once.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    sigaction(SIGINT, &once, &before_);
  }
  ~interrupt_watch() { sigaction(SIGINT, &before_, nullptr); }
  interrupt_watch(const interrupt_watch&) = delete;
  interrupt_watch& operator=(const interrupt_watch&) = delete;

 private:
  struct sigaction before_ {};
};

report::results run(const bench::suite& which, const bench_suite_request& request, progress& line,
                    output& out) {
  const auto machine = bench::this_machine();
  auto settings = request.settings;
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  settings.heist = self.string();
  if (settings.rivals_folder.empty()) settings.rivals_folder = self.parent_path().string();
  settings.interrupted = [] { return interrupt_came.load(std::memory_order_relaxed); };
  settings.announce = [&](const std::string& what) { line.show(what); };
  // Finished rows are printed at once, so that nothing is lost whatever comes.
  if (request.printed.form == report::form::text)
    settings.finished = [&](const std::vector<report::row>& rows) {
      line.clear();
      out.print("{}", report::to_text(rows));
      out.flush();
    };
  auto found = run_suite(which, settings);
  found.benchmark = which.name;
  found.is_quick = settings.is_quick;
  found.rounds = settings.rounds;
  found.on = machine;
  bench::note_others(found.on);
  return found;
}

// Runs the programs that fell short once more: a busy machine may have been the reason.
int check(const report::results& found, const bench_suite_request& request, progress& line,
          output& out, std::FILE* err) {
  auto bad = lost(found, request.held_against);
  if (!bad.empty()) {
    auto again = *request.suite;
    std::erase_if(again.programs, [&](const bench::suite_program& each) {
      return std::none_of(bad.begin(), bad.end(), [&](const auto& ratio) {
        return ratio.group.substr(0, ratio.group.find(' ')) == each.name;
      });
    });
    const auto found_again = run(again, request, line, out);
    if (interrupt_came.load(std::memory_order_relaxed)) return interrupted;
    bad = lost(found_again, request.held_against);
  }
  line.clear();
  return report_lost(bad, request.held_against.file, err);
}

int measure(const bench_suite_request& request, progress& line, output& out, std::FILE* err) {
  const report::results found = run(*request.suite, request, line, out);
  line.clear();
  if (request.printed.form == report::form::text) {
    auto rest = found;
    rest.rows.clear();  // they have been printed
    out.print("{}", to_text(rest));
    write_pages(found, request.printed);
  } else {
    print(found, request.printed, out);
  }
  if (interrupt_came.load(std::memory_order_relaxed)) return interrupted;
  return request.held_against.file.empty() ? success : check(found, request, line, out, err);
}

}  // namespace

int run_bench(const bench_suite_request& request, output& out, std::FILE* err) {
  require_writable_pages(request.printed);
  require_baseline(request.held_against);
  const interrupt_watch watch;
  progress line(err);
  try {
    return measure(request, line, out, err);
  } catch (const bench::wrong_result& wrong) {
    line.clear();
    fmt::print(err, "heist: wrong result: {}\n", wrong.what());
    return result_differs;
  }
}

}  // namespace heist::cli
