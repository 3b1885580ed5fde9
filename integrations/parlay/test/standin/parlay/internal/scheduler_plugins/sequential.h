// Must be left out, by its include guard.
#ifndef PARLAY_INTERNAL_SCHEDULER_PLUGINS_SEQUENTIAL_H_
#error "the sequential plugin was taken, not heist's"
#endif
