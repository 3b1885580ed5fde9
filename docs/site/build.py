"""Makes the site: build.py [--check] [FOLDER]. docs/site/README.md says how.

Ends with 0; 1 if a check found something, or the environment refused a module or a file; 2 for wrong usage.
"""

import os
import shutil
import sys
import tempfile

# The modules that are not Python's own, and Debian's packages of them.
NEEDED = {"clang.cindex": "python3-clang-14", "markdown_it": "python3-markdown-it", "pygments": "python3-pygments",
          "jinja2": "python3-jinja2"}
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
USAGE = "usage: scripts/build-site [--check] [FOLDER]"


class Refused(Exception):
    """A sentence for the user, and the exit code."""

    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


def require(modules):
    for module in modules:
        try:
            __import__(module)
        except ImportError:
            raise Refused(f"no Python module {module} for {sys.executable} (Debian: {NEEDED[module]}; scripts/setup site)") from None


def read_headers(root):
    import headers
    try:
        return headers.Reader(root).read(headers.public_headers(root))
    except (headers.Refused, OSError) as error:
        raise Refused(str(error)) from None
    except headers.ci.LibclangError:
        raise Refused("no libclang for Python's clang.cindex (Debian: libclang1-14; scripts/setup site)") from None


def check(root):
    """Names every public name without a comment, and returns the exit code."""
    require(["clang.cindex"])
    import headers
    read = read_headers(root)
    found = list(headers.undocumented(read))
    for line in found:
        print(line)
    count = sum(1 for header in read for _ in headers.walk(header.names))
    if not found:
        print(f"{count} public names in {len(read)} headers; each has a comment, or needs none")
    return 1 if found else 0


MARK = ".made-by-heist-build-site"  # in each folder that this makes, and may remove again


def is_ours(folder):
    return not os.path.lexists(folder) or os.path.isdir(folder) and not os.path.islink(folder) and (
        not os.listdir(folder) or os.path.exists(os.path.join(folder, MARK)))


def build(folder):
    require(NEEDED)
    if not is_ours(folder):
        raise Refused(f"{folder} is there and is not a site: nothing was written", 2)
    import site_pages
    try:
        site = site_pages.Site(ROOT, read_headers(ROOT))
    except ValueError as error:
        raise Refused(str(error)) from None
    aside = None
    try:
        parent, name = os.path.split(os.path.abspath(folder))
        os.makedirs(parent, exist_ok=True)
        aside = tempfile.mkdtemp(prefix=name + ".", dir=parent)
        made = os.path.join(aside, name)
        site.write(made)
        open(os.path.join(made, MARK), "w").close()
        import links
        broken = links.broken(made)
        for line in broken:
            print(line)
        if broken:
            raise Refused(f"{len(broken)} links lead nowhere: {folder} is as it was")
        if os.path.isdir(folder):
            shutil.rmtree(folder)
        os.rename(made, folder)
    except OSError as error:
        raise Refused(f"{error.filename or folder}: {error.strerror}") from None
    finally:
        if aside is not None:
            shutil.rmtree(aside, ignore_errors=True)
    print(f"{len(site.pages)} pages: {os.path.join(folder, 'index.html')}")
    return 0


def main(arguments):
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    options = [a for a in arguments if a.startswith("-")]
    folders = [a for a in arguments if not a.startswith("-")]
    if options in (["--help"], ["-h"]):
        print(f"{USAGE}\n  makes the site in FOLDER, by default build/site; --check: only checks that every public name has a comment")
        return 0
    if any(o != "--check" for o in options):
        raise Refused(f"no option {next(o for o in options if o != '--check')}; {USAGE}", 2)
    if len(folders) > 1 or options and folders:
        raise Refused(f"too many arguments; {USAGE}", 2)
    return check(ROOT) if options else build(folders[0] if folders else os.path.join(ROOT, "build/site"))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Refused as refused:
        print(f"scripts/build-site: {refused}", file=sys.stderr)
        sys.exit(refused.code)
