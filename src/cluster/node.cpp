#include "cluster/node.hpp"

namespace heist::inline v0::cluster {

template class basic_node<whole_protocol>;

}  // namespace heist::inline v0::cluster
