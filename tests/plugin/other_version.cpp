// A plugin that holds another version of heist, as far as other copies can see.
#include "../../src/platform/copies.cpp"

extern "C" void plugin_makes_pool() { heist::platform::note_default_pool(7); }
