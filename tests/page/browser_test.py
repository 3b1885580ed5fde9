"""Pages of runs in a headless Chromium: browser_test.py MAKE_RUN_PAGE [--heist HEIST] [--keep FOLDER].

MAKE_RUN_PAGE writes the page of a made-up run and says what it must show. With the command HEIST a real run is looked at
too. With a FOLDER the pages and pictures of them stay there. Ends with 77, skipped, where there is no Chromium.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest

import browser

MAKE, HEIST, FOLDER, KEEP = None, None, None, False
WINDOW = None


def setUpModule():
    global WINDOW
    WINDOW = browser.Browser(browser.find())


def tearDownModule():
    WINDOW.close()


def write_file(name, text):
    path = os.path.join(FOLDER, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


class RunPage(unittest.TestCase):
    def open(self, events, scheme="light"):
        path = os.path.join(FOLDER, f"{events}.html")
        made = subprocess.run([MAKE, str(events), path], check=True, capture_output=True, text=True)
        WINDOW.prefer(scheme)
        seconds = WINDOW.open(path)
        WINDOW.settle()
        self.assertEqual(WINDOW.complaints, [])
        self.assertEqual(WINDOW.value("document.documentElement.dataset.state"), "ready")
        print(f"{events} events: loaded in {seconds:.2f} s, built in {WINDOW.value('document.documentElement.dataset.buildMs')} ms, "
              f"timeline drawn in {WINDOW.value('document.getElementById(`timeline`).dataset.drawMs')} ms", file=sys.stderr)
        return json.loads(made.stdout)

    def test_a_real_run_shows_what_the_command_says(self):
        if HEIST is None:
            self.skipTest("no command heist")
        trace, page = os.path.join(FOLDER, "trace.json"), os.path.join(FOLDER, "run.html")
        subprocess.run([HEIST, "run", "quicksort", "-P", "2"], check=True, capture_output=True, env={**os.environ, "HEIST_TRACE": trace})
        said = json.loads(subprocess.run([HEIST, "report", trace, "--json", "-o", page], check=True, capture_output=True, text=True).stdout)
        WINDOW.open(page)
        WINDOW.settle()
        self.assertEqual(WINDOW.complaints, [])
        self.assertEqual(self.figure("event-count"), said["events"])
        self.assertEqual(self.figure("duration"), said["duration_ns"])
        self.assertEqual(self.figure("worker-count"), said["workers"])
        self.assertEqual(self.figure("steals"), sum(lane["steals"] for lane in said["lanes"]))
        self.assertEqual(self.figure("working"), said["work_ns"] / said["capacity_ns"])
        self.check_sentences(said)
        text = subprocess.run([HEIST, "report", trace], check=True, capture_output=True, text=True).stdout
        self.assertIn(said["headline"], text)
        self.assertEqual([line[2:] for line in text.splitlines() if line.startswith("- ")],
                         [f"{f['what']} {f['remedy']}" for f in said["findings"]])

    # The page says what the command says, sentence by sentence, and blames the same causes.
    def check_sentences(self, said):
        self.assertEqual(WINDOW.value("document.getElementById('summary').textContent"), said["headline"])
        self.assertEqual(WINDOW.value("document.getElementById('machine-line').textContent"), said["machine_line"])
        self.assertEqual(WINDOW.value("[...document.querySelectorAll('#findings li')].map(f => [f.dataset.finding, f.textContent])"),
                         [[f["key"], f"{f['what']} {f['remedy']}"] for f in said["findings"]])
        idle = sum(said["idle"].values())
        shares = WINDOW.value("[...document.querySelectorAll('#causes tbody tr')].map(r => r.cells[2].textContent)")
        order = ("no_work", "private_work", "serial_phase", "blocked", "not_given")
        self.assertEqual(len(shares), len(order))
        for cause, share in zip(order, shares):
            if idle:
                self.assertAlmostEqual(float(share.rstrip(" %")) / 100, said["idle"][f"{cause}_ns"] / idle, delta=0.006)
            else:
                self.assertEqual(share, "-")

    def figure(self, name):
        return float(WINDOW.value(f"document.getElementById('{name}').dataset.value"))

    def view(self):
        WINDOW.settle()
        return [float(WINDOW.value(f"document.getElementById('timeline').dataset.{name}")) for name in ("fromNs", "toNs")]

    def cell(self, table, row, column):
        return WINDOW.value(f"[...document.querySelectorAll('#{table} tbody tr')].find(r => r.cells[0].textContent.startsWith('{row}')).cells[{column}].textContent")

    def check_figures(self, expected):
        self.assertEqual(self.figure("event-count"), expected["events"])
        self.assertEqual(self.figure("steals"), expected["steals"])
        self.assertEqual(self.figure("duration"), expected["duration"])
        self.assertEqual(self.figure("worker-count"), expected["workers"])
        if expected["duration"]:
            all_time = expected["workers"] * expected["duration"]
            self.assertAlmostEqual(self.figure("working"), 1 - expected["serial_idle"] / all_time, places=9)
        self.check_sentences(expected["report"])

    # Sees to it that the other tests would notice what they look for.
    def test_a_complaint_is_noticed(self):
        for text in ("console.error('planted')", "throw new Error('planted')", "console.warn('planted')"):
            WINDOW.open(write_file("complaint.html", f"<!DOCTYPE html><script>{text}</script>"))
            self.assertEqual(len(WINDOW.complaints), 1)
            self.assertIn("planted", WINDOW.complaints[0])

    def test_the_policy_refuses_other_scripts(self):
        self.open(0)
        with open(os.path.join(FOLDER, "0.html"), encoding="utf-8") as file:
            page = file.read()
        WINDOW.open(write_file("planted.html", page.replace("<main", "<script>document.title='harmed'</script><main")))
        self.assertTrue(any("Content Security Policy" in text for text in WINDOW.complaints), WINDOW.complaints)
        self.assertNotEqual(WINDOW.value("document.title"), "harmed")

    def test_no_event(self):
        self.check_figures(self.open(0))
        self.assertIn("No worker has recorded", WINDOW.value("document.getElementById('findings').textContent"))

    def test_one_event(self):
        self.check_figures(self.open(1))
        self.assertEqual(self.cell("events", "counter", 1), "1")

    def test_a_thousand_events(self):
        expected = self.open(1000)
        self.check_figures(expected)
        self.assertEqual(self.cell("events", "steal", 1), str(expected["steals"]))
        self.assertEqual(self.cell("causes", "one worker ran", 2), "100 %")
        finding = "document.querySelector('[data-finding=serial_phase]')"
        self.assertIn("'parse' ran on one worker", WINDOW.value(f"{finding}.textContent"))
        self.assertIn("61 % of the critical path", WINDOW.value(f"{finding}.textContent"))
        self.assertAlmostEqual(float(WINDOW.value(f"{finding}.dataset.share")),
                               expected["serial_idle"] / (expected["workers"] * expected["duration"]), places=3)
        self.assertEqual(self.figure("parallelism"), expected["parallelism"])
        self.assertIn("parallelism is 3.25", WINDOW.value("document.querySelector('[data-finding=parallelism]').textContent"))
        self.assertTrue(WINDOW.value("!!document.querySelector('#speedup canvas')"))

    def test_a_million_events(self):
        expected = self.open(1_000_000)
        self.check_figures(expected)
        timeline = "document.getElementById('timeline').dataset"
        # Of so many steals one of several is drawn, and what is short is summed up; the page says both.
        drawn = int(WINDOW.value(f"{timeline}.steals"))
        step = round(expected["steals"] / drawn)
        self.assertTrue(50_000 <= drawn <= 100_000, drawn)
        text = WINDOW.value("document.querySelector('main').textContent")
        self.assertIn(f"One of {step} steals is drawn", text)
        self.assertIn("is summed up, and its order isn't shown", text)
        self.assertIn("heist report TRACE --from 0ns --to ", text)
        self.assertLess(os.path.getsize(os.path.join(FOLDER, "1000000.html")), 10_000_000)
        self.assertEqual(WINDOW.value(f"{timeline}.arrows"), "0")
        WINDOW.value("document.getElementById('timeline').focus()")
        for _ in range(18):
            WINDOW.press("+", "+")
        shown = int(WINDOW.value(f"{timeline}.steals"))
        self.assertTrue(0 < shown < 100, shown)
        self.assertEqual(int(WINDOW.value(f"{timeline}.arrows")), shown)

    def test_names_with_markup_are_text(self):
        self.open(1000)
        name = "<script>document.title='harmed'</script>"
        self.assertIn(name, WINDOW.value("document.getElementById('regions').textContent"))
        self.assertIn(name, WINDOW.value("document.getElementById('legend').textContent"))
        self.assertEqual(WINDOW.value("document.getElementById('program').textContent"), "made-up <i>run</i>")
        self.assertEqual(WINDOW.value("document.title"), "made-up <i>run</i>: heist report")
        self.assertEqual(WINDOW.value("document.querySelectorAll('main script, main i').length"), 0)

    def test_the_keyboard_zooms_and_moves(self):
        end = self.open(1000)["duration"]
        WINDOW.value("document.getElementById('timeline').focus()")
        self.assertEqual(self.view(), [0, end])
        WINDOW.press("+", "+")
        begin, until = self.view()
        self.assertAlmostEqual(until - begin, 0.6 * end, delta=2)
        WINDOW.press("ArrowRight")
        self.assertAlmostEqual(self.view()[0], begin + 0.06 * end, delta=2)
        WINDOW.press("ArrowLeft")
        self.assertAlmostEqual(self.view()[0], begin, delta=2)
        WINDOW.press("-", "-")
        self.assertEqual(self.view(), [0, end])
        WINDOW.press("+", "+")
        WINDOW.press("Home")
        self.assertEqual(self.view(), [0, end])

    def test_wheel_and_drag(self):
        end = self.open(1000)["duration"]
        box = WINDOW.value("(t => { t.scrollIntoView(); const b = t.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })(document.getElementById('timeline'))")
        names = 132  # pixels, beside the lanes
        wide = box[2] - names
        x, y = box[0] + names + wide / 2, box[1] + box[3] / 2
        WINDOW.wheel(x, y, -300)
        begin, until = self.view()
        self.assertLess(until - begin, 0.5 * end)
        self.assertAlmostEqual((begin + until) / 2, end / 2, delta=0.01 * end)
        WINDOW.mouse("mousePressed", x, y)
        WINDOW.mouse("mouseMoved", x + 50, y)
        WINDOW.mouse("mouseReleased", x + 50, y)
        self.assertAlmostEqual(self.view()[0], begin - 50 / wide * (until - begin), delta=0.01 * end)
        WINDOW.mouse("mouseMoved", x, y)
        self.assertIn("worker", WINDOW.value("document.querySelector('.tip:not([hidden])').textContent"))

    # Few values make no chart, and what has one says something without a pointer.
    def test_few_values_are_a_sentence_and_legends_read_by_themselves(self):
        self.open(1)
        self.assertEqual(WINDOW.value("document.querySelectorAll('.chart canvas').length"), 0)
        self.assertRegex(WINDOW.value("document.querySelector('.sentence').textContent"), "^[^:]+: .+ at .+\\.$")
        self.open(1000)
        values = WINDOW.value("[...document.querySelectorAll('.u-legend .u-value')].map((v) => v.textContent)")
        self.assertGreater(len(values), 10)
        self.assertEqual([v for v in values if v in ("", "-", "--")], [])

    # The name of each lane stands beside it, where nothing of the run is drawn.
    def test_names_stand_beside_the_lanes(self):
        for width in (1280, 420):
            WINDOW.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
            self.open(1000)
            colours = WINDOW.value("""(() => {
              const canvas = document.getElementById('timeline'), wide = canvas.clientWidth < 500 ? 76 : 132;
              const data = canvas.getContext('2d').getImageData(0, 24, wide - 2, 34).data;
              const seen = new Set();
              for (let i = 0; i < data.length; i += 4) if (Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 24) seen.add(i);
              let dark = 0;
              for (let i = 0; i < data.length; i += 4) if (data[i] < 100) ++dark;
              return { coloured: seen.size, dark };
            })()""")
            self.assertEqual(colours["coloured"], 0)
            self.assertGreater(colours["dark"], 20)
            self.assertLessEqual(WINDOW.value("document.documentElement.scrollWidth"), width)
            if KEEP:
                WINDOW.picture(os.path.join(FOLDER, f"wide-{width}.png"))
        WINDOW.call("Emulation.clearDeviceMetricsOverride")

    def test_light_and_dark(self):
        back = "getComputedStyle(document.body).backgroundColor"
        pixel = "[...document.getElementById('timeline').getContext('2d').getImageData(3, 1, 1, 1).data].slice(0, 3).join()"
        for scheme, colour, other in (("light", "255, 255, 255", "22, 24, 29"), ("dark", "22, 24, 29", "255, 255, 255")):
            self.open(1000, scheme)
            self.assertEqual(WINDOW.value(back), f"rgb({colour})")
            self.assertEqual(WINDOW.value(pixel), colour.replace(" ", ""))
            if KEEP:
                WINDOW.picture(os.path.join(FOLDER, f"{scheme}.png"))
            WINDOW.value("document.getElementById('theme').click()")
            WINDOW.settle()
            self.assertEqual(WINDOW.value(back), f"rgb({other})")
            self.assertEqual(WINDOW.value(pixel), other.replace(" ", ""))

    def test_prints(self):
        self.open(1000, "dark")
        paper = WINDOW.paper()
        self.assertEqual(paper[:5], b"%PDF-")
        self.assertEqual(WINDOW.complaints, [])
        if KEEP:
            with open(os.path.join(FOLDER, "paper.pdf"), "wb") as file:
                file.write(paper)

    def test_damaged_data_is_said_so(self):
        self.open(1)
        with open(os.path.join(FOLDER, "1.html"), encoding="utf-8") as file:
            page = file.read()
        damaged = page.replace('"count":0,"time_ns":""', '"count":1,"time_ns":"AA=="')
        self.assertNotEqual(page, damaged)
        WINDOW.open(write_file("damaged.html", damaged))
        self.assertEqual(WINDOW.value("document.documentElement.dataset.state"), "failed")
        self.assertIn("the column time_ns has 1 bytes for 1 rows", WINDOW.value("document.getElementById('error').textContent"))


if __name__ == "__main__":
    if browser.find() is None:
        print("skipped: no Chromium (Debian: chromium)")
        sys.exit(77)
    parser = argparse.ArgumentParser()
    parser.add_argument("make")
    parser.add_argument("--heist")
    parser.add_argument("--keep")
    given = parser.parse_args()
    MAKE, HEIST, KEEP = given.make, given.heist, given.keep is not None
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = given.keep or folder
        os.makedirs(FOLDER, exist_ok=True)
        unittest.main(argv=sys.argv[:1])
