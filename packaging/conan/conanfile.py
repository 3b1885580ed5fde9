"""heist as a recipe of Conan 2: `conan create packaging/conan` from heist's tree.

The recipe takes its version and its sources from the tree that it lies in.
"""
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

# What the library is built from; the rest of the tree is tests, measurements and the command.
SOURCES = ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md",
           "cmake/*", "docs/*", "include/*", "src/*", "scripts/heist-gdb.py")


class HeistConan(ConanFile):
    name = "heist"
    license = "MIT"
    description = "A work-stealing runtime for C++20"
    topics = ("work-stealing", "fork-join", "parallelism", "fibers")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]

    @property
    def _tree(self):
        return os.path.normpath(os.path.join(self.recipe_folder, "..", ".."))

    def set_version(self):
        text = load(self, os.path.join(self._tree, "CMakeLists.txt"))
        self.version = re.search(r"^ *VERSION (\d+\.\d+\.\d+)$", text, re.MULTILINE)[1]

    def export_sources(self):
        for pattern in SOURCES:
            copy(self, pattern, self._tree, self.export_sources_folder)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("heist runs on Linux only")
        if self.settings.arch not in ("x86_64", "armv8"):
            raise ConanInvalidConfiguration("heist runs on x86-64 and AArch64 only")
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["HEIST_LIBRARY_ONLY"] = True
        toolchain.cache_variables["HEIST_BUILD_SHARED"] = bool(self.options.shared)
        toolchain.cache_variables["HEIST_SHARED"] = bool(self.options.shared)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        rmdir(self, os.path.join(self.package_folder, "share", "doc"))

    def package_info(self):
        # heist's own package files say which of its libraries is heist::heist.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append(os.path.join("lib", "cmake", "heist"))
        self.cpp_info.system_libs = ["pthread", "dl"]
        if self.options.shared:
            self.cpp_info.libs = ["heist"]
            self.cpp_info.defines = ["HEIST_SHARED"]
        else:
            self.cpp_info.libs = [":libheist.a"]
        self.cpp_info.set_property("pkg_config_name", "heist-shared" if self.options.shared else "heist")
