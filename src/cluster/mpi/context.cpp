#include <algorithm>
#include <array>
#include <cstring>
#include <thread>

#include <sched.h>
#include <unistd.h>

#include "cluster/mpi/context_impl.hpp"
#include "cluster/mpi/transport.hpp"
#include "heist/cluster/mpi.hpp"
#include "platform/cpu_count.hpp"

namespace heist::inline v0::cluster {

// ---- MPI ----

mpi_session::mpi_session() {
  int was_finalised = 0;
  MPI_Finalized(&was_finalised);
  if (was_finalised != 0) throw usage_error("a cluster's context needs MPI, which was finalised");
  int is_initialised = 0;
  MPI_Initialized(&is_initialised);
  int provided = MPI_THREAD_SINGLE;
  if (is_initialised == 0) {
    require_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided),
                "MPI_Init_thread");
    owner_ = owner::heist;
  } else {
    MPI_Query_thread(&provided);
    int is_main = 0;
    MPI_Is_thread_main(&is_main);
    if (provided < MPI_THREAD_MULTIPLE && is_main == 0)
      throw usage_error("a cluster's context must be made by the thread that initialised MPI");
  }
  if (provided < MPI_THREAD_FUNNELED)
    throw usage_error("MPI was initialised without MPI_THREAD_FUNNELED, which a context needs");
}

mpi_session::~mpi_session() {
  if (owner_ != owner::heist) return;
  if (ends_by_abort_) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
}

// ---- What the ranks know of each other ----

namespace {

// What each rank tells the others when its context is made.
struct introduction {
  std::array<char, 64> host{};
  std::uint64_t processors = 0;  // a hash of those that it may use
};

introduction introduce() {
  introduction own;
  if (gethostname(own.host.data(), own.host.size() - 1) != 0)
    std::strcpy(own.host.data(), "unknown");
  own.processors = 0xcbf29ce484222325U;
  for (const int each : platform::affinity_cpus())
    own.processors = (own.processors ^ static_cast<std::uint64_t>(each)) * 0x100000001b3U;
  return own;
}

// How many neighbouring ranks each host has; 1 if that differs or they aren't neighbours. The last
// host may have fewer.
rank ranks_each_host(const std::vector<std::string>& hosts) {
  const auto first_of_next = std::find_if(hosts.begin(), hosts.end(),
                                          [&](const auto& each) { return each != hosts.front(); });
  const auto each_host = static_cast<std::size_t>(first_of_next - hosts.begin());
  for (std::size_t i = 0; i < hosts.size(); ++i)
    if (hosts[i] != hosts[i - i % each_host]) return 1;
  return static_cast<rank>(each_host);
}

void check(const settings& how) {
  if (how.workers > pool_config::max_workers)
    throw usage_error("settings: workers is " + std::to_string(how.workers) + ": at most " +
                      std::to_string(pool_config::max_workers));
  if (how.interval.count() <= 0) throw usage_error("settings: interval must be greater than 0");
  if (how.heartbeat.count() < 0) throw usage_error("settings: heartbeat must not be negative");
  if (how.heartbeat.count() != 0 && how.silence < 2 * how.heartbeat)
    throw usage_error("settings: silence must be at least twice the heartbeat");
  if (how.resume && how.checkpoint.empty())
    throw usage_error("settings: resume needs a folder with a journal: checkpoint");
}

}  // namespace

context::impl::impl(MPI_Comm over, settings how_) : how(std::move(how_)) {
  check(how);
  require_mpi(MPI_Comm_dup(over, &comm), "MPI_Comm_dup");
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  look_around();
  if (workers > 1) {
    pool_config config;
    config.workers = workers;
    own_pool = std::make_unique<pool>(std::move(config));
    workers = own_pool->workers();
  }
}

context::impl::~impl() {
  if (!is_whole)
    mpi.end_by_abort();
  else
    MPI_Comm_free(&comm);
}

void context::impl::look_around() {
  int number = 0, count = 1;
  MPI_Comm_rank(comm, &number);
  MPI_Comm_size(comm, &count);
  self = static_cast<cluster::rank>(number);
  nodes = static_cast<cluster::rank>(count);
  const auto own = introduce();
  std::vector<introduction> all(nodes);
  require_mpi(MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, comm),
              "MPI_Allgather");
  for (auto& each : all) {
    each.host.back() = '\0';
    hosts.emplace_back(each.host.data());
  }
  nodes_each_host = ranks_each_host(hosts);
  workers = how.workers;
  if (workers == 0) {
    const auto sharing = std::count_if(all.begin(), all.end(), [&](const introduction& each) {
      return each.host == own.host && each.processors == own.processors;
    });
    workers = std::max(1U, static_cast<unsigned>(platform::find_cpu_limits().workers / sharing));
  }
}

std::string context::impl::blame(cluster::rank at, const std::string& text) const {
  const auto host = at < nodes ? " (" + hosts[at] + ")" : std::string();
  return "rank " + std::to_string(at) + host + ": " + text;
}

void back_off::wait() {
  if (++polls_ < spins) {
    sched_yield();
    return;
  }
  std::this_thread::sleep_for(sleep_);
  sleep_ = std::min(2 * sleep_, polls_ < polls_until_quiet ? longest_sleep : longest_when_quiet);
}

// ---- The interface ----

context::context(settings how) : impl_(std::make_unique<impl>(MPI_COMM_WORLD, std::move(how))) {}

context::context(std::unique_ptr<impl> made) noexcept : impl_(std::move(made)) {}
context::~context() = default;
context::context(context&&) noexcept = default;
context& context::operator=(context&&) noexcept = default;

unsigned context::rank() const noexcept { return impl_->self; }
unsigned context::size() const noexcept { return impl_->nodes; }
unsigned context::workers() const noexcept { return impl_->workers; }
bool context::is_whole() const noexcept { return impl_->is_whole; }

const std::string& context::host(unsigned rank) const {
  if (rank >= size()) throw usage_error("there is no rank " + std::to_string(rank));
  return impl_->hosts[rank];
}

const std::vector<rank_summary>& context::summaries() const noexcept { return impl_->summaries; }

context make_context(MPI_Comm over, settings how) {
  int is_initialised = 0;
  MPI_Initialized(&is_initialised);
  if (is_initialised == 0) throw usage_error("make_context: MPI isn't initialised");
  return context(std::make_unique<context::impl>(over, std::move(how)));
}

}  // namespace heist::inline v0::cluster
