// Everything that heist offers.
#pragma once

#include "heist/config.hpp"
#include "heist/error.hpp"
#include "heist/fork_join.hpp"
#include "heist/future.hpp"
#include "heist/pool.hpp"
#include "heist/scope.hpp"
#include "heist/stats.hpp"
#include "heist/version.hpp"
