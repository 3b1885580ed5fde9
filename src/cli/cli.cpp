#include "cli/cli.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <exception>
#include <new>
#include <utility>

#include <fmt/format.h>

#include <heist/error.hpp>
#include <heist/version.hpp>

#include "cli/args/suggest.hpp"
#include "cli/other_program.hpp"
#include "cli/output.hpp"
#include "cli/registry.hpp"
#include "workloads/files.hpp"

namespace heist::cli {

namespace {

constexpr const char* footer =
    "Environment: HEIST_WORKERS, HEIST_STACK_SIZE, HEIST_STATS=1, HEIST_STATS_SIGNAL=USR1,\n"
    "HEIST_SERIAL=1, HEIST_BARRIER=signal, HEIST_CHECK=1, HEIST_PROFILE=workspan, "
    "HEIST_MONITOR=1,\n"
    "HEIST_TRACE=FILE.json, HEIST_TRACE_EVENTS, HEIST_RACE=report:FILE, HEIST_SCALAR_SORT=1.\n"
    "Exit codes: 0; 1 the environment refused a file, memory or threads; 2 usage; 3 a result "
    "differs\n"
    "from the serial one; 4 bench --check; 130 interrupted; 141 the reader of the output is gone,\n"
    "as of '| head'.";

constexpr std::string_view heist_name = "heist";

using words_type = std::vector<std::string>;

bool is_help(const std::string& word) { return word == "--help" || word == "-h"; }

// "help run fib" is "run fib --help"; the names that follow help are checked.
words_type without_help(arguments& root, const words_type& words) {
  words_type result;
  auto* at = &root;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto& name = words[i];
    if (name.starts_with('-')) refuse_extras({name}, "help");
    const auto names = at->command_names();
    if (names.empty()) throw usage_error(fmt::format("{} has no help on '{}'", at->name(), name));
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      const auto known = at == &root ? "heist" : "heist " + at->name();
      throw usage_error(unknown("command", name, names, known + " --help"));
    }
    at = at->command(name);
    result.push_back(name);
  }
  result.emplace_back("--help");
  return result;
}

// Refuses arguments that no command took: they stand before the command, or there is none.
void refuse_before_command(const arguments& root) {
  const auto& extras = root.own_extras();
  if (extras.empty()) return;
  if (extras.front().starts_with('-'))
    throw usage_error(fmt::format("unknown option {}: see heist --help", extras.front()));
  throw usage_error(unknown("command", extras.front(), root.command_names(), "heist --help"));
}

// The command that another program has. Options never stand before a command.
const registered_command* command_of_another(commands which, const words_type& words) {
  const bool helps = !words.empty() && words[0] == "help";
  const std::size_t place = helps ? 1 : 0;
  if (words.size() <= place) return nullptr;
  const auto* const found = find_command(words[place]);
  if (found == nullptr || found->program == heist_name) return nullptr;
  const bool is_own = std::any_of(which.begin(), which.end(), [&](const built_in_command& each) {
    return each.name == found->name;
  });
  return is_own ? nullptr : found;
}

std::string line_of(const words_type& words) {
  std::string line = "heist";
  for (const auto& each : words) line += " " + each;
  return line;
}

int run_words(commands which, const words_type& words, output& out, std::FILE* err) {
  if (const auto* const other = command_of_another(which, words)) become_program_of(*other, words);
  const auto made = make_root();
  auto& root = *made;
  std::deque<std::pair<arguments*, action>> actions;
  for (const auto& each : which) {
    auto* own = root.command(each.name);
    if (own == nullptr) own = &root.add_hidden_command(std::string(each.name));
    actions.emplace_back(own, each.add(*own));
  }
  const bool helps =
      !words.empty() && words[0] == "help" && std::none_of(words.begin(), words.end(), is_help);
  if (const auto text = root.read(helps ? without_help(root, words) : words)) {
    out.print("{}", *text);
    return success;
  }
  if (root.is_given("--version")) {
    out.print("heist {}\n", HEIST_VERSION_STRING);
    return success;
  }
  refuse_before_command(root);
  for (const auto& [own, run] : actions)
    if (own->is_given()) return run({line_of(words), out, err});
  throw usage_error("no command: see heist --help");
}

// Makes one line of any message: file names may contain line ends.
void complain(std::FILE* err, std::string message) {
  for (char& c : message)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  std::fputs(("heist: " + message + '\n').c_str(), err);
  std::fflush(err);
}

}  // namespace

std::unique_ptr<arguments> make_root() {
  auto root = std::make_unique<arguments>(
      "heist", "heist runs fork-join programs on a work-stealing runtime.");
  root->set_footer(footer);
  root->add({"--version", std::monostate(), "Display program version information and exit"});
  for (const auto& each : registered_commands())
    root->add_command(std::string(each.name), std::string(each.summary));
  return root;
}

int run_and_complain(const std::function<int(output&)>& what, std::FILE* out,
                     std::FILE* err) noexcept try {
  try {
    output to(out);
    const int code = what(to);
    to.flush();
    return code;
  } catch (const workloads::closed_pipe&) {
    return reader_gone;
  } catch (const usage_error& error) {
    complain(err, error.what());
    return wrong_usage;
  } catch (const std::bad_alloc&) {
    complain(err, "the system has no more memory");
  } catch (const std::exception& error) {
    complain(err, error.what());
  }
  return environment_refused;
} catch (...) {
  return environment_refused;  // there is no memory even for the message
}

int run_cli(commands which, const std::vector<std::string>& words, std::FILE* out,
            std::FILE* err) noexcept {
  return run_and_complain([&](output& to) { return run_words(which, words, to, err); }, out, err);
}

}  // namespace heist::cli

// ---- output.hpp

namespace heist::cli {

namespace {

[[noreturn]] void fail() {
  if (errno == EPIPE) throw workloads::closed_pipe();
  throw resource_error(fmt::format("cannot write the output: {}", std::strerror(errno)));
}

}  // namespace

void output::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
}

void output::flush() {
  if (std::fflush(file_) != 0) fail();
}

void write_file(const std::string& path, std::string_view text) {
  workloads::output_file file(path);
  if (std::fwrite(text.data(), 1, text.size(), file.stream()) != text.size()) file.fail(errno);
  file.commit();
}

void require_writable(std::initializer_list<std::string_view> paths) {
  for (const auto path : paths)
    if (!path.empty()) workloads::require_writable(std::string(path));
}

}  // namespace heist::cli
