#include "workloads/side.hpp"

#include <chrono>
#include <cstdlib>
#include <exception>
#include <fstream>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "workloads/files.hpp"

namespace heist::workloads {

namespace {

// Of this program, from its status: getrusage() also counts what the process held before it became
// this program.
std::uint64_t peak_resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  return 0;
}

// Runs the program in one of its two forms.
template <class Function>
std::string timed(instance& program, Function&& run) {
  program.reset();
  const auto start = std::chrono::steady_clock::now();
  run();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (const auto mistake = program.mistake()) return "wrong " + *mistake;
  return fmt::format("time {:.9g} {:016x}", took.count(), program.checksum());
}

std::string answer(const side& which, std::string_view command) {
  if (command == "serial") return timed(which.program, [&] { which.program.run_serial(); });
  if (command == "run") return timed(which.program, which.run);
  if (command == "result") return "result " + which.program.result();
  if (command == "steals") return fmt::format("steals {}", which.steals());
  if (command == "peak") return fmt::format("peak {}", peak_resident_bytes());
  return fmt::format("refused unknown command '{}'", command);
}

void say(std::FILE* out, std::string line) {
  for (char& c : line)
    if (c == '\n') c = ' ';
  line += '\n';
  if (std::fwrite(line.data(), 1, line.size(), out) != line.size() || std::fflush(out) != 0)
    throw closed_pipe();
}

}  // namespace

void serve(const side& which, std::FILE* in, std::FILE* out) {
  say(out, "ready");
  std::string command;
  for (int c = std::fgetc(in); c != EOF; c = std::fgetc(in)) {
    if (c != '\n') {
      command += static_cast<char>(c);
      continue;
    }
    std::string said;
    try {
      said = answer(which, command);
    } catch (const std::exception& error) {
      said = std::string("refused ") + error.what();
    }
    say(out, std::move(said));
    command.clear();
  }
}

std::unique_ptr<instance> make_side_program(std::string_view name,
                                            const std::vector<std::string>& settings) {
  const workload* program = find(name);
  if (program == nullptr) throw usage_error(fmt::format("unknown program '{}'", name));
  option_values values(name, program->options());
  for (const auto& each : settings) {
    const auto equals = each.find('=');
    if (equals == std::string::npos)
      throw usage_error(fmt::format("'{}' is no setting: NAME=VALUE", each));
    values.set(each.substr(0, equals), each.substr(equals + 1));
  }
  return program->make(values);
}

}  // namespace heist::workloads
