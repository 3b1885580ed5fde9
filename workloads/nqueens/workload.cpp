#include <fmt/format.h>

#include "workloads/constructs.hpp"
#include "workloads/nqueens/known_boards.hpp"
#include "workloads/nqueens/nqueens.hpp"
#include "workloads/registry.hpp"

namespace heist::workloads {

namespace {

class nqueens_instance final : public instance {
 public:
  nqueens_instance(unsigned n, unsigned cutoff) : n_(n), cutoff_(cutoff) {}

  void reset() override { boards_ = 0; }
  void run_serial() override { boards_ = count_boards_serially(chessboard::empty(n_)); }

  void run_with(const execution& how) override {
    const auto board = chessboard::empty(n_);
    run_with_forks(how,
                   [&](auto fork) { boards_ = count_boards(board, board.free(), cutoff_, fork); });
  }

  std::string result() const override { return fmt::format("{} boards of {} queens", boards_, n_); }
  std::uint64_t checksum() const override { return boards_; }

  std::optional<std::string> mistake() const override {
    if (boards_ == known_boards.at(n_)) return std::nullopt;
    return fmt::format("{} queens have {} boards, not {}", n_, known_boards.at(n_), boards_);
  }

  work_count work() const override { return {static_cast<double>(boards_), "boards"}; }

 private:
  unsigned n_;
  unsigned cutoff_;
  std::uint64_t boards_ = 0;
};

class nqueens_workload final : public workload {
 public:
  std::string_view name() const override { return "nqueens"; }
  std::string_view summary() const override {
    return "counts the boards of n queens: an irregular search tree";
  }

  profile describe() const override {
    return {.shape = "forks",
            .stresses = "an irregular search tree, which no fixed division balances",
            .source = "Richards 1997, bit patterns"};
  }
  std::vector<option_spec> options() const override {
    const auto largest = static_cast<std::int64_t>(known_boards.size()) - 1;
    return {integer_option("n", "queens, and rows of the board", 14, 1, largest),
            integer_option("cutoff", "rows at the bottom that are not forked", 7, 0, largest)};
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    return std::make_unique<nqueens_instance>(static_cast<unsigned>(values.integer("n")),
                                              static_cast<unsigned>(values.integer("cutoff")));
  }
};

}  // namespace

std::unique_ptr<const workload> make_nqueens() { return std::make_unique<nqueens_workload>(); }

}  // namespace heist::workloads
