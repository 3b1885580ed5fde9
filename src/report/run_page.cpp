#include "report/run_page.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "report/markup.hpp"

// The bounds of the built page: run_page_asset.S.
extern "C" const char heist_report_run_page_begin[];
extern "C" const char heist_report_run_page_end[];

namespace heist::report {

namespace {

// Where the page has its data. The build script checks that it stands there once.
constexpr std::string_view data_mark = "@RUN@";

// The column of lanes has two bytes for each. No recording has a lane of this number.
constexpr std::uint32_t widest_lane = 0xffff;

// JSON inside a script element: without a "<" nothing in it ends the element or begins a comment.
// It can stand in strings only, where the escape means the same.
std::string in_script(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  }
  return result;
}

std::string text(std::string_view what) { return in_script(json_text(what)); }

std::string value(const nlohmann::json& what) {
  return in_script(what.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

// Writes bytes as base64, a buffer at a time.
class base64_writer {
 public:
  explicit base64_writer(std::ostream& out) : out_(out) {}

  // The number's bytes, the lowest first.
  template <class Unsigned>
  void add(Unsigned number) {
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i)
      byte(static_cast<unsigned char>(number >> (8 * i)));
  }

  void finish() {
    if (held_ > 0) {
      const std::size_t padding = 3 - held_;
      bits_ <<= 8 * padding;
      letters();
      for (std::size_t i = 0; i < padding; ++i) buffer_[used_ - 1 - i] = '=';
    }
    flush();
  }

 private:
  static constexpr std::string_view alphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

  void byte(unsigned char b) {
    bits_ = bits_ << 8 | b;
    if (++held_ == 3) letters();
  }
  void letters() {
    if (used_ + 4 > buffer_.size()) flush();
    for (int shift = 18; shift >= 0; shift -= 6) buffer_[used_++] = alphabet[bits_ >> shift & 63];
    bits_ = 0;
    held_ = 0;
  }
  void flush() {
    out_.write(buffer_.data(), static_cast<std::streamsize>(used_));
    used_ = 0;
  }

  std::ostream& out_;
  std::array<char, 16'384> buffer_{};
  std::size_t used_ = 0;
  std::size_t held_ = 0;
  std::uint32_t bits_ = 0;
};

// One field of all events. `field` gives an unsigned number; of a double its bits.
template <class Field>
void write_column(std::ostream& out, std::string_view name, const trace::recording& run,
                  Field field) {
  out << ",\"" << name << "\":\"";
  base64_writer letters(out);
  for (const auto& e : run.events) letters.add(field(e));
  letters.finish();
  out << '"';
}

std::uint64_t bits_of(double number) { return std::bit_cast<std::uint64_t>(number); }

void write_events(std::ostream& out, const trace::recording& run) {
  using trace::event;
  out << "{\"count\":" << run.events.size();
  write_column(out, "time_ns", run,
               [](const event& e) { return bits_of(static_cast<double>(e.time_ns)); });
  write_column(out, "lane", run, [](const event& e) {
    return static_cast<std::uint16_t>(std::min(e.lane, widest_lane));
  });
  write_column(out, "kind", run, [](const event& e) { return static_cast<std::uint8_t>(e.kind); });
  write_column(out, "name", run, [](const event& e) { return e.name; });
  write_column(out, "a", run, [](const event& e) { return e.a; });
  write_column(out, "b", run, [](const event& e) { return e.b; });
  write_column(out, "value", run, [](const event& e) { return bits_of(e.value); });
  out << '}';
}

void write_lanes(std::ostream& out, const trace::recording& run) {
  std::string_view separator = "[";
  for (const auto& lane : run.lanes) {
    out << separator << "{\"name\":" << text(lane.name) << ",\"pool\":" << lane.pool
        << ",\"worker\":" << lane.worker << ",\"is_worker\":" << (lane.is_worker ? "true" : "false")
        << ",\"lost_events\":" << lane.lost_events << '}';
    separator = ",\n";
  }
  out << (run.lanes.empty() ? "[]" : "]");
}

void write_names(std::ostream& out, const trace::recording& run) {
  std::string_view separator = "[";
  for (const auto& name : run.names) {
    out << separator << text(name);
    separator = ",\n";
  }
  out << (run.names.empty() ? "[]" : "]");
}

}  // namespace

void write_run_page(std::ostream& out, const trace::recording& run) {
  const std::string_view page(
      heist_report_run_page_begin,
      static_cast<std::size_t>(heist_report_run_page_end - heist_report_run_page_begin));
  const std::size_t at = page.find(data_mark);
  out << page.substr(0, at);
  out << "{\"program\":" << text(run.program) << ",\"machine\":" << text(run.machine)
      << ",\"version\":" << text(run.version) << ",\"processors\":" << run.processors
      << ",\"duration_ns\":" << run.duration_ns << ",\"clock\":" << text(run.clock)
      << ",\n\"lanes\":";
  write_lanes(out, run);
  out << ",\n\"names\":";
  write_names(out, run);
  out << ",\n\"statistics\":" << value(run.statistics) << ",\n\"profile\":" << value(run.profile)
      << ",\n\"events\":";
  write_events(out, run);
  out << '}' << page.substr(at + data_mark.size());
}

}  // namespace heist::report
