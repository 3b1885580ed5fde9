// A run from its beginning to its end, on one rank.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>

#include <unistd.h>

#include "cluster/journal.hpp"
#include "cluster/mpi/closing.hpp"
#include "cluster/mpi/driver.hpp"
#include "heist/version.hpp"

namespace heist::inline v0::cluster {

namespace {

using clock = context::impl::clock;

// After a failure rank 0 waits this long for the others to answer, or else counts them as lost.
// They wait for twice as long, so that rank 0 is the first to say what has happened.
constexpr std::chrono::seconds patience{1};
// After a result all have to answer too, for the next run; there is no hurry.
constexpr std::chrono::seconds patience_after_result{10};

// FNV-1a. The same on two ranks if they run the same program, version and arguments.
std::uint64_t fingerprint_of(const std::string& text) {
  std::uint64_t sum = 0xcbf29ce484222325U;
  for (const char each : text)
    sum = (sum ^ static_cast<unsigned char>(each)) * std::uint64_t{0x100000001b3};
  return sum;
}

node_settings settings_for(const context::impl& in, const std::string& name,
                           const std::string& type) {
  const auto ns = [](std::chrono::nanoseconds time) {
    return static_cast<std::uint64_t>(time.count());
  };
  node_settings result;
  result.nodes_each_host = in.nodes_each_host;
  result.seed = static_cast<std::uint64_t>(in.runs) + 1;
  result.fingerprint =
      fingerprint_of(std::string(HEIST_VERSION_STRING) + '\n' + type + '\n' + name);
  result.heartbeat_ns = ns(in.how.heartbeat);
  result.silence_ns = ns(in.how.silence);
  return result;
}

// What rank 0 begins with.
void fill_or_resume(const context::impl& in, const std::string& name, detail::shared_work& work,
                    const std::function<void()>& fill) {
  if (in.how.resume) {
    for (const auto& each : read_journal(journal_path(in), name).bags) work.merge(each);
    return;
  }
  if (!in.how.checkpoint.empty() && access(journal_path(in).c_str(), F_OK) == 0)
    throw usage_error(journal_path(in) +
                      ": an unfinished run's journal: resume that run, or remove the file");
  fill();
}

// Of the exception that is being handled.
std::string current_text() {
  try {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

// Ranks come here at different times, and who is slow isn't dead yet.
void wait_for_all(const context::impl& in) {
  MPI_Request all_are_here = MPI_REQUEST_NULL;
  require_mpi(MPI_Ibarrier(in.comm, &all_are_here), "MPI_Ibarrier");
  if (!context::impl::await(all_are_here, clock::time_point::max(), [] {}))
    throw resource_error("MPI: MPI_Ibarrier failed");
}

[[noreturn]] void throw_failure(context::impl& in, const failure& why) {
  throw rank_failure(why.at, in.blame(why.at, why.text));
}

// `refusal`: why this rank can't take part.
void run_node(context::impl& in, const std::string& name, const std::string& type,
              detail::shared_work& work, const std::optional<std::string>& refusal) {
  wait_for_all(in);
  const auto how = settings_for(in, name, type);
  mpi_transport transport(in.comm, 1 + in.runs++ % 30000, in.nodes);
  node own(how, in.self, in.nodes, work, transport);
  driver drives(in, name, work, transport, own);
  try {
    if (refusal)
      own.fail(*refusal);
    else
      own.start();
    drives.run();
  } catch (...) {
    in.is_whole = false;  // MPI refuses, so the others can't be told
    throw;
  }

  const auto& failed = own.why_failed();
  auto time = std::max<std::chrono::nanoseconds>(in.how.silence, patience_after_result);
  if (failed) {
    const bool is_speaker = in.self == 0 || (failed->at == 0 && in.self == 1);
    time = is_speaker ? patience : 2 * patience;
  }
  in.is_whole = close_run(in, transport, drives.summary(), clock::now() + time);
  if (failed) throw_failure(in, *failed);
}

class no_work final : public detail::shared_work {
 public:
  [[nodiscard]] bool is_empty() const override { return true; }
  std::uint64_t process(std::uint64_t) override { return 0; }
  [[nodiscard]] bool split_to(bytes&) override { return false; }
  void write_to(bytes&) const override {}
  void merge(std::span<const std::byte>) override {}
  [[nodiscard]] std::int64_t bound() const override { return INT64_MIN; }
  void raise_bound(std::int64_t) override {}
  std::uint64_t process_until(detail::work_clock::time_point) override { return 0; }
  [[nodiscard]] future<std::uint64_t> begin_round(pool& on,
                                                  detail::work_clock::time_point) override {
    return on.submit([] { return std::uint64_t{0}; });
  }
  void end_round() override {}
};

void require_whole(const context::impl& in) {
  if (!in.is_whole) throw usage_error("a cluster whose ranks have failed can't run anything more");
}

}  // namespace

void detail::run_work(context& in, const std::string& name, const char* type, shared_work& work,
                      const std::function<void()>& fill) {
  auto& own = in.internals();
  require_whole(own);
  std::exception_ptr why;
  std::optional<std::string> refusal;
  if (own.self == 0) {
    try {
      fill_or_resume(own, name, work, fill);
    } catch (...) {
      why = std::current_exception();
      refusal = current_text();
    }
  }
  try {
    run_node(own, name, type, work, refusal);
  } catch (const rank_failure&) {
    if (why) std::rethrow_exception(why);
    throw;
  }
  if (own.self == 0 && !own.how.checkpoint.empty()) std::remove(journal_path(own).c_str());
}

void context::refuse(const std::string& reason) {
  require_whole(*impl_);
  no_work nothing;
  run_node(*impl_, "", "", nothing, reason);
  throw rank_failure(rank(), impl_->blame(rank(), reason));
}

}  // namespace heist::inline v0::cluster
