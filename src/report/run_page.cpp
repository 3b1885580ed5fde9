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
#include "trace/lane_slices.hpp"

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

// Of a counter the page draws at least so many values, and so many steals.
constexpr std::size_t drawn_values = 2000;
constexpr std::size_t drawn_steals = 50'000;
// So many slices are drawn one by one. Of more, those within a short while are summed up, on each
// lane, so that a page stays below 10 MB; there are so many such whiles on all lanes together, but
// not more than make sense on a screen.
constexpr std::uint64_t single_slices = 120'000;
constexpr std::uint64_t all_whiles = 32'768, least_whiles = 256, most_whiles = 4096;

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

// One lane's slices, each while summed up: those of one kind lie together, in the order in which
// they first came.
class summed_slices {
 public:
  explicit summed_slices(double while_ns) : while_ns_(while_ns) {}

  void add(trace::slice s) {
    while (s.begin_ns < s.end_ns) {
      const auto number = static_cast<std::uint64_t>(static_cast<double>(s.begin_ns) / while_ns_);
      if (number != now_) flush();
      now_ = number;
      const auto end = static_cast<std::uint64_t>(static_cast<double>(number + 1) * while_ns_);
      trace::slice part = s;
      part.end_ns = std::clamp(end, s.begin_ns + 1, s.end_ns);
      held_.push_back(part);
      s.begin_ns = part.end_ns;
    }
  }
  std::vector<trace::slice> take() {
    flush();
    return std::move(done_);
  }

 private:
  void flush() {
    if (held_.empty()) return;
    std::uint64_t at = held_.front().begin_ns;
    for (std::size_t i = 0; i < held_.size(); ++i) {
      if (held_[i].end_ns == 0) continue;  // summed up already
      trace::slice sum = held_[i];
      std::uint64_t ns = 0;
      for (std::size_t k = i; k < held_.size(); ++k) {
        if (!(held_[k].what == sum.what) || held_[k].end_ns == 0) continue;
        ns += held_[k].end_ns - held_[k].begin_ns;
        held_[k].end_ns = 0;
      }
      sum.begin_ns = at;
      at = sum.end_ns = at + ns;
      trace::slice* const last = done_.empty() ? nullptr : &done_.back();
      if (last != nullptr && last->what == sum.what && last->end_ns == sum.begin_ns)
        last->end_ns = sum.end_ns;
      else
        done_.push_back(sum);
    }
    held_.clear();
  }

  double while_ns_;
  std::uint64_t now_ = 0;
  std::vector<trace::slice> held_, done_;
};

struct drawn_slices {
  std::vector<trace::slice> slices;  // lane by lane
  double while_ns = 0;               // 0: each slice is there
};

drawn_slices slices_to_draw(const trace::recording& run) {
  const trace::foresight ahead = trace::foresee(run);
  std::uint64_t count = 0;
  trace::each_slice(run, ahead, [&count](const trace::slice&) { ++count; });
  const std::size_t lanes = run.lanes.size();
  drawn_slices to;
  if (count > single_slices) {
    const std::uint64_t whiles = std::clamp(all_whiles / lanes, least_whiles, most_whiles);
    to.while_ns = static_cast<double>(run.duration_ns) / static_cast<double>(whiles);
  }
  std::vector<summed_slices> sums(to.while_ns > 0 ? lanes : 0, summed_slices(to.while_ns));
  std::vector<std::vector<trace::slice>> found(lanes);
  trace::each_slice(run, ahead, [&](const trace::slice& s) {
    if (sums.empty())
      found[s.lane].push_back(s);
    else
      sums[s.lane].add(s);
  });
  for (std::size_t i = 0; i < lanes; ++i) {
    if (!sums.empty()) found[i] = sums[i].take();
    to.slices.insert(to.slices.end(), found[i].begin(), found[i].end());
  }
  return to;
}

void write_slices(std::ostream& out, const std::vector<trace::slice>& slices) {
  using trace::slice;
  columns_writer(out, slices)
      .add("begin_ns", [](const slice& s) { return time_bits(s.begin_ns); })
      .add("end_ns", [](const slice& s) { return time_bits(s.end_ns); })
      .add("lane", [](const slice& s) { return lane_number(s.lane); })
      .add("state",
           [](const slice& s) {
             const bool is_outside = s.what.state == trace::lane_state::working && !s.what.in_pool;
             return is_outside ? outside : static_cast<std::uint8_t>(s.what.state);
           })
      .add("region", [](const slice& s) { return s.what.region; })
      .add("why", [](const slice& s) { return static_cast<std::uint8_t>(s.what.why); })
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

// Some of many events, at even distances: at least `wanted`, and at most twice as many.
class thinned_events {
 public:
  explicit thinned_events(std::size_t wanted) : wanted_(wanted) {}

  void add(const trace::event& e) {
    if (count_++ % step_ != 0) return;
    kept_.push_back(e);
    if (kept_.size() < 2 * wanted_) return;
    for (std::size_t i = 0; 2 * i < kept_.size(); ++i) kept_[i] = kept_[2 * i];
    kept_.resize((kept_.size() + 1) / 2);
    step_ *= 2;
  }
  [[nodiscard]] const std::vector<trace::event>& kept() const { return kept_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t step() const { return step_; }

 private:
  std::size_t wanted_;
  std::uint64_t count_ = 0, step_ = 1;
  std::vector<trace::event> kept_;
};

struct drawn_events {
  std::map<std::uint32_t, thinned_events> counters;  // by name
  thinned_events steals{drawn_steals};
};

drawn_events events_to_draw(const trace::recording& run) {
  drawn_events to;
  run.each_event([&](const trace::event& e) {
    if (e.kind == trace::event_kind::counter)
      to.counters.try_emplace(e.name, drawn_values).first->second.add(e);
    if (e.kind == trace::event_kind::steal) to.steals.add(e);
  });
  return to;
}

void write_counter(std::ostream& out, std::string_view name, const thinned_events& values) {
  using trace::event;
  out << "{\"name\":" << in_script(json_text(name)) << ",\"all\":" << values.count()
      << ",\"values\":";
  columns_writer(out, values.kept())
      .add("time_ns", [](const event& e) { return time_bits(e.time_ns); })
      .add("value", [](const event& e) { return bits_of(e.value); })
      .finish();
  out << '}';
}

void write_counters(std::ostream& out, const trace::recording& run,
                    const std::map<std::uint32_t, thinned_events>& by_name) {
  std::string_view separator = "[";
  for (const auto& [name, values] : by_name) {
    out << separator;
    write_counter(out, run.names[name], values);
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
  const drawn_events events = events_to_draw(run);
  const drawn_slices slices = slices_to_draw(run);
  const std::size_t at = page.find(data_mark);
  out << page.substr(0, at) << "{\"report\":" << value(trace::to_json(run, numbers))
      << ",\n\"names\":" << value(run.names) << ",\n\"use\":" << value(numbers.use)
      << ",\n\"causes\":" << value(causes_json()) << ",\n\"reasons\":" << value(trace::idle_names)
      << ",\n\"statistics\":" << value(run.statistics) << ",\n\"profile\":" << value(run.profile)
      << ",\n\"while_ns\":" << value(slices.while_ns)
      << ",\n\"steal_step\":" << events.steals.step() << ",\n\"slices\":";
  write_slices(out, slices.slices);
  out << ",\n\"steals\":";
  write_steals(out, events.steals.kept());
  out << ",\n\"counters\":";
  write_counters(out, run, events.counters);
  out << '}' << page.substr(at + data_mark.size());
}

}  // namespace heist::report
