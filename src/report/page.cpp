#include "report/page.hpp"

#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "platform/utf8.hpp"
#include "report/markup.hpp"
#include "report/text_file.hpp"

namespace heist::report {

namespace {

constexpr std::string_view style = R"(
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#1f2328;background:#fff}
h1{font-size:1.6rem;margin-bottom:.3rem}h2{font-size:1.2rem;margin-top:2rem}
pre{background:#f3f4f6;padding:.6rem .8rem;border-radius:6px;overflow-x:auto;font-size:.85rem}
pre.data{max-height:30rem}
figure{margin:1.5rem 0}figure svg{max-width:100%;height:auto}figcaption{font-size:.9rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:600;padding:.3rem 0}
th,td{text-align:left;padding:.2rem .8rem .2rem 0;border-bottom:1px solid #d8dee4}
.number{text-align:right}td.number{white-space:nowrap}
@media (prefers-color-scheme:dark){body{color:#e6e6e6;background:#16181d}pre{background:#23262d}th,td{border-color:#3a3f47}}
)";

std::string element(std::string_view name, std::string_view text) {
  std::string result = "<";
  result += name;
  result += '>';
  result += escape_markup(text);
  result += "</";
  result += name.substr(0, name.find(' '));
  return result + ">\n";
}

}  // namespace

page::page(std::string_view title, std::string_view command) : title_(title) {
  body_ = element("h1", title) + "<pre>" + escape_markup(command) + "</pre>\n";
}

page& page::heading(std::string_view text) {
  body_ += element("h2", text);
  return *this;
}

page& page::paragraph(std::string_view text) {
  body_ += element("p", text);
  return *this;
}

page& page::add(const chart& what, std::string_view caption) {
  return picture(to_svg(what), caption);
}

page& page::add(const table& what) {
  body_ += "<div class=\"wide\">\n" + to_html(what) + "</div>\n";
  return *this;
}

page& page::picture(std::string_view svg, std::string_view caption) {
  body_ += "<figure class=\"wide\">\n";
  body_ += svg;
  if (!caption.empty()) body_ += element("figcaption", caption);
  body_ += "</figure>\n";
  return *this;
}

page& page::data(std::string_view json) {
  data_ = "<details>\n<summary>Data, as JSON</summary>\n<pre class=\"data\">" +
          escape_markup(json) + "</pre>\n</details>\n";
  return *this;
}

std::string page::html() const {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
         element("title", title_) + "<style>" + std::string(style) + "</style>\n</head>\n<body>\n" +
         body_ + data_ + "</body>\n</html>\n";
}

}  // namespace heist::report

// ---- markup.hpp

namespace heist::report {

namespace {

constexpr std::string_view instead = "\xEF\xBF\xBD";  // U+FFFD

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = platform::character_at(text);
    const auto first = static_cast<unsigned char>(text.front());
    const bool control = first < ' ' && first != '\n' && first != '\t';
    if (length == 0 || control || first == 0x7F)
      result += instead;
    else if (first == '&')
      result += "&amp;";
    else if (first == '<')
      result += "&lt;";
    else if (first == '>')
      result += "&gt;";
    else if (first == '"')
      result += "&quot;";
    else
      result += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string json_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

std::string figure(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "-" : value > 0 ? "inf" : "-inf";
  const double size = std::abs(value);
  if (size >= 1e15) return fmt::format("{:.3e}", value);
  if (value == std::floor(value)) return fmt::format("{:.0f}", value);
  if (size >= 1000) return fmt::format("{:.1f}", value);
  if (size >= 0.001) return fmt::format("{:.4g}", value);
  return fmt::format("{:.3e}", value);
}

}  // namespace heist::report

// ---- text_file.hpp

namespace heist::report {

std::string read_text_file(const std::string& path, std::size_t most) {
  const auto fail = [&] {
    throw resource_error(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             std::fclose);
  if (file == nullptr) fail();
  std::string text;
  std::size_t got = 1;
  while (got > 0 && text.size() <= most) {
    constexpr std::size_t piece = 65'536;
    const std::size_t before = text.size();
    text.resize(before + piece);
    got = std::fread(text.data() + before, 1, piece, file.get());
    text.resize(before + got);
  }
  if (std::ferror(file.get()) != 0) fail();
  return text;
}

}  // namespace heist::report
