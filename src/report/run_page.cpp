#include "report/run_page.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/markup.hpp"

// The bounds of the built page: run_page_asset.S.
extern "C" const char heist_report_run_page_begin[];
extern "C" const char heist_report_run_page_end[];

namespace heist::report {

namespace {

// Where the page has its data. The build script checks that it stands there once.
constexpr std::string_view data_mark = "@RUN@";

// Lanes have two bytes in the columns, and the last number is that of none.
constexpr std::uint16_t no_lane = 0xffff;

std::uint16_t lane_number(std::uint32_t lane) {
  return static_cast<std::uint16_t>(std::min<std::uint32_t>(lane, no_lane));
}

// A thread that works outside of the pools: lane_state has no word for it.
constexpr std::uint8_t outside = trace::state_count;

// Of a counter the page draws so many values.
constexpr std::size_t drawn_values = 2000;

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

// An object of columns, one for each field that is added. `field` gives an unsigned number; of a
// double its bits.
template <class Row>
class columns_writer {
 public:
  columns_writer(std::ostream& out, const std::vector<Row>& rows) : out_(out), rows_(rows) {
    out_ << "{\"count\":" << rows.size();
  }
  template <class Field>
  columns_writer& add(std::string_view name, Field field) {
    out_ << ",\"" << name << "\":\"";
    base64_writer letters(out_);
    for (const Row& row : rows_) letters.add(field(row));
    letters.finish();
    out_ << '"';
    return *this;
  }
  void finish() { out_ << '}'; }

 private:
  std::ostream& out_;
  const std::vector<Row>& rows_;
};

std::uint64_t bits_of(double number) { return std::bit_cast<std::uint64_t>(number); }
std::uint64_t time_bits(std::uint64_t ns) { return bits_of(static_cast<double>(ns)); }

void write_slices(std::ostream& out, const std::vector<trace::slice>& slices) {
  using trace::slice;
  columns_writer(out, slices)
      .add("begin_ns", [](const slice& s) { return time_bits(s.begin_ns); })
      .add("end_ns", [](const slice& s) { return time_bits(s.end_ns); })
      .add("lane", [](const slice& s) { return lane_number(s.lane); })
      .add("state",
           [](const slice& s) {
             const bool is_outside = s.state == trace::lane_state::working && !s.in_pool;
             return is_outside ? outside : static_cast<std::uint8_t>(s.state);
           })
      .add("region", [](const slice& s) { return s.region; })
      .add("why", [](const slice& s) { return static_cast<std::uint8_t>(s.why); })
      .finish();
}

void write_steals(std::ostream& out, const std::vector<trace::event>& steals) {
  using trace::event;
  columns_writer(out, steals)
      .add("time_ns", [](const event& e) { return time_bits(e.time_ns); })
      .add("thief", [](const event& e) { return lane_number(e.lane); })
      .add("victim", [](const event& e) { return lane_number(e.a); })
      .add("depth", [](const event& e) { return e.b; })
      .finish();
}

void write_counter(std::ostream& out, std::string_view name, std::vector<trace::event> values) {
  using trace::event;
  out << "{\"name\":" << in_script(json_text(name)) << ",\"all\":" << values.size()
      << ",\"values\":";
  // The first one of each stretch.
  const std::size_t step = values.size() / drawn_values + 1;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values.size(); i += step) values[kept++] = values[i];
  values.resize(kept);
  columns_writer(out, values)
      .add("time_ns", [](const event& e) { return time_bits(e.time_ns); })
      .add("value", [](const event& e) { return bits_of(e.value); })
      .finish();
  out << '}';
}

void write_counters(std::ostream& out, const trace::recording& run) {
  std::map<std::uint32_t, std::vector<trace::event>> by_name;
  for (const trace::event& e : run.events)
    if (e.kind == trace::event_kind::counter) by_name[e.name].push_back(e);
  std::string_view separator = "[";
  for (auto& [name, values] : by_name) {
    out << separator;
    write_counter(out, run.names[name], std::move(values));
    separator = ",\n";
  }
  out << (by_name.empty() ? "[]" : "]");
}

// Why workers were idle: the name in the report's "idle", and the words for it.
nlohmann::json causes_json() {
  auto causes = nlohmann::json::array();
  for (std::size_t k = 0; k < trace::cause_count; ++k)
    causes.push_back({std::string(trace::cause_names[k]) + "_ns",
                      trace::words_for(static_cast<trace::idle_cause>(k))});
  return causes;
}

}  // namespace

void write_run_page(std::ostream& out, const trace::recording& run, const trace::summary& numbers) {
  const std::string_view page(
      heist_report_run_page_begin,
      static_cast<std::size_t>(heist_report_run_page_end - heist_report_run_page_begin));
  std::vector<trace::event> steals;
  for (const trace::event& e : run.events)
    if (e.kind == trace::event_kind::steal) steals.push_back(e);
  const std::size_t at = page.find(data_mark);
  out << page.substr(0, at) << "{\"report\":" << value(trace::to_json(run, numbers))
      << ",\n\"names\":" << value(run.names) << ",\n\"use\":" << value(numbers.use)
      << ",\n\"causes\":" << value(causes_json()) << ",\n\"reasons\":" << value(trace::idle_names)
      << ",\n\"statistics\":" << value(run.statistics) << ",\n\"profile\":" << value(run.profile)
      << ",\n\"slices\":";
  write_slices(out, trace::slices_of(run));
  out << ",\n\"steals\":";
  write_steals(out, steals);
  out << ",\n\"counters\":";
  write_counters(out, run);
  out << '}' << page.substr(at + data_mark.size());
}

}  // namespace heist::report
