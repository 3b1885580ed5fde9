"""Loads libheist.so and plugins that use it into Python: load.py LIBRARY PLUGIN..."""

import ctypes
import sys

library, *plugins = sys.argv[1:]
ctypes.CDLL(library)
for path in plugins:
    plugin = ctypes.CDLL(path)
    plugin.plugin_fib.restype = ctypes.c_long
    assert plugin.plugin_fib(20) == 6765, path
    assert plugin.plugin_all() == 0, path
print("loaded", library, "and", len(plugins), "plugins")
