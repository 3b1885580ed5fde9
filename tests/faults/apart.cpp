#include "tests/faults/apart.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>

namespace heist_test {

void report::fail(const char* format, ...) noexcept {
  if (has_failed_.exchange(true)) return;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(message_, sizeof message_, format, arguments);
  va_end(arguments);
  is_told_ = true;
}

std::string wait_for_end(pid_t process, std::chrono::seconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  for (unsigned i = 0;; ++i) {
    int status = 0;
    const pid_t ended = ::waitpid(process, &status, WNOHANG);
    if (ended == process && WIFEXITED(status)) return "exit " + std::to_string(WEXITSTATUS(status));
    if (ended == process && WIFSIGNALED(status))
      return "signal " + std::to_string(WTERMSIG(status));
    if (ended < 0) return "no such process";
    if (std::chrono::steady_clock::now() > until) {
      if (std::getenv("HEIST_FAULTS_KEEP") != nullptr)
        return "hang, process " + std::to_string(process);
      ::kill(process, SIGKILL);
      ::waitpid(process, &status, 0);
      return "hang";
    }
    std::this_thread::sleep_for(std::chrono::microseconds(i < 100 ? 200 : 2000));
  }
}

std::string run_apart(const std::function<void(report&)>& body, std::chrono::seconds limit,
                      long* count) {
  void* const shared =
      ::mmap(nullptr, sizeof(report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return "no memory to share with a child";
  auto* const told = ::new (shared) report;
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    body(*told);
    ::_exit(told->has_failed() ? 1 : 0);
  }
  std::string result = child < 0 ? "no child" : wait_for_end(child, limit);
  if (result == "exit 0") {
    result.clear();
  } else {
    result += " at step " + std::to_string(told->step_.load());
    if (told->refused_ >= 0)
      result += ", after system call " + std::to_string(told->refused_.load());
    if (told->is_told_) result += std::string(": ") + told->message_;
  }
  if (count != nullptr) *count = told->count_;
  ::munmap(shared, sizeof(report));
  return result;
}

ending run_to_its_end(const std::function<void()>& body, std::chrono::seconds limit) {
  std::array<int, 2> errors{};
  if (::pipe(errors.data()) != 0) return {"no pipe", {}};
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(errors[1], STDERR_FILENO);
    ::close(errors[0]);
    ::close(errors[1]);
    body();
    ::_exit(99);  // it should not have returned
  }
  ::close(errors[1]);
  ending result{wait_for_end(child, limit), {}};
  std::array<char, 1024> block;
  for (ssize_t n = 0; (n = ::read(errors[0], block.data(), block.size())) > 0;)
    result.errors.append(block.data(), static_cast<std::size_t>(n));
  ::close(errors[0]);
  return result;
}

}  // namespace heist_test
