// heist(1), one page with every command. The language is that of groff's an.tmac.
#include <fmt/format.h>

#include <heist/version.hpp>

#include "cli/describe/description.hpp"

namespace heist::cli {

namespace {

// Text as roff prints it: a hyphen that may be copied, and no line that is taken for a request.
std::string roff(std::string_view text) {
  std::string result;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) result += "\\&";
    at_start = c == '\n';
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

std::string names_of(const described_option& option) {
  std::string result;
  for (const auto& each : option.names)
    result += fmt::format("{}\\fB{}\\fR", result.empty() ? "" : ", ", roff(each));
  if (option.kind == value_kind::nothing) return result;
  return result + fmt::format(" \\fI{}\\fR", option.value.empty() ? "VALUE" : roff(option.value));
}

std::string item(const std::string& head, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", head, roff(text));
}

// Tables that were laid out for a terminal stay as they are.
std::string as_it_is(std::string_view text) {
  while (text.starts_with('\n')) text.remove_prefix(1);
  if (text.empty()) return "";
  return fmt::format(".PP\n.nf\n.ft CR\n{}\n.ft\n.fi\n", roff(text));
}

std::string usage_of(const described_command& command) {
  std::string result = fmt::format("\\fB{}\\fR", roff(command.path));
  if (!command.options.empty()) result += " [\\fIOPTION\\fR]...";
  if (!command.commands.empty()) result += " \\fICOMMAND\\fR";
  for (const auto& each : command.arguments)
    result += fmt::format(" \\fI{}\\fR", roff(each.names.front()));
  return result;
}

std::string section_of(const described_command& command) {
  std::string text = fmt::format(".SS \"{}\"\n", roff(command.path));
  text += fmt::format("{}\n.PP\n{}\n", usage_of(command), roff(command.help));
  for (const auto& each : command.arguments)
    text += item(fmt::format("\\fI{}\\fR", roff(each.names.front())), each.help);
  for (const auto& each : command.options)
    if (each.names.back() != "--help") text += item(names_of(each), each.help);
  return text + as_it_is(command.footer);
}

// What stands between two headings of the help's last lines.
std::string part_of(const std::string& footer, std::string_view head, std::string_view next) {
  const auto begin = footer.find(head);
  if (begin == std::string::npos) return "";
  const auto from = begin + head.size();
  const auto end = next.empty() ? std::string::npos : footer.find(next, from);
  return footer.substr(from, end == std::string::npos ? end : end - from);
}

}  // namespace

std::string man_page(const described_command& heist) {
  std::string text = fmt::format(
      ".\\\" Made by `heist-describe man` from the command's own help.\n"
      ".TH HEIST 1 \"\" \"heist {}\" \"User Commands\"\n"
      ".nh\n.ad l\n"
      ".SH NAME\nheist \\- runs, measures and simulates work\\-stealing programs\n"
      ".SH SYNOPSIS\n\\fBheist\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR]...\n.br\n"
      "\\fBheist\\fR \\fICOMMAND\\fR \\fB\\-\\-help\\fR\n"
      ".SH DESCRIPTION\n{}\n",
      HEIST_VERSION_STRING, roff(heist.help));
  for (const auto& each : heist.options) text += item(names_of(each), each.help);
  text += ".SH COMMANDS\n";
  for (const auto& each : heist.commands)
    text += item(fmt::format("\\fB{}\\fR", roff(each.name())), each.help);
  text +=
      ".SH OPTIONS OF THE COMMANDS\n"
      "An option of a command is also taken after its subcommand, and is not repeated there.\n";
  for (const auto* each : all_commands(heist))
    if (each != &heist && each->name() != "help") text += section_of(*each);
  text += fmt::format(".SH ENVIRONMENT\n{}\n",
                      roff(part_of(heist.footer, "Environment: ", "Exit codes: ")));
  text += fmt::format(".SH EXIT STATUS\n{}\n", roff(part_of(heist.footer, "Exit codes: ", "")));
  text +=
      ".SH SEE ALSO\n"
      "README.md and docs/guide.md of heist, which are installed with its documentation.\n";
  return text;
}

}  // namespace heist::cli
