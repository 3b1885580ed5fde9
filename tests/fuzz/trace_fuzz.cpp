// Any bytes give a recording that can be summed up, written in both forms and read again with the
// same events, or a trace_error of one line.
#include <string>
#include <string_view>

#include "fuzz.hpp"
#include "recording/recording.hpp"
#include "recording/summary.hpp"
#include "trace/write.hpp"

namespace {

using namespace heist::trace;

class string_sink final : public sink {
 public:
  void write(std::string_view bytes) override { text += bytes; }
  std::string text;
};

void look_at(const recording& r) {
  for (const event& e : r.events) {
    require(e.lane < r.lanes.size() && e.name < r.names.size());
    require(e.time_ns <= r.duration_ns);
  }
  const summary s = summarise(r);
  require(s.work_ns <= s.capacity_ns && s.all_idle_ns() <= s.capacity_ns);
  require(!findings_of(r, s).empty());
  require(to_json(r, s).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).size() > 2);
  string_sink binary;
  write_binary(r, binary);
  require(parse_recording(binary.text, "again").events.size() == r.events.size());
  string_sink chrome;
  write_chrome_json(r, chrome);
  require(parse_recording(chrome.text, "again").events.size() == r.events.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    look_at(parse_recording(bytes, "f"));
  } catch (const trace_error& error) {
    require_one_line(error.what(), "f:");
  }
  return 0;
}
