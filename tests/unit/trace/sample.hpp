// A recording made by hand, which has all kinds of events.
#pragma once

#include <string>

#include "recording/recording.hpp"
#include "trace/write.hpp"

namespace heist_test {

inline heist::trace::log sample_log() {
  using enum heist::trace::event_kind;
  heist::trace::log l;
  l.program = "sample \"quoted\" <script>";
  l.machine = "a machine";
  l.version = "1.2";
  l.processors = 2;
  l.duration_ns = 1'000'000;
  l.clock = "tsc";
  l.lanes = {
      {"heist/0", 0, 0, true, 0}, {"heist/1", 0, 1, true, 7}, {"main thread", 0, 0, false, 0}};
  l.names = {"", "parse", "<script>alert(1)</script>\n\x01\\", "queue"};
  l.statistics_json = R"([{"pool":"heist","total":{"steals":1}}])";
  const auto none = heist::trace::no_lane;
  l.events = {{0, 0, idle_begin, 0, 0, 0, 0},        {0, 1, idle_begin, 0, 0, 0, 0},
              {50'000, 2, region_begin, 1, 0, 0, 0}, {100'000, 0, idle_end, 0, 0, 0, 0},
              {100'000, 0, job_begin, 1, 1, 0, 0},   {150'000, 1, park, 0, 0, 0, 0},
              {200'000, 0, expose, 0, 3, 0, 0},      {250'000, 1, wake, 0, 0, 0, 12'345.5},
              {300'000, 1, steal, 0, 0, 3, 120},     {300'000, 1, idle_end, 0, 2, 0, 0},
              {300'000, 1, job_begin, 1, 0, 0, 0},   {400'000, 1, job_end, 0, 0, 0, 0},
              {400'000, 1, steal, 0, none, 1, 80},   {500'000, 0, region_begin, 2, 0, 1, 0},
              {600'000, 0, region_end, 2, 0, 1, 0},  {650'000, 0, suspend, 0, 9, 0, 0},
              {700'000, 1, resume, 1, 9, 0, 0},      {800'000, 0, counter, 3, 0, 0, -1.5e-7},
              {850'000, 2, block_begin, 0, 0, 0, 0}, {900'000, 2, block_end, 0, 0, 0, 0},
              {950'000, 0, leave, 0, 0, 0, 0}};
  return l;
}

class string_sink final : public heist::trace::sink {
 public:
  void write(std::string_view bytes) override { text += bytes; }
  std::string text;
};

inline std::string binary_of(const heist::trace::log& l) {
  string_sink to;
  heist::trace::write_binary(l, to);
  return to.text;
}
inline std::string json_of(const heist::trace::log& l) {
  string_sink to;
  heist::trace::write_chrome_json(l, to);
  return to.text;
}

}  // namespace heist_test
