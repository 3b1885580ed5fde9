#include "integrations/two_libraries/side.hpp"

#include <jxl/thread_parallel_runner_cxx.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <complex>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <sstream>
#include <thread>
#include <vector>

#include "heist/fork_join.hpp"
#include "heist/integrations/fftw.hpp"
#include "heist/integrations/jxl.hpp"
#include "heist/integrations/opencv.hpp"
#include "integrations/jxl/jpeg_xl.hpp"

namespace two_libraries {

namespace {

// FNV-1a, over bytes.
std::uint64_t checksum_of(const void* data, std::size_t bytes) {
  std::uint64_t sum = 14695981039346656037U;
  for (std::size_t i = 0; i < bytes; ++i)
    sum = (sum ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211U;
  return sum;
}

long count_threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

class encoding {
 public:
  encoding(unsigned size, JxlParallelRunner runner, void* where)
      : size_(size), runner_(runner), where_(where), picture_(jpeg_xl::waves(1000, 700)) {}

  std::uint64_t operator()() {
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < size_; ++i) {
      picture_.rgb[i] ^= 1;
      const jpeg_xl::bytes file = jpeg_xl::encoded(picture_, runner_, where_, 4);
      sum += checksum_of(file.data(), file.size());
    }
    return sum;
  }

 private:
  unsigned size_;
  JxlParallelRunner runner_;
  void* where_;
  jpeg_xl::picture picture_;
};

class filtering {
 public:
  explicit filtering(unsigned size) : size_(size), frame_(700, 1000, CV_8UC3) {
    cv::RNG random(1);
    random.fill(frame_, cv::RNG::UNIFORM, 0, 256);
  }

  std::uint64_t operator()() {
    std::uint64_t sum = 0;
    cv::Mat smooth, small, hsv;
    for (unsigned i = 0; i < size_; ++i) {
      cv::bilateralFilter(frame_, smooth, 9, 40, 7);
      cv::resize(smooth, small, {}, 0.7, 0.7, cv::INTER_CUBIC);
      cv::cvtColor(small, hsv, cv::COLOR_BGR2HSV);
      sum += checksum_of(hsv.data, hsv.total() * hsv.elemSize());
    }
    return sum;
  }

 private:
  unsigned size_;
  cv::Mat frame_;
};

class transforming {
 public:
  transforming(unsigned size, unsigned threads) : size_(size) {
    fftw_plan_with_nthreads(static_cast<int>(threads));
    plan_.reset(fftw_plan_dft_2d(n, n, as_fftw(in_), as_fftw(out_), FFTW_FORWARD, FFTW_ESTIMATE));
    for (std::size_t i = 0; i < in_.size(); ++i)
      in_[i] = {static_cast<double>(i % 977), static_cast<double>(i % 83)};
  }

  std::uint64_t operator()() {
    for (unsigned i = 0; i < size_; ++i) fftw_execute(plan_.get());
    return checksum_of(out_.data(), out_.size() * sizeof(out_[0]));
  }

 private:
  using numbers = std::vector<std::complex<double>>;
  static constexpr int n = 1024;
  struct destroying {
    void operator()(fftw_plan p) const { fftw_destroy_plan(p); }
  };
  static fftw_complex* as_fftw(numbers& v) { return reinterpret_cast<fftw_complex*>(v.data()); }

  unsigned size_;
  numbers in_ = numbers(std::size_t{n} * n);
  numbers out_ = in_;
  std::unique_ptr<fftw_plan_s, destroying> plan_;
};

using work = std::function<std::uint64_t()>;

// Both at once; returns the sum of their results, and the most threads that either saw at its end.
std::uint64_t run_both(const job& j, heist::pool* pool, const work& first, const work& second,
                       long& most_threads) {
  std::atomic<long> most{0};
  const auto counted = [&](const work& f) {
    const std::uint64_t sum = f();
    const long now = count_threads();
    // Relaxed: it is read after the joins below.
    for (long seen = most.load(std::memory_order_relaxed);
         seen < now && !most.compare_exchange_weak(seen, now, std::memory_order_relaxed,
                                                   std::memory_order_relaxed);) {
    }
    return sum;
  };
  std::uint64_t a = 0, b = 0;
  if (j.where == side::forks) {
    pool->run([&] { heist::fork_join([&] { a = counted(first); }, [&] { b = counted(second); }); });
  } else {
    std::thread other([&] { a = counted(first); });
    b = counted(second);
    other.join();
  }
  most_threads = most.load(std::memory_order_relaxed);
  return a + b;
}

double seconds(const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); }

}  // namespace

measurement run(const job& j) {
  std::optional<heist::pool> pool;
  JxlThreadParallelRunnerPtr own;
  JxlParallelRunner runner = heist::integrations::jxl_runner;
  void* where = nullptr;
  if (j.where == side::own) {
    own = JxlThreadParallelRunnerMake(nullptr, j.threads);
    runner = JxlThreadParallelRunner;
    where = own.get();
    cv::setNumThreads(static_cast<int>(j.threads));
    if (fftw_init_threads() == 0) throw heist::resource_error("fftw_init_threads failed");
  } else {
    pool.emplace(heist::pool_config{.workers = j.threads});
    where = &*pool;
    heist::integrations::use_in_opencv(*pool);
    heist::integrations::use_in_fftw(*pool);
  }

  // Each call works on what the last one left, so the second is given pictures of its own.
  const work encode = [&, e = encoding(j.size, runner, where)]() mutable { return e(); };
  work other;
  if (j.libraries == pair::jxl_opencv) {
    other = filtering(j.size);
  } else {
    const auto t = std::make_shared<transforming>(j.size, j.threads);
    other = [t] { return (*t)(); };
  }

  measurement m;
  heist::pool* const here = pool ? &*pool : nullptr;
  m.checksum = run_both(j, here, encode, other, m.threads);
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  const auto begin = std::chrono::steady_clock::now();
  m.checksum += run_both(j, here, encode, other, m.threads);
  m.time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  getrusage(RUSAGE_SELF, &after);
  m.cpu_s = seconds(after.ru_utime) + seconds(after.ru_stime) - seconds(before.ru_utime) -
            seconds(before.ru_stime);
  m.voluntary = after.ru_nvcsw - before.ru_nvcsw;
  m.involuntary = after.ru_nivcsw - before.ru_nivcsw;
  if (j.where != side::own) cv::setNumThreads(0);  // the pool ends before OpenCV does
  return m;
}

std::string to_line(const measurement& m) {
  std::ostringstream line;
  line << m.time_s << ' ' << m.cpu_s << ' ' << m.voluntary << ' ' << m.involuntary << ' '
       << m.threads << ' ' << m.checksum;
  return line.str();
}

measurement from_line(const std::string& line) {
  measurement m;
  std::istringstream in(line);
  if (!(in >> m.time_s >> m.cpu_s >> m.voluntary >> m.involuntary >> m.threads >> m.checksum))
    throw std::runtime_error("a side ended without a result");
  return m;
}

}  // namespace two_libraries
