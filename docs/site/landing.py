"""The first page, made of the README's parts, so that there is one place where each figure is written."""

import re

from page import Page


def find(pattern, text, what):
    """The first match; the README must have what the first page is made of."""
    found = re.search(pattern, text, re.DOTALL | re.MULTILINE)
    if not found:
        raise ValueError(f"README.md has no {what}, of which the site's first page is made")
    return found


def part(text, title):
    return find(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, f"part '{title}'")[1].strip() + "\n"


def page(site):
    readme = site.read("README.md")
    about = find(r"^# heist\n+(.*?)\n\n", readme, "first paragraph")[1]
    demo = find(r"^```sh\n.*?^```\n", readme, "commands of scripts")[0]
    example = part(readme, "What it looks like")
    program = find(r"^```cpp\n.*?^```\n\n.*?(?=\n\n|\n\Z)", example, "first program")[0]
    install = find(r"^- \*\*Install\*\*: (.*?)\n- ", readme, "entry 'Install'")[1] + "\n"
    text = f"""# heist

{about}

## A first program

{program}

[The guide](docs/guide.md) goes on from here. [Coming from oneTBB, OpenMP, Cilk or
others](docs/coming-from.md) lists what you used beside what replaces it.

## What it costs

{part(readme, "What it costs")}
[All tables](bench/results), each with its machine and command, and [the papers' figures
repeated](docs/results/README.md).

## Install

{demo}
{install}
## Limits

{part(readme, "Limits")}"""
    made = site.prose.render(text, "README.md", "index.html")
    made.html = re.sub(r"<h1.*?</h1>\n<p>(.*?)</p>", rf'<h1 id="heist">heist</h1>\n<p class="lead">\1</p>\n{DOORS}', made.html, 1, re.DOTALL)
    return Page("index.html", "heist", made.html, made.sections, "README.md")


DOORS = """<p class="doors"><a class="door" href="guide.html">Guide</a>
<a class="door" href="coming-from.html#onetbb">From oneTBB</a>
<a class="door" href="coming-from.html#openmp">From OpenMP</a>
<a class="door" href="coming-from.html#stdasync-and-thread-pools-of-ones-own">From a thread pool</a>
<a class="door" href="coming-from.html">From others</a>
<a class="door" href="reference/index.html">Reference</a>
<a class="door" href="benchmarks.html">Benchmarks</a></p>"""
