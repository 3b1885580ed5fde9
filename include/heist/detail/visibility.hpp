// HEIST_API marks what a program links against. The shared library is built with hidden visibility,
// so that everything else may change.
#pragma once

#define HEIST_API __attribute__((visibility("default")))
