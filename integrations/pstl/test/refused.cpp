// Is refused: with LATE because libstdc++'s own backend was included first, else where the compiler
// is set to an older standard.
#ifdef LATE
#include <pstl/pstl_config.h>

#include <pstl/parallel_backend.h>
#endif

#include <execution>
