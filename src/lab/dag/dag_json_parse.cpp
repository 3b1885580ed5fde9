// Reads a DAG's file with nlohmann's parser. The parser's events come without places in the text,
// so places are taken from how far it has read.
#include "lab/dag/dag_json_parts.hpp"

#include <cctype>
#include <cstring>
#include <iterator>

#include <nlohmann/json.hpp>

#include "platform/utf8.hpp"
#include "report/json_part.hpp"

namespace heist::lab {

namespace {

constexpr std::size_t longest_name = 200;  // bytes

// The iterator by which the parser reads the text. It tells the handler how far the parser is.
class watched_iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  watched_iterator() = default;
  watched_iterator(const char* at, const char** read) : at_(at), read_(read) {}

  reference operator*() const { return *at_; }
  watched_iterator& operator++() {
    *read_ = ++at_;
    return *this;
  }
  watched_iterator operator++(int) {
    auto before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const watched_iterator& a, const watched_iterator& b) {
    return a.at_ == b.at_;
  }
  friend bool operator!=(const watched_iterator& a, const watched_iterator& b) { return !(a == b); }

 private:
  const char* at_ = nullptr;
  const char** read_ = nullptr;
};

// Handles the parser's events. The state says which values may come next; anything else is refused
// at once, so there is nothing to skip and no depth to limit.
class handler : public nlohmann::json_sax<nlohmann::json> {
 public:
  handler(const text_position& text, const char* const& read) : text_(text), read_(read) {}

  dag_file_parts parts;

  bool null() override { return refuse_literal("null"); }
  bool boolean(bool value) override { return refuse_literal(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override {
    return refuse_number(fmt::to_string(value));
  }
  bool number_float(number_float_t, const string_t& written) override {
    return refuse_number(written.substr(0, 40));
  }
  bool binary(binary_t&) override { return refuse("bytes", offset_now()); }

  bool number_unsigned(number_unsigned_t value) override {
    if (state_ == state::weights) {
      parts.source.threads.back().weights.push_back(in_range(value, 1, explicit_dag::max_weight));
      return true;
    }
    if (state_ == state::thread_regions) {
      parts.source.threads.back().regions.push_back(
          static_cast<std::uint32_t>(in_range(value, 0, explicit_dag::max_regions - 1)));
      return true;
    }
    if (state_ != state::thread || key_ == "name" || key_ == "weights" || key_ == "regions")
      return refuse_number(fmt::to_string(value));
    auto& thread = parts.source.threads.back();
    if (key_ == "frame")
      thread.frame = in_range(value, 0, explicit_dag::max_frame);
    else if (key_ == "priority")
      thread.priority = static_cast<std::uint32_t>(in_range(value, 0, UINT32_MAX));
    else
      thread.length = static_cast<std::uint32_t>(in_range(value, 1, explicit_dag::max_nodes));
    return true;
  }

  bool string(string_t& value) override {
    const text_offset at = string_start();
    switch (state_) {
      case state::top:
        if (key_ == "format") return take_format(value, at);
        if (key_ == "unit") return take_unit(value, at);
        if (key_ != "name") break;
        parts.source.name = name(value, at);
        return true;
      case state::thread:
        if (key_ != "name") break;
        parts.source.threads.back().name = name(value, at);
        return true;
      case state::region_names:
        if (parts.source.regions.size() == explicit_dag::max_regions)
          text_.fail(at, fmt::format("more than {} regions", explicit_dag::max_regions));
        parts.source.regions.push_back(name(value, at));
        return true;
      case state::instructions: {
        auto& thread = parts.source.threads.back();
        thread.names.push_back(name(value, at));
        parts.name_places.back().push_back(at);
        ++thread.length;
        return true;
      }
      case state::spawn:
      case state::join: {
        auto& edge = edges().back();
        if (++ends_ > 2) text_.fail(at, "an edge has two ends");
        (ends_ == 1 ? edge.from : edge.to) = name(value, at);
        return true;
      }
      default:
        break;
    }
    return refuse("a string", at);
  }

  bool start_object(std::size_t) override {
    const text_offset at = bracket();
    if (state_ == state::start) {
      state_ = state::top;
      top_at_ = at;
    } else if (state_ == state::threads) {
      state_ = state::thread;
      parts.source.threads.emplace_back();
      parts.thread_places.push_back(at);
      parts.name_places.emplace_back();
    } else {
      return refuse("an object", at);
    }
    seen_.clear();
    return true;
  }

  bool key(string_t& value) override {
    const text_offset at = string_start();
    const bool known =
        state_ == state::top
            ? is_one_of(value, {"format", "name", "unit", "regions", "threads", "spawns", "joins"})
            : is_one_of(value, {"name", "frame", "priority", "instructions", "weights", "regions"});
    if (!known)
      text_.fail(at, fmt::format("unknown field '{}': {}", shown(value),
                                 state_ == state::top
                                     ? "a DAG has format, name, unit, regions, threads, spawns "
                                       "and joins"
                                     : "a thread has name, frame, priority, instructions, weights "
                                       "and regions"));
    auto& seen = state_ == state::top ? seen_top_ : seen_;
    if (std::find(seen.begin(), seen.end(), value) != seen.end())
      text_.fail(at, fmt::format("field '{}' stands twice", value));
    seen.push_back(value);
    key_ = value;
    return true;
  }

  bool end_object() override {
    if (state_ == state::thread) {
      auto& thread = parts.source.threads.back();
      if (!has(seen_, "instructions")) {
        if (thread.weights.empty())
          text_.fail(parts.thread_places.back(), "a thread without the field 'instructions'");
        thread.length = static_cast<std::uint32_t>(thread.weights.size());
      }
      state_ = state::threads;
      return true;
    }
    state_ = state::done;
    for (const char* field : {"format", "threads"})
      if (!has(seen_top_, field))
        text_.fail(top_at_, fmt::format("the field '{}' is missing", field));
    return true;
  }

  bool start_array(std::size_t) override {
    const text_offset at = bracket();
    if (state_ == state::top && key_ == "threads") {
      state_ = state::threads;
    } else if (state_ == state::top && (key_ == "spawns" || key_ == "joins")) {
      state_ = key_ == "spawns" ? state::spawns : state::joins;
    } else if (state_ == state::top && key_ == "regions") {
      state_ = state::region_names;
    } else if (state_ == state::thread && key_ == "instructions") {
      state_ = state::instructions;
    } else if (state_ == state::thread && key_ == "weights") {
      state_ = state::weights;
    } else if (state_ == state::thread && key_ == "regions") {
      state_ = state::thread_regions;
    } else if (state_ == state::spawns || state_ == state::joins) {
      state_ = state_ == state::spawns ? state::spawn : state::join;
      edges().push_back({at, {}, {}});
      ends_ = 0;
    } else {
      return refuse("an array", at);
    }
    return true;
  }

  bool end_array() override {
    switch (state_) {
      case state::instructions:
      case state::weights:
      case state::thread_regions:
        state_ = state::thread;
        break;
      case state::spawn:
      case state::join:
        if (ends_ < 2) text_.fail(edges().back().at, "an edge has two ends");
        state_ = state_ == state::spawn ? state::spawns : state::joins;
        break;
      default:
        state_ = state::top;
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    text_.fail(position == 0 ? 0 : position - 1, report::parser_complaint(error.what()));
  }

 private:
  enum class state {
    start,
    top,
    region_names,
    threads,
    thread,
    instructions,
    weights,
    thread_regions,
    spawns,
    spawn,
    joins,
    join,
    done
  };

  static bool is_one_of(std::string_view field, std::initializer_list<std::string_view> known) {
    return std::find(known.begin(), known.end(), field) != known.end();
  }

  static bool has(const std::vector<std::string>& fields, std::string_view field) {
    return std::find(fields.begin(), fields.end(), field) != fields.end();
  }

  static std::string shown(const std::string& text, std::size_t most = 40) {
    return platform::printable(text, most);
  }

  std::vector<dag_file_parts::edge>& edges() {
    return state_ == state::spawn || state_ == state::spawns ? parts.spawns : parts.joins;
  }

  std::string name(const std::string& value, text_offset at) const {
    if (value.empty()) text_.fail(at, "a name is not empty");
    if (value.size() > longest_name)
      text_.fail(at,
                 fmt::format("a name has at most {} bytes, not {}", longest_name, value.size()));
    for (const char c : value)
      if (static_cast<unsigned char>(c) < ' ' || c == 0x7F)
        text_.fail(at, "a name has no control characters");
    return value;
  }

  std::uint64_t in_range(std::uint64_t value, std::uint64_t least, std::uint64_t most) const {
    if (value < least || value > most)
      text_.fail(number_start(),
                 fmt::format("{} is from {} to {}, not {}", key_, least, most, value));
    return value;
  }

  bool take_format(const std::string& value, text_offset at) const {
    if (value != dag_format_name)
      text_.fail(at, fmt::format("the format is '{}', not '{}'", dag_format_name, shown(value)));
    return true;
  }

  bool take_unit(const std::string& value, text_offset at) {
    if (value != "ns")
      text_.fail(at, fmt::format("the unit is 'ns' or not given, not '{}'", shown(value)));
    parts.source.is_in_ns = true;
    return true;
  }

  [[nodiscard]] std::string_view expected() const {
    switch (state_) {
      case state::start:
        return "a DAG is an object";
      case state::top:
        if (key_ == "format" || key_ == "name" || key_ == "unit") return "this field is a string";
        return "this field is an array";
      case state::threads:
        return "threads are objects";
      case state::thread:
        if (key_ == "name") return "a name is a string";
        if (key_ == "frame") return "a frame is a whole number";
        if (key_ == "priority") return "a priority is a whole number";
        if (key_ == "weights" || key_ == "regions") return "this field is an array";
        return "instructions are an array of names, or how many there are";
      case state::instructions:
        return "an instruction is a string, its name";
      case state::region_names:
        return "a region is a string, its name";
      case state::weights:
        return "a weight is a whole number";
      case state::thread_regions:
        return "a region of an instruction is its number";
      case state::spawns:
        return "a spawn is an array: [\"instruction\", \"thread\"]";
      case state::joins:
        return "a join is an array: [\"instruction\", \"instruction\"]";
      case state::spawn:
      case state::join:
        return "the ends of an edge are names";
      case state::done:
        break;
    }
    return "nothing follows the object";
  }

  bool refuse(std::string_view what, text_offset at) const {
    text_.fail(at, fmt::format("{}, not {}", expected(), what));
  }
  bool refuse_number(const std::string& written) const { return refuse(written, number_start()); }
  bool refuse_literal(std::string_view word) const {
    text_offset at = offset_now();
    while (at > 0 && std::isalpha(static_cast<unsigned char>(text_.text()[at - 1])) != 0) --at;
    return refuse(word, at);
  }

  // The parser tells no places. How far it has read is the end of the value, from which this finds
  // the beginning: each kind of value can be recognised by its end.
  [[nodiscard]] text_offset offset_now() const {
    return static_cast<text_offset>(read_ - text_.text().data());
  }
  [[nodiscard]] text_offset bracket() const { return offset_now() - 1; }
  [[nodiscard]] text_offset string_start() const {
    const auto text = text_.text();
    text_offset at = offset_now() - 1;  // the closing quote
    while (at > 0) {
      --at;
      if (text[at] != '"') continue;
      text_offset slashes = 0;
      while (slashes < at && text[at - slashes - 1] == '\\') ++slashes;
      if (slashes % 2 == 0) break;
    }
    return at;
  }
  [[nodiscard]] text_offset number_start() const {
    const auto text = text_.text();
    const auto is_part = [&](text_offset i) {
      return std::strchr("0123456789+-.eE", text[i]) != nullptr && text[i] != '\0';
    };
    text_offset at = offset_now();
    if (at > 0 && !is_part(at - 1)) --at;  // the parser has looked one character ahead
    while (at > 0 && is_part(at - 1)) --at;
    return at;
  }

  const text_position& text_;
  const char* const& read_;
  state state_ = state::start;
  std::string key_;
  std::vector<std::string> seen_top_, seen_;  // fields of the object that is open
  text_offset top_at_ = 0;
  int ends_ = 0;
};

}  // namespace

dag_file_parts parse_dag_file(const text_position& text) {
  const auto whole = text.text();
  const char* read = whole.data();
  handler events(text, read);
  nlohmann::json::sax_parse(watched_iterator(whole.data(), &read),
                            watched_iterator(whole.data() + whole.size(), &read), &events);
  return std::move(events.parts);
}

}  // namespace heist::lab
