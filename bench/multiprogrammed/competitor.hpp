// Another program on the machine, and what plain threads get beside it.
#pragma once

#include <sys/types.h>

#include <vector>

namespace heist::bench {

// Processes of our own process group that do nothing but spin, one thread each, while they aren't
// paused. They end with this object, and with the thread that made it.
class competitor {
 public:
  // Paused at first. Throws resource_error when the system refuses a process.
  explicit competitor(unsigned processes);
  ~competitor();
  competitor(const competitor&) = delete;
  competitor& operator=(const competitor&) = delete;

  // In turns, beginning with resume. After pause() none of them runs.
  void resume() const noexcept;
  void pause() const noexcept;

 private:
  std::vector<pid_t> pids_;
};

// PA of the schedulers' theory: the processors that `threads` spinning threads of this process get
// on average over that time. Nothing else may run in this process meanwhile.
[[nodiscard]] double processors_for_spinners(unsigned threads, double seconds);

}  // namespace heist::bench
