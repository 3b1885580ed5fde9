"""Holds the packages of other systems against the tree: packaging.py TREE VERSION FOLDER

Each must have the version of CMakeLists.txt. The files that Conan's recipe takes are copied to FOLDER, where
the library must then configure. Conan itself isn't needed: its recipe is read as Python, not run.
"""
import ast
import glob
import json
import os
import re
import shutil
import sys


def versions(tree):
    """(file, the version that it says)"""
    def read(path):
        with open(os.path.join(tree, path), encoding="utf-8") as file:
            return file.read()

    changelog = re.match(r"heist \(([^)]+)\)", read("debian/changelog"))
    yield "debian/changelog", changelog and changelog[1]
    port = "packaging/vcpkg/ports/heist/vcpkg.json"
    yield port, json.loads(read(port)).get("version-semver")
    recipe = read("packaging/conan/conanfile.py")
    pattern = re.search(r're\.search\(r"([^"]+)", text, re\.MULTILINE\)', recipe)
    found = pattern and re.search(pattern[1], read("CMakeLists.txt"), re.MULTILINE)
    yield "packaging/conan/conanfile.py", found and found[1]
    headings = re.search(r"^## (\d+\.\d+\.\d+)", read("CHANGELOG.md"), re.MULTILINE)
    yield "CHANGELOG.md", headings and headings[1]


def sources_of_recipe(tree):
    with open(os.path.join(tree, "packaging/conan/conanfile.py"), encoding="utf-8") as file:
        module = ast.parse(file.read())
    with open(os.path.join(tree, "packaging/conan/test_package/conanfile.py"), encoding="utf-8") as file:
        ast.parse(file.read())
    return next(ast.literal_eval(node.value) for node in module.body
                if isinstance(node, ast.Assign) and node.targets[0].id == "SOURCES")


def copy_sources(tree, patterns, to):
    for pattern in patterns:
        found = glob.glob(os.path.join(tree, pattern))
        if not found:
            yield f"packaging/conan/conanfile.py: no file is like {pattern}"
        for path in found:
            target = os.path.join(to, os.path.relpath(path, tree))
            if os.path.isdir(path):
                shutil.copytree(path, target, dirs_exist_ok=True)
            else:
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copy(path, target)


def main(tree, version, folder):
    complaints = [f"{path}: version {found}, but CMakeLists.txt says {version}"
                  for path, found in versions(tree) if found != version]
    # v0 is that of 0.1; a later minor version has its number in it (docs/versioning.md).
    major, minor, _ = version.split(".")
    namespace = "v0" if (major, minor) == ("0", "1") else f"v{major}_{minor}"
    with open(os.path.join(tree, "include/heist/pool.hpp"), encoding="utf-8") as file:
        if f"namespace heist::inline {namespace} {{" not in file.read():
            complaints.append(f"include/heist: the inline namespace of {version} is {namespace}")
    shutil.rmtree(folder, ignore_errors=True)
    complaints += copy_sources(tree, sources_of_recipe(tree), folder)
    print("\n".join(complaints) or f"all packages are of {version}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
