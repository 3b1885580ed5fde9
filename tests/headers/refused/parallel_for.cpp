#include "heist/parallel_for.hpp"

void run(INTEGER last) {
  heist::parallel_for(INTEGER{0}, last, [](INTEGER) {});
}
