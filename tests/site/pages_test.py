"""The site's pages in a headless Chromium: pages_test.py TREE [--keep FOLDER].

With a FOLDER the site and pictures of some pages stay there. Ends with 77, skipped, where the browser or a module is missing.
"""

import argparse
import html
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../page"))
import browser  # noqa: E402

TREE, SITE, PICTURES, WINDOW = None, None, None, None
SAMPLE = ("index.html", "guide.html", "coming-from.html", "lab.html", "benchmarks.html", "results/programs.html", "reference/index.html",
          "reference/pool.html", "reference/deque/split_control.html", "adr/0001-jobs-in-the-fibers-slots.html")

# What has less contrast with its ground than WCAG 2.1 AA asks for (4.5), of the text that is drawn.
CONTRAST = """(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const cache = new Map();
  const colourOf = (c) => { if (!cache.has(c)) cache.set(c, rgba(c)); return cache.get(c); };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => { for (; e; e = e.parentElement) { const c = colourOf(getComputedStyle(e).backgroundColor); if (c[3] === 255) return c; } return [255, 255, 255]; };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set(), faint = [];
  let count = 0;
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || seen.has(e) || !e.checkVisibility()) continue;
    seen.add(e);
    ++count;
    const [a, b] = [light(colourOf(getComputedStyle(e).color)), light(ground(e))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) faint.push(`${ratio.toFixed(2)} <${e.tagName.toLowerCase()} class="${e.className}"> ${texts.currentNode.data.trim().slice(0, 40)}`);
  }
  return { count, faint };
})()"""

KEYS = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38}


def setUpModule():
    global WINDOW
    WINDOW = browser.Browser(browser.find())


def tearDownModule():
    WINDOW.close()


def press(key):
    values = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS.get(key, 0)}
    text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
    WINDOW.call("Input.dispatchKeyEvent", type="keyDown", **values, **({"text": text} if text else {}))
    WINDOW.call("Input.dispatchKeyEvent", type="keyUp", **values)
    WINDOW.settle()


def size(width, height=900):
    WINDOW.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)


def eventually(expression):
    return WINDOW.value(f"""new Promise((done) => {{
      const until = performance.now() + 10000;
      const look = () => {{ const v = {expression}; if (v || performance.now() > until) done(v); else setTimeout(look, 10); }};
      look();
    }})""")


class Links(unittest.TestCase):
    def setUp(self):
        sys.path.insert(0, os.path.join(TREE, "docs/site"))
        import links
        self.links = links

    def test_every_link_and_anchor_is_there(self):
        self.assertEqual(self.links.broken(SITE), [])
        count = sum(len(page.links) for page in self.links.read(SITE).values())
        self.assertGreater(count, 5000)

    def test_planted_faults_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "a.html"), "w", encoding="utf-8") as file:
                file.write('<p id="x"><p id="x"><a href="b.html">b</a><a href="#y">y</a><a href="a.html#x">x</a><img src="https://a.example/b.png">')
            found = self.links.broken(folder)
        self.assertEqual(len(found), 4, found)

    def test_comments_of_the_documents_do_not_show(self):
        for at, _, names in os.walk(SITE):
            for name in (n for n in names if n.endswith(".html")):
                with open(os.path.join(at, name), encoding="utf-8") as file:
                    text = file.read()
                self.assertNotIn("<!-- given", text, name)
                self.assertNotIn("&lt;!-- given", text, name)


class Contents(unittest.TestCase):
    """What stands on the pages, as their text has it."""

    def read(self, *parts):
        with open(os.path.join(SITE, *parts), encoding="utf-8") as file:
            return file.read()

    def test_what_stands_as_code_in_the_reference_is_code(self):
        code = re.compile(r'<pre class="code"><code>(?!<span class="signature")(.*?)</code></pre>', re.DOTALL)
        is_code = re.compile(r"[;{}]\s*(//.*)?$|\.\.\|", re.MULTILINE)  # or the drawing of a deque
        seen = 0
        for at, _, names in os.walk(os.path.join(SITE, "reference")):
            for name in names:
                for block in code.findall(self.read(at, name)):
                    text = html.unescape(re.sub(r"<[^>]*>", "", block))
                    seen += 1
                    self.assertRegex(text, is_code, f"{name}: a sentence as code")
        self.assertGreater(seen, 30)

    def test_a_contract_is_in_whole_sentences(self):
        text = re.sub(r"<[^>]*>", "", self.read("reference", "parallel_for.html"))
        self.assertIn("the same for first, first + by, first + 2 by and so on, as far as they lie before last: below it, or above it if by is negative.", text)
        self.assertRegex(self.read("reference", "deque", "abp.html"), r"<dt>I1</dt><dd>The items are those at")

    def test_a_first_program_is_two_clicks_away_for_each_kind_of_user(self):
        first = self.read("index.html")
        self.assertIn("heist::", first)
        text = self.read("coming-from.html")
        for anchor in ("onetbb", "openmp", "stdasync-and-thread-pools-of-ones-own"):
            self.assertIn(f'href="coming-from.html#{anchor}"', first)
            section = text.split(f'id="{anchor}"')[1].split("<h2")[0]
            self.assertIn('<pre class="code">', section, anchor)

    def test_benchmarks_are_tables_with_machine_command_and_misses(self):
        text = self.read("benchmarks.html")
        self.assertNotIn("not built", text)
        self.assertNotIn('class="code report"', text)
        self.assertGreater(text.count('<span class="measure"'), 300)
        self.assertIn('<p class="target missed">', text)
        for _, section in enumerate(text.split("<h2 ")[1:]):
            self.assertRegex(section, "Machine: .*Command: ", section[:60])


class Pages(unittest.TestCase):
    def open(self, page, scheme="light"):
        WINDOW.prefer(scheme)
        WINDOW.open(os.path.join(SITE, page))
        WINDOW.settle()
        self.assertEqual(WINDOW.complaints, [], page)

    def setUp(self):
        size(1280)
        self.open("index.html")
        WINDOW.value("localStorage.clear()")

    def picture(self, name):
        if PICTURES:
            WINDOW.picture(os.path.join(PICTURES, name + ".png"), whole=False)

    def test_text_has_contrast_in_both_schemes(self):
        for scheme in ("light", "dark"):
            for page in SAMPLE:
                self.open(page, scheme)
                found = WINDOW.value(CONTRAST)
                self.assertGreater(found["count"], 20, page)
                self.assertEqual(found["faint"], [], f"{page}, {scheme}")
                self.picture(f"{page.replace('/', '-')[:-5]}-{scheme}")

    def test_faint_text_would_be_found(self):
        WINDOW.value("document.querySelector('main p').style.color = '#aaaaaa'")
        self.assertEqual(len(WINDOW.value(CONTRAST)["faint"]), 1)

    def test_nothing_is_wider_than_a_narrow_screen(self):
        size(360, 780)
        for page in SAMPLE:
            self.open(page)
            self.assertLessEqual(WINDOW.value("document.documentElement.scrollWidth"), 360, page)
            self.picture(f"{page.replace('/', '-')[:-5]}-360")
        WINDOW.value("document.querySelector('#menu > summary').click()")
        self.assertTrue(WINDOW.value("document.querySelector('#menu a').checkVisibility()"))
        self.assertLessEqual(WINDOW.value("document.documentElement.scrollWidth"), 360)

    def test_search_is_used_by_the_keyboard_alone(self):
        self.open("guide.html")
        press("/")
        self.assertTrue(WINDOW.value("document.getElementById('search').open"))
        self.assertEqual(WINDOW.value("document.activeElement.id"), "search-words")
        WINDOW.call("Input.insertText", text="parallel_for")
        first = eventually("document.querySelector('#search-found [aria-selected=true] a')?.getAttribute('href')")
        self.assertEqual(first, "reference/parallel_for.html#parallel_for")
        self.picture("search")
        self.assertEqual(WINDOW.value(CONTRAST)["faint"], [])
        chosen = "[...document.querySelectorAll('#search-found li')].findIndex((e) => e.getAttribute('aria-selected') === 'true')"
        for key, there in (("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("ArrowUp", 0)):
            press(key)
            self.assertEqual(WINDOW.value(chosen), there)
        press("Escape")
        self.assertFalse(WINDOW.value("document.getElementById('search').open"))
        press("/")
        press("Enter")
        self.assertTrue(eventually("location.pathname.endsWith('/reference/parallel_for.html') && location.hash === '#parallel_for'"))

    def test_search_finds_words_of_documents_and_says_when_nothing_is_found(self):
        self.open("reference/pool.html")
        WINDOW.value("document.getElementById('search-open').click()")
        WINDOW.call("Input.insertText", text="published deque")
        self.assertTrue(eventually("[...document.querySelectorAll('#search-found a')].some((a) => a.getAttribute('href').startsWith('../published-deque-bugs.html'))"))
        WINDOW.call("Input.insertText", text=" zzqx")
        self.assertIn("Nothing has all of these words", eventually("document.getElementById('search-status').textContent"))
        press("Enter")  # opens nothing
        self.assertTrue(WINDOW.value("location.pathname.endsWith('/reference/pool.html')"))

    def test_search_knows_what_things_are_called_elsewhere(self):
        wanted = {"timeout": "cookbook.html#a-loop-with-a-time-limit", "grain size": "guide.html#loops", "FetchContent": "adopting.html#in-a-cmake-project",
                  "nested": "cookbook.html#nested-loops", "task_arena": "guide.html#pools-and-configuration",
                  "thread pool": "coming-from.html#stdasync-and-thread-pools-of-ones-own", "coroutine": "coming-from.html#coroutines",
                  "tbb": "coming-from.html#onetbb", "parallel for": "reference/parallel_for.html#parallel_for"}
        self.open("index.html")
        WINDOW.value("document.getElementById('search-open').click()")
        eventually("window.heistIndex")
        for words, address in wanted.items():
            WINDOW.value(f"(() => {{ const box = document.getElementById('search-words'); box.value = {words!r}; box.dispatchEvent(new Event('input')); }})()")
            self.assertEqual(WINDOW.value("document.querySelector('#search-found a')?.getAttribute('href')"), address, words)

    def test_the_choice_of_colours_is_kept(self):
        ground = "getComputedStyle(document.body).backgroundColor"
        light = WINDOW.value(ground)
        WINDOW.value("document.getElementById('theme').click()")
        dark = WINDOW.value(ground)
        self.assertNotEqual(light, dark)
        self.assertEqual(WINDOW.value("document.getElementById('theme').textContent"), "Light")
        self.open("lab.html")
        self.assertEqual(WINDOW.value(ground), dark)
        self.assertFalse(WINDOW.value("document.querySelector('.light-only').checkVisibility()"))
        self.assertTrue(WINDOW.value("document.querySelector('.dark-only').checkVisibility()"))
        WINDOW.value("document.getElementById('theme').click()")
        self.open("guide.html", "dark")
        self.assertEqual(WINDOW.value(ground), light)

    def test_tab_reaches_the_content_first_and_the_focus_is_seen(self):
        press("Tab")
        self.assertEqual(WINDOW.value("document.activeElement.className"), "skip")
        self.assertGreaterEqual(WINDOW.value("document.activeElement.getBoundingClientRect().top"), 0)
        press("Enter")
        self.assertEqual(WINDOW.value("document.activeElement.id"), "content")
        press("Tab")
        self.assertTrue(WINDOW.value("document.getElementById('content').contains(document.activeElement)"))
        self.assertNotIn(WINDOW.value("getComputedStyle(document.activeElement).outlineStyle"), ("none", ""))

    def test_pictures_are_there(self):
        for page in ("lab.html", "results/programs.html"):
            self.open(page)
            WINDOW.value("document.querySelectorAll('main img').forEach((i) => { i.loading = 'eager'; })")
            shown = "[...document.querySelectorAll('main img')].filter((i) => i.checkVisibility())"
            self.assertGreater(WINDOW.value(f"{shown}.length"), 5)
            self.assertTrue(eventually(f"{shown}.every((i) => i.complete)"))
            self.assertEqual(WINDOW.value(f"{shown}.filter((i) => i.naturalWidth === 0).map((i) => i.src)"), [])


class BadInput(unittest.TestCase):
    def refused(self, *arguments):
        done = subprocess.run([os.path.join(TREE, "scripts/build-site"), *arguments], capture_output=True, text=True, check=False)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done.returncode, done.stderr

    def test_wrong_usage_is_one_line_and_changes_nothing(self):
        self.assertEqual(self.refused("--chek")[0], 2)
        self.assertEqual(self.refused("a", "b")[0], 2)
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "mine"), "w", encoding="utf-8"):
                pass
            code, said = self.refused(folder)
            self.assertEqual((code, os.listdir(folder)), (2, ["mine"]))
            self.assertIn(folder, said)


def build(folder):
    """Builds the site, or ends the program: skipped where a tool is missing."""
    done = subprocess.run([os.path.join(TREE, "scripts/build-site"), folder], capture_output=True, text=True, check=False)
    if done.returncode == 1 and "(Debian: " in done.stderr:
        print(f"skipped: {done.stderr.strip()}")
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)


if __name__ == "__main__":
    if browser.find() is None:
        print("skipped: no Chromium (Debian: chromium)")
        sys.exit(77)
    parser = argparse.ArgumentParser()
    parser.add_argument("tree")
    parser.add_argument("--keep")
    given = parser.parse_args()
    TREE = os.path.abspath(given.tree)
    with tempfile.TemporaryDirectory() as made:
        SITE = os.path.join(given.keep or made, "site")
        if given.keep:
            PICTURES = os.path.join(given.keep, "pictures")
            os.makedirs(PICTURES, exist_ok=True)
        build(SITE)
        unittest.main(argv=sys.argv[:1])
