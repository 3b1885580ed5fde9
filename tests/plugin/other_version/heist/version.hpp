#pragma once

// Another version of heist, for the copy that other_version.cpp is.
#define HEIST_VERSION_STRING "9.8.7"
