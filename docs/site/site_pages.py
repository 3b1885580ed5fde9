"""The site: which pages it has, where a file of the project is on it, and its files written to a folder."""

import glob
import json
import os
import re
import shutil

import jinja2

import benchmarks
import contents
import landing
import prose
import reference
from page import Page

HERE = os.path.dirname(os.path.abspath(__file__))
DARK = re.compile(r"@media \(prefers-color-scheme: dark\) \{\n(.*?)\n\}\n", re.DOTALL)


class Site:
    def __init__(self, root, headers):
        self.root, self.headers = root, headers
        self.pictures = {}  # of the project -> of the site
        self.addresses = self.places()
        self.titles = {source: title for _, part in contents.DOCUMENTS for source, title in part}
        self.names = reference.names(headers)
        self.prose = prose.Prose(self)
        self.pages = [landing.page(self)]
        self.pages += [self.document(source) for source in self.documents]
        self.pages += benchmarks.pages(self) + reference.pages(self) + [self.examples()]

    def places(self):
        """The address of each file of the project that has a page, or a place on one."""
        listed = [source for _, part in contents.DOCUMENTS for source, _ in part if os.path.isfile(self.path(source))]
        in_folders = [os.path.relpath(p, self.root) for folder in contents.FOLDERS for p in sorted(glob.glob(self.path(folder + "/*.md")))]
        self.documents = list(dict.fromkeys(listed + in_folders))
        places = {source: self.page_of(source) for source in self.documents}
        places.update({"README.md": "index.html", "docs/results": "results/index.html", "docs": "index.html", "bench": "bench/index.html",
                       "docs/adr": "architecture.html", "bench/results": "benchmarks.html", "include/heist": "reference/index.html",
                       "examples": "examples.html"})
        for source in self.documents:
            if source.endswith("/README.md"):
                places.setdefault(os.path.dirname(source), self.page_of(source))
        for name in benchmarks.files(self.root):
            places[f"bench/results/{name}"] = f"benchmarks.html#{benchmarks.anchor(name)}"
        for header in self.headers:
            places[f"include/{header.path}"] = reference.address(header)
        for example in self.example_files():
            places[f"examples/{example}"] = f"examples.html#{example[:-4]}"
        return places

    @staticmethod
    def page_of(source):
        return re.sub(r"readme$", "index", source.removeprefix("docs/").removesuffix(".md").lower()) + ".html"

    def path(self, source):
        return os.path.join(self.root, source)

    def read(self, source):
        with open(self.path(source), encoding="utf-8") as file:
            return file.read()

    def where(self, source):
        return self.addresses.get(source)

    def name(self, code):
        """Where the reference has what a piece of code in a sentence names, or None."""
        if header := re.fullmatch(r"<(heist/[\w/]+\.hpp)>", code):
            return self.where("include/" + header[1])
        if re.fullmatch(r"(heist::)?[\w:]+(\(\))?", code):
            return self.names.get(code.removesuffix("()").removeprefix("heist::"))
        return None

    def picture(self, source):
        """The classes and addresses of a picture. A drawing that has colours for dark pages is there in both."""
        at = "pictures/" + os.path.basename(source) if source.startswith("docs/pictures/") else source.removeprefix("docs/")
        self.pictures[source] = at
        if source.endswith(".svg") and DARK.search(self.read(source)):
            return [("light-only", at), ("dark-only", at[:-4] + ".dark.svg")]
        return [("on-white", at)]

    def document(self, source):
        made = self.prose.render(self.read(source), source, self.page_of(source))
        return Page(self.page_of(source), made.title, made.html, made.sections, source)

    def example_files(self):
        return sorted(os.path.basename(p) for p in glob.glob(self.path("examples/*.cpp")))

    def examples(self):
        parts = ["# Examples\n\nWhole programs of under 100 lines. The folder `examples` has them; the tests run them.\n"]
        for name in self.example_files():
            parts.append(f"## {name[:-4]}\n\n```cpp\n{self.read('examples/' + name)}```\n")
        made = self.prose.render("\n".join(parts), "examples/README.md", "examples.html")
        return Page("examples.html", "Examples", made.html, made.sections, "examples")

    def menu(self):
        """(title of the part, [(address, title)])"""
        parts = [[title, [(self.where(s), name) for s, name in part if s in self.documents]] for title, part in contents.DOCUMENTS]
        parts[0][1].insert(1, ("examples.html", "Examples"))
        next(p for t, p in parts if t == "Measurements").insert(0, ("benchmarks.html", "Benchmarks"))
        parts.insert(1, ["Reference", [("reference/index.html", "All headers")]])
        return parts

    def entries(self):
        """What search finds: [kind, title, page's title, address, words]. The kind is n for a public name, s for a section."""
        found = []
        for page in self.pages:
            is_header = page.source.startswith("include/heist/")  # its names come from the reference
            for section in page.sections[:1] if is_header else page.sections:
                words = " ".join(" ".join(section.words).split())
                address = page.path + (f"#{section.anchor}" if section.anchor else "")
                if section.title:
                    found.append(["s", section.title, page.title, address, words])
        return found + reference.entries(self.headers)

    def write(self, folder):
        environment = jinja2.Environment(loader=jinja2.FileSystemLoader(os.path.join(HERE, "templates")), autoescape=True,
                                         undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
        for page in self.pages:
            text = environment.get_template("page.html").render(
                page=page, menu=self.menu(), to=lambda address, here=page.path: prose.relative(address, here) or os.path.basename(here))
            self.put(folder, page.path, text)
        for name in ("site.css", "site.js"):
            self.put(folder, name, self.read("docs/site/" + name))
        entries = json.dumps(self.entries(), ensure_ascii=False, separators=(",", ":"))
        synonyms = json.dumps(json.loads(self.read("docs/site/synonyms.json")), separators=(",", ":"))
        self.put(folder, "search-index.js", f"window.heistIndex = {entries};\nwindow.heistSynonyms = {synonyms};\n")
        for source, at in self.pictures.items():
            self.put_picture(folder, source, at)

    def put(self, folder, at, text):
        path = os.path.join(folder, at)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def put_picture(self, folder, source, at):
        if source.endswith(".svg") and DARK.search(text := self.read(source)):
            self.put(folder, at, DARK.sub("", text))
            self.put(folder, at[:-4] + ".dark.svg", DARK.sub(lambda m: m[1] + "\n", text))
            return
        os.makedirs(os.path.dirname(os.path.join(folder, at)), exist_ok=True)
        shutil.copyfile(self.path(source), os.path.join(folder, at))
