// Prints the state of every pool and ends the process if no node has been visited for some time.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

namespace heist_soak {

class watchdog {
 public:
  // `what()` is called on the watchdog's thread and printed first: it says how to repeat the run.
  watchdog(std::chrono::seconds patience, std::function<std::string()> what);
  ~watchdog();
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

 private:
  void watch() const;

  const unsigned most_ticks_;
  const std::function<std::string()> what_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace heist_soak
