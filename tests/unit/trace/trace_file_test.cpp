// The two forms of a trace's file: what is written is read again, and what isn't one is refused.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

#include <nlohmann/json.hpp>

#include "heist/heist.hpp"
#include "heist/trace.hpp"
#include "heist/version.hpp"
#include "tests/unit/runtime/child.hpp"
#include "tests/unit/trace/sample.hpp"

namespace heist_test {
namespace {

using heist::trace::event;
using heist::trace::log;
using heist::trace::parse_recording;
using heist::trace::recording;
using heist::trace::trace_error;

void expect_same(const log& read, const log& written) {
  EXPECT_EQ(read.program, written.program);
  EXPECT_EQ(read.machine, written.machine);
  EXPECT_EQ(read.version, written.version);
  EXPECT_EQ(read.processors, written.processors);
  EXPECT_EQ(read.duration_ns, written.duration_ns);
  EXPECT_EQ(read.clock, written.clock);
  EXPECT_EQ(read.names, written.names);
  ASSERT_EQ(read.lanes.size(), written.lanes.size());
  for (std::size_t i = 0; i < read.lanes.size(); ++i) {
    EXPECT_EQ(read.lanes[i].name, written.lanes[i].name);
    EXPECT_EQ(read.lanes[i].worker, written.lanes[i].worker);
    EXPECT_EQ(read.lanes[i].is_worker, written.lanes[i].is_worker);
    EXPECT_EQ(read.lanes[i].lost_events, written.lanes[i].lost_events);
  }
  ASSERT_EQ(read.events.size(), written.events.size());
  for (std::size_t i = 0; i < read.events.size(); ++i) {
    const event& a = read.events[i];
    const event& b = written.events[i];
    EXPECT_TRUE(a.time_ns == b.time_ns && a.lane == b.lane && a.kind == b.kind &&
                a.name == b.name && a.a == b.a && a.b == b.b && a.value == b.value)
        << i;
  }
}

TEST(TraceFile, IsReadAsItWasWritten) {
  const log written = sample_log();
  for (const std::string& bytes : {binary_of(written), json_of(written)}) {
    const recording read = parse_recording(bytes, "t");
    expect_same(read, written);
    EXPECT_EQ(read.statistics[0]["total"]["steals"], 1);
    EXPECT_TRUE(read.profile.is_null());
  }
}

TEST(TraceFile, OfNothingIsReadAsWell) {
  const log nothing;
  for (const std::string& bytes : {binary_of(nothing), json_of(nothing)})
    expect_same(parse_recording(bytes, "t"), nothing);
}

// What Perfetto's viewer and Chrome's need of an event, by the format's description.
TEST(TraceFile, HasTheFieldsOfChromesFormat) {
  const auto whole = nlohmann::json::parse(json_of(sample_log()));
  std::size_t arrows = 0;
  for (const auto& e : whole.at("traceEvents")) {
    const auto phase = e.at("ph").get<std::string>();
    ASSERT_EQ(phase.size(), 1U);
    ASSERT_NE(std::string("MXisfC").find(phase), std::string::npos) << phase;
    EXPECT_EQ(e.at("pid"), 1);
    EXPECT_TRUE(e.at("name").is_string());
    if (phase != "M") {
      EXPECT_TRUE(e.at("ts").is_number()) << e;
    }
    if (phase == "X") {
      EXPECT_GT(e.at("dur").get<double>(), 0);
    }
    if (phase == "i") {
      EXPECT_EQ(e.at("s"), "t");
    }
    if (phase != "M" && phase != "C") {
      EXPECT_GE(e.at("tid").get<int>(), 1);
    }
    if (phase == "s" || phase == "f") {
      EXPECT_TRUE(e.at("id").is_number());
      ++arrows;
    }
  }
  EXPECT_EQ(arrows, 2U);  // one steal has a victim that is known
  EXPECT_EQ(json_of(sample_log()).find("<script>"), std::string::npos);
}

std::string complaint_about(const std::string& bytes) {
  try {
    static_cast<void>(parse_recording(bytes, "t.json"));
  } catch (const trace_error& e) {
    return e.what();
  }
  return "none";
}

TEST(TraceFile, ThatIsNoneIsRefused) {
  EXPECT_EQ(complaint_about(""), "t.json: the file is empty");
  EXPECT_EQ(complaint_about("root:x:0:0"), "t.json: neither JSON nor heist's binary form");
  EXPECT_EQ(complaint_about("{}"),
            "t.json: JSON, but not a trace that heist has written: it has no \"heist\"");
  EXPECT_EQ(complaint_about("heisttrc"), "t.json: the trace is cut off in its first bytes");
  std::string other_version = binary_of(sample_log());
  other_version[8] = 9;
  const std::string here = std::string("heist ") + HEIST_VERSION_STRING + " reads form 2";
  EXPECT_EQ(complaint_about(other_version), "t.json: a trace of form 9; " + here);
  std::string first_form("heisttrc\1\0\0\0", 12);
  first_form.resize(32);
  EXPECT_EQ(complaint_about(first_form + "{\"program\":\"fib\",\"version\":\"0.3.0\"}"),
            "t.json: a trace of form 1, which heist 0.3.0 wrote; " + here);
  std::string bytes = binary_of(sample_log());
  const std::string size = std::to_string(bytes.size());
  bytes.pop_back();
  EXPECT_EQ(complaint_about(bytes), "t.json: it says that it has " + size + " bytes, and has " +
                                        std::to_string(bytes.size()));
}

TEST(TraceFile, WithAFieldOutOfRangeIsRefused) {
  log l = sample_log();
  l.events[3].name = 77;
  EXPECT_EQ(complaint_about(binary_of(l)),
            "t.json: event 1 of lane 0 has a name that the trace doesn't have");
  EXPECT_EQ(
      complaint_about(json_of(sample_log())
                          .replace(json_of(sample_log()).find("\"names\":["), 9, "\"namen\":[")),
      "t.json: it has no names");
}

// Whatever the bytes are: a sound recording, or a complaint of one line.
TEST(TraceFile, ThatIsDamagedIsReadOrRefused) {
  std::minstd_rand random(1);
  unsigned refused = 0;
  for (const std::string& good : {binary_of(sample_log()), json_of(sample_log())}) {
    for (int round = 0; round < 3000; ++round) {
      std::string bytes = good;
      for (unsigned n = 1 + random() % 4; n != 0; --n)
        bytes[random() % bytes.size()] = static_cast<char>(random());
      if (round % 3 == 0) bytes.resize(random() % bytes.size());
      try {
        const recording r = parse_recording(bytes, "t");
        for (const event& e : r.events)
          ASSERT_TRUE(e.lane < r.lanes.size() && e.name < r.names.size());
        static_cast<void>(json_of(r));
      } catch (const trace_error& e) {
        ++refused;
        ASSERT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
      }
    }
  }
  EXPECT_GT(refused, 1000U);
}

// Under HEIST_TRACE a child of fork() has a file of its own, also if it ends in the middle.
class TraceOfAForkedChild : public fresh_process {};

TEST_F(TraceOfAForkedChild, HasANameOfItsOwn) {
  if (is_serial() || tsan) GTEST_SKIP() << "nothing is recorded, or no thread starts in a child";
  // The test runs once more in the fresh process, in the folder that the first one has made.
  constexpr const char* variable = "HEIST_TEST_FOLDER";
  const char* const given = std::getenv(variable);
  const std::filesystem::path folder =
      given != nullptr ? given
                       : testing::TempDir() + "heist-forked-traces-" + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  ::setenv(variable, folder.c_str(), 1);
  const auto body = [&folder] {
    ::setenv("HEIST_TRACE", (folder / "t.htrace").c_str(), 1);
    heist::parallel_for(0, 100, [](int) {});
    const auto in_a_child = [](bool ends_in_the_middle) {
      const int code = in_forked_child([&] {
        heist::parallel_for(0, 100, [](int) {});
        heist::trace_counter("child", 1);
        if (ends_in_the_middle) ::raise(SIGKILL);
        std::exit(0);
        return 0;
      });
      if (code != (ends_in_the_middle ? 128 + SIGKILL : 0)) std::exit(3);
    };
    in_a_child(false);
    in_a_child(true);
  };
  EXPECT_EXIT(run_and_exit(body), testing::ExitedWithCode(0), "");
  unsigned whole = 0;
  unsigned partial = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string name = file.path().filename().string();
    const recording t = heist::trace::read_recording(file.path().string());
    const bool is_of_a_child = std::find(t.names.begin(), t.names.end(), "child") != t.names.end();
    EXPECT_EQ(is_of_a_child, name != "t.htrace") << name;
    const bool has_ended = t.end == heist::trace::ending::complete;
    EXPECT_EQ(has_ended, name.find(".partial-") == std::string::npos) << name;
    has_ended ? ++whole : ++partial;
  }
  EXPECT_EQ(whole, 2U);
  EXPECT_EQ(partial, 1U);
  std::filesystem::remove_all(folder);
  ::unsetenv(variable);
}

}  // namespace
}  // namespace heist_test
