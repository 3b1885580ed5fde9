#include "heist/cancellation.hpp"
#include "heist/parallel_for.hpp"

void run(INTEGER last) {
  heist::parallel_for(heist::deadline(std::chrono::seconds(1)), 0, last, [](auto) {});
}
