// Another program on the machine, and the processor time that plain threads get beside it.
#pragma once

#include <sys/types.h>

#include <vector>

namespace heist::bench {

// Processes of this process group with one thread each, which spin unless they are paused. They end
// with this object, and with the thread that made it.
class competitor {
 public:
  // The processes start paused. Throws resource_error if the system refuses a process.
  explicit competitor(unsigned processes);
  ~competitor();
  competitor(const competitor&) = delete;
  competitor& operator=(const competitor&) = delete;

  // Call these alternately, beginning with resume. After pause() none of the processes runs.
  void resume() const noexcept;
  void pause() const noexcept;

 private:
  std::vector<pid_t> pids_;
};

// The PA of scheduling theory: the average number of processors that `threads` spinning threads of
// this process get during that time. Nothing else may run in this process meanwhile.
[[nodiscard]] double processors_for_spinners(unsigned threads, double seconds);

}  // namespace heist::bench
