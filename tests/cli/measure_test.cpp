// What becomes of a workload whose result is wrong: made-up ones, as ours are right.
#include <gmock/gmock.h>

#include "cli/run/measure.hpp"
#include "cli/run/run.hpp"
#include "command.hpp"

using namespace heist::cli;
using ::testing::HasSubstr;

namespace {

enum class flaw { none, differs_in_parallel, wrong_in_itself };

class fake_instance final : public heist::workloads::instance {
 public:
  explicit fake_instance(flaw has) : flaw_(has) {}
  void run_serial() override { value_ = 1; }
  void run_with(const heist::workloads::execution&) override {
    value_ = flaw_ == flaw::differs_in_parallel ? 2 : 1;
  }
  [[nodiscard]] std::string result() const override { return "fake"; }
  [[nodiscard]] std::uint64_t checksum() const override { return value_; }
  [[nodiscard]] std::optional<std::string> mistake() const override {
    if (flaw_ == flaw::wrong_in_itself) return "not what is published";
    return std::nullopt;
  }

 private:
  flaw flaw_;
  std::uint64_t value_ = 0;
};

class fake_workload final : public heist::workloads::workload {
 public:
  explicit fake_workload(flaw has) : flaw_(has) {}
  [[nodiscard]] std::string_view name() const override { return "fake"; }
  [[nodiscard]] std::string_view summary() const override { return "does nothing"; }
  [[nodiscard]] heist::workloads::profile describe() const override { return {}; }
  [[nodiscard]] std::vector<heist::workloads::option_spec> options() const override { return {}; }
  [[nodiscard]] std::unique_ptr<heist::workloads::instance> make(
      const heist::workloads::option_values&) const override {
    return std::make_unique<fake_instance>(flaw_);
  }

 private:
  flaw flaw_;
};

command_result run_fake(flaw has) {
  const fake_workload workload(has);
  run_request request;
  request.chosen.push_back({&workload, {"fake", {}}});
  request.pool.workers = 2;
  const captured_file out;
  const captured_file err;
  output to(out.file());
  const int code = run(request, to, err.file());
  return {code, out.text(), err.text()};
}

}  // namespace

TEST(Measure, RunsEachKindAsOftenAsAsked) {
  fake_instance instance(flaw::none);
  std::vector<std::string> announced;
  const auto report = measure("fake", instance, {.workers = 2}, {}, 2,
                              [&](const std::string& what) { announced.push_back(what); });
  EXPECT_EQ(announced, (std::vector<std::string>{"run 1 of 2, serial", "run 1 of 2, 1 worker",
                                                 "run 1 of 2, 2 workers", "run 2 of 2, serial",
                                                 "run 2 of 2, 1 worker", "run 2 of 2, 2 workers"}));
  EXPECT_EQ(report.serial.size(), 2u);
  EXPECT_EQ(report.one_worker.size(), 2u);
  EXPECT_EQ(report.p_workers.size(), 2u);
  EXPECT_EQ(report.mistake, std::nullopt);
}

TEST(Measure, TimesOneWorkerOnceWhenThatIsAll) {
  fake_instance instance(flaw::none);
  const auto report = measure("fake", instance, {.workers = 1}, {}, 1, [](const std::string&) {});
  EXPECT_EQ(report.one_worker.values(), report.p_workers.values());
}

TEST(Run, EndsWithThreeWhenAResultDiffers) {
  EXPECT_EQ(run_fake(flaw::none).code, success);
  const auto differs = run_fake(flaw::differs_in_parallel);
  EXPECT_EQ(differs.code, result_differs);
  EXPECT_EQ(differs.out, "");
  EXPECT_EQ(differs.err,
            "heist: fake: wrong result: 1 worker: the result is not that of the serial run: fake, "
            "not fake\n");
  const auto wrong = run_fake(flaw::wrong_in_itself);
  EXPECT_EQ(wrong.code, result_differs);
  EXPECT_THAT(wrong.err, HasSubstr("serial: not what is published"));
}
