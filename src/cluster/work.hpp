// A node's bag as the protocol sees it.
#pragma once

#include "heist/cluster/detail/work.hpp"
