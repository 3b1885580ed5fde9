// The interface of heist::cluster in a program that is started on some ranks: each rank makes the
// same calls, and rank 0 looks at the results. Prints each check that fails, and ends with 1 then.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <heist/cluster/map_reduce.hpp>
#include <heist/cluster/mpi.hpp>
#include <heist/cluster/parallel_reduce.hpp>
#include <heist/cluster/tree_search.hpp>

#include "tests/unit/cluster/numbered_bag.hpp"

namespace {

using namespace heist;

int failures = 0;

void check(const cluster::context& in, const char* what, bool holds) {
  if (holds || in.rank() != 0) return;
  std::printf("FAILED on %u ranks: %s\n", in.size(), what);
  ++failures;
}

std::string text_of(std::uint64_t i) { return std::to_string(i) + ' '; }

std::string joined(std::uint64_t numbers) {
  std::string all = "> ";
  for (std::uint64_t i = 0; i < numbers; ++i) all += text_of(i);
  return all;
}

// To join texts is associative, not commutative.
void reduces_in_order(cluster::context& in) {
  constexpr std::uint64_t numbers = 20'000;
  const auto text = cluster::parallel_reduce(in, "texts", {0, numbers}, std::string("> "), text_of,
                                             std::plus<std::string>{});
  check(in, "texts are joined in order", text == joined(numbers));
  const auto none = cluster::parallel_reduce(in, "none", {5, 5}, std::string("> "), text_of,
                                             std::plus<std::string>{});
  check(in, "an empty range gives the initial value", none == "> ");
}

void maps_files_in_order(cluster::context& in) {
  const std::vector<std::string> files = {"/a", "/b", "/c", "/d", "/e"};
  const auto text = cluster::map_reduce(
      in, "names", files, std::string("of"), [](const std::string& path) { return path; },
      std::plus<std::string>{});
  check(in, "files are combined in order", text == "of/a/b/c/d/e");
}

// A ternary tree of a given height: each node is its height.
void searches(cluster::context& in) {
  const auto visit = [](int height, auto& search) {
    search.add(1);
    for (int i = 0; i < 3 && height > 0; ++i) search.push(height - 1);
  };
  const auto nodes =
      cluster::tree_search(in, "ternary", 11, std::uint64_t{0}, visit, std::plus<std::uint64_t>{});
  check(in, "each node is visited once", nodes == (531'441 - 1) / 2);

  // The path to the greatest leaf: its bound reaches all, so few of the 2^40 leaves are visited.
  struct path {
    std::uint64_t value;
    int left;
  };
  const auto bounded = [](const path& now, auto& search) {
    const auto best = (now.value << now.left) + (std::uint64_t{1} << now.left) - 1;
    if (static_cast<std::int64_t>(best) <= search.bound()) return;
    if (now.left == 0) {
      search.raise_bound(static_cast<std::int64_t>(now.value));
      search.add(now.value);
      return;
    }
    search.push({now.value * 2, now.left - 1});
    search.push({now.value * 2 + 1, now.left - 1});
  };
  const auto greatest =
      cluster::tree_search(in, "greatest", path{0, 40}, std::uint64_t{0}, bounded,
                           [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
  check(in, "a bound cuts the search", greatest == (std::uint64_t{1} << 40) - 1);
}

void processes_each_item_once(cluster::context& in) {
  constexpr std::uint64_t items = 100'000;
  const auto result = cluster::run(in, "numbers", cluster_test::numbered_bag{items, {}, {}},
                                   [] { return cluster_test::numbered_bag::root(items); });
  check(in, "each item of a bag is processed once", result.has_each_once());
  std::uint64_t sum = 0, in_total = 0, out_total = 0;
  for (const auto& each : in.summaries()) {
    sum += each.items;
    in_total += each.messages_in;
    out_total += each.messages_out;
  }
  check(in, "the ranks' items are all items", sum == items);
  check(in, "there is a summary of each rank",
        in.rank() != 0 || in.summaries().size() == in.size());
  check(in, "ranks send messages", (in_total > 0 && out_total >= in_total) || in.size() == 1);
}

// Some number throws, on whichever rank has it; every rank learns of it, and can go on.
void reports_exceptions(cluster::context& in) {
  const auto refuse = [](std::uint64_t i) {
    if (i == 4711) throw std::runtime_error("number 4711 is odd");
    return i;
  };
  bool was_told = false;
  try {
    (void)cluster::parallel_reduce(in, "odd", {0, 10'000}, std::uint64_t{0}, refuse,
                                   std::plus<std::uint64_t>{});
  } catch (const cluster::rank_failure& why) {
    const auto expected =
        "rank " + std::to_string(why.rank()) + " (" + in.host(why.rank()) + "): number 4711 is odd";
    was_told = why.what() == expected;
  }
  if (!was_told) {
    std::printf("FAILED: rank %u was not told of an exception\n", in.rank());
    ++failures;
  }
  check(in, "all ranks answer after an exception", in.is_whole());
}

void reports_refusals(cluster::context& in) {
  const auto last = in.size() - 1;
  try {
    if (in.rank() == last) in.refuse("out of paper");
    (void)cluster::parallel_reduce(
        in, "paper", {0, 100}, std::uint64_t{0}, [](std::uint64_t i) { return i; },
        std::plus<std::uint64_t>{});
    check(in, "a refusal ends the run", false);
  } catch (const cluster::rank_failure& why) {
    check(in, "a refusal names the rank",
          why.rank() == last && std::string(why.what()).ends_with("): out of paper"));
  }
}

void compares_names(cluster::context& in) {
  if (in.size() == 1) return;
  const auto name = in.rank() == 1 ? "a run" : "another run";
  try {
    (void)cluster::parallel_reduce(
        in, name, {0, 100}, std::uint64_t{0}, [](std::uint64_t i) { return i; },
        std::plus<std::uint64_t>{});
    check(in, "names are compared", false);
  } catch (const cluster::rank_failure&) {
  }
}

void refuses_settings(cluster::context& in) {
  const auto is_refused = [](cluster::settings how) {
    try {
      const auto made = cluster::make_context(MPI_COMM_WORLD, std::move(how));
      return false;
    } catch (const usage_error&) {
      return true;
    }
  };
  check(in, "too many workers", is_refused({.workers = 5000}));
  check(in, "resume without a folder", is_refused({.resume = true}));
  check(in, "no interval", is_refused({.interval = std::chrono::seconds(0)}));
  check(in, "less silence than a heartbeat", is_refused({.silence = std::chrono::milliseconds(5)}));
}

void run_all(cluster::context& in) {
  processes_each_item_once(in);
  reduces_in_order(in);
  maps_files_in_order(in);
  searches(in);
  reports_exceptions(in);
  reports_refusals(in);
  compares_names(in);
  processes_each_item_once(in);  // after failures, as before
}

}  // namespace

int main() {
  {
    cluster::context in({.workers = 1});
    run_all(in);
    refuses_settings(in);
    // Beside the first one, over a communicator of the program's: the ranks in reverse order.
    MPI_Comm reverse;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -static_cast<int>(in.rank()), &reverse);
    auto other = cluster::make_context(reverse, {.workers = 2});
    MPI_Comm_free(&reverse);
    check(other, "the ranks of a communicator", other.rank() == in.size() - 1 - in.rank());
    check(other, "two workers", other.workers() == 2);
    run_all(other);
  }
  return failures == 0 ? 0 : 1;
}
