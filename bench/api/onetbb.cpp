// oneTBB as its documentation shows these loops: blocked_range with the auto_partitioner, which is
// the default.
#include "bench/api/kernels.hpp"
#include "bench/api/team.hpp"
#include "bench/pipeline/lines.hpp"

#if HEIST_BENCH_ONETBB

#include <deque>
#include <functional>

#include <tbb/blocked_range.h>
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

namespace heist::bench::api {

namespace {

using range = tbb::blocked_range<std::size_t>;

[[gnu::noinline]] void axpy(float a, const float* x, float* y, std::size_t n) {
  tbb::parallel_for(range(0, n), [=](const range& r) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) y[i] += a * x[i];
  });
}

void uneven(std::uint64_t* out, std::size_t n) {
  tbb::parallel_for(range(0, n), [=](const range& r) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) out[i] = steps(i, n);
  });
}

void tiny(float a, const float* x, float* y, std::size_t times) {
  for (; times > 0; --times) axpy(a, x, y, tiny_size);
}

double reduce(const double* x, std::size_t n) {
  return tbb::parallel_reduce(
      range(0, n), 0.0,
      [=](const range& r, double sum) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) sum += x[i];
        return sum;
      },
      std::plus<>());
}

void scan(const std::int64_t* x, std::int64_t* out, std::size_t n) {
  tbb::parallel_scan(
      range(0, n), std::int64_t{0},
      [=](const range& r, std::int64_t sum, bool is_final) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) {
          sum += x[i];
          if (is_final) out[i] = sum;
        }
        return sum;
      },
      std::plus<>());
}

void sort(std::int64_t* x, std::size_t n) { tbb::parallel_sort(x, x + n); }

[[gnu::noinline]] void stencil(const float* in, float* out, std::size_t n) {
  tbb::parallel_for(range(0, n), [=](const range& r) {
    for (std::size_t i = r.begin(); i != r.end(); ++i)
      out[1 + i] = (in[i] + in[1 + i] + in[2 + i]) * (1.0F / 3);
  });
}

void opaque(std::uint64_t* out, std::size_t n) {
  tbb::parallel_for(range(0, n), [=](const range& r) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) out[i] = opaque_body(i);
  });
}

void chains(std::uint64_t* out, std::size_t n, std::size_t length) {
  tbb::parallel_for(range(0, n), [=](const range& r) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) out[i] = chain(i, length);
  });
}

class flow_graph final : public graph_program {
 public:
  flow_graph(const std::vector<dependencies>& of, std::uint8_t* ran) : of_(of), ran_(ran) {}

  void run() override {
    if (nodes_.empty()) make();
    nodes_.front().try_put({});
    graph_.wait_for_all();
  }

 private:
  using node = tbb::flow::continue_node<tbb::flow::continue_msg>;

  void make() {
    for (std::size_t i = 0; i < of_.size(); ++i) {
      nodes_.emplace_back(graph_, [mark = ran_ + i](tbb::flow::continue_msg) { *mark = 1; });
      if (i == 0) continue;
      make_edge(nodes_[of_[i].first], nodes_[i]);
      make_edge(nodes_[of_[i].second], nodes_[i]);
    }
  }

  const std::vector<dependencies>& of_;
  std::uint8_t* const ran_;
  tbb::flow::graph graph_;
  std::deque<node> nodes_;
};

std::unique_ptr<graph_program> graph(const std::vector<dependencies>& of, std::uint8_t* ran) {
  return std::make_unique<flow_graph>(of, ran);
}

void within(unsigned threads, const std::function<void()>& function) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute(function);
}

class teamwork final : public team {
 public:
  explicit teamwork(unsigned threads)
      : limit_(tbb::global_control::max_allowed_parallelism, threads) {}

  void loop(std::size_t n, const part& body) override {
    tbb::parallel_for(range(0, n), [&body](const range& r) { body(r.begin(), r.end()); });
  }
  double sum(std::size_t n, const part_of_sum& body) override {
    return tbb::parallel_reduce(
        range(0, n), 0.0,
        [&body](const range& r, double before) { return before + body(r.begin(), r.end()); },
        std::plus{});
  }

 private:
  tbb::global_control limit_;
};

}  // namespace

std::unique_ptr<team> onetbb_team(unsigned threads) { return std::make_unique<teamwork>(threads); }

std::vector<kernels> onetbb() {
  return {{"oneTBB", &within, &axpy, &uneven, &tiny, &reduce, &scan, &sort, &stencil, &opaque,
           &chains, &graph}};
}

}  // namespace heist::bench::api

namespace heist::bench {

std::function<void(lines&)> onetbb_lines(unsigned threads) {
  return [threads](lines& l) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    using tbb::filter_mode;
    const auto cut = [&l](tbb::flow_control& flow) {
      auto line = l.cut();
      if (!line) flow.stop();
      return line ? std::move(*line) : std::string();
    };
    tbb::parallel_pipeline(
        16, tbb::make_filter<void, std::string>(filter_mode::serial_in_order, cut) &
                tbb::make_filter<std::string, std::string>(
                    filter_mode::parallel,
                    [&l](std::string line) { return l.change(std::move(line)); }) &
                tbb::make_filter<std::string, void>(
                    filter_mode::serial_in_order, [&l](const std::string& line) { l.put(line); }));
  };
}

}  // namespace heist::bench

#else

namespace heist::bench::api {
std::vector<kernels> onetbb() { return {}; }
std::unique_ptr<team> onetbb_team(unsigned) { return nullptr; }
}  // namespace heist::bench::api

namespace heist::bench {
std::function<void(lines&)> onetbb_lines(unsigned) { return {}; }
}  // namespace heist::bench

#endif
