// Stands for NVIDIA's header of this name where that isn't installed.
#pragma once

#include "stdexec/algorithms.hpp"
#include "stdexec/protocol.hpp"
#include "stdexec/transfers.hpp"
#include "stdexec/when_all.hpp"
