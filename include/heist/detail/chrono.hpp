// Durations, points of time and the clocks of <chrono>, without the calendar and the streams that
// libstdc++'s <chrono> brings along, a tenth of the time to read <heist/heist.hpp>. A program that
// wants those includes <chrono> itself.
#pragma once

#if __has_include(<bits/chrono.h>)
#include <bits/chrono.h>
#else
#include <chrono>
#endif
