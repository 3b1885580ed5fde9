// HEIST_API: what a program links against. The shared library is built with hidden visibility, so
// that everything else stays free to change.
#pragma once

#define HEIST_API __attribute__((visibility("default")))
