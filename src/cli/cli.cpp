#include "cli/cli.hpp"

#include <exception>
#include <new>
#include <string>
#include <variant>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "cli/args/parse.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "workloads/files.hpp"

namespace heist::cli {

namespace {

struct dispatch {
  output& out;
  std::FILE* err;

  int operator()(const text_request& request) const {
    out.print("{}", request.text);
    return success;
  }
  int operator()(const cluster_request& request) const { become_cluster_command(request); }
  int operator()(const tbb_request& request) const { become_tbb_program(request); }
  int operator()(const list_request& request) const { return list(request, out); }
  int operator()(const presets_request& request) const { return list_presets(request, out); }
  int operator()(const explain_request& request) const { return explain(request, out); }
  int operator()(const info_request& request) const { return info(request, out); }
  int operator()(const run_request& request) const { return run(request, out, err); }
  int operator()(const bench_list_request& request) const { return bench_list(request, out); }
  int operator()(const bench_request& request) const { return run_bench(request, out, err); }
  int operator()(const bench_show_request& request) const { return bench_show(request, out); }
  int operator()(const bench_suite_request& request) const {
    return run_bench_suite(request, out, err);
  }
  int operator()(const side_request& request) const { return serve_side(request, stdin, stdout); }
  int operator()(const sim_request& request) const { return simulate(request, out, err); }
  int operator()(const theory_request& request) const { return theory(request, out, err); }
  int operator()(const lab_request& request) const { return std::visit(*this, request); }
  int operator()(const calibrate_request& request) const { return calibrate(request, out, err); }
  int operator()(const report_request& request) const { return report_trace(request, out); }
  int operator()(const top_request& request) const { return top(request, out); }
  int operator()(const forecast_request& request) const { return forecast(request, out, err); }
};

// Makes one line of any message: file names may contain line ends.
void complain(std::FILE* err, std::string message) {
  for (char& c : message)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  std::fputs(("heist: " + message + '\n').c_str(), err);
  std::fflush(err);
}

}  // namespace

int run_cli(int argc, const char* const* argv, std::FILE* out, std::FILE* err) noexcept try {
  try {
    output to(out);
    const int code = std::visit(dispatch{to, err}, parse(argc, argv));
    to.flush();
    return code;
  } catch (const workloads::closed_pipe&) {
    return reader_gone;
  } catch (const usage_error& error) {
    complain(err, error.what());
    return wrong_usage;
  } catch (const std::bad_alloc&) {
    complain(err, "the system has no more memory");
  } catch (const std::exception& error) {
    complain(err, error.what());
  }
  return environment_refused;
} catch (...) {
  return environment_refused;  // there is no memory even for the message
}

}  // namespace heist::cli
