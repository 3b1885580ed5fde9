"""A headless Chromium, driven through a pipe by the DevTools protocol: nothing but Python is needed for it.

https://chromedevtools.github.io/devtools-protocol/
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Failure(Exception):
    """The browser didn't answer, or said that something is wrong."""


def find():
    """The path of a Chromium, or None."""
    return next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)


class Browser:
    """One window. `complaints` has what the page wrote to the console as a warning or an error, and uncaught exceptions."""

    patience_s = 120

    def __init__(self, executable, width=1280, height=900):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self.to = os.pipe()
        self.out, from_browser = os.pipe()
        # The protocol's pipes are descriptors 3 and 4 of the browser. The shell puts them there.
        command = f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}'
        self.process = subprocess.Popen(
            ["bash", "-c", command, executable, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}",
             f"--window-size={width},{height}", "about:blank"],
            pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.held, self.number, self.session, self.complaints, self.events = b"", 0, None, [], []
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(t["targetId"] for t in targets if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def close(self):
        os.close(self.to)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        self.profile.cleanup()

    def receive(self, deadline):
        while b"\0" not in self.held:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.out], [], [], left)[0]:
                raise Failure("the browser doesn't answer")
            piece = os.read(self.out, 1 << 20)
            if not piece:
                raise Failure("the browser has ended")
            self.held += piece
        message, _, self.held = self.held.partition(b"\0")
        message = json.loads(message)
        self.note(message)
        return message

    def note(self, message):
        method, values = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = values["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning", "assert"):
            self.complaints.append(" ".join(str(a.get("value", a.get("description"))) for a in values["args"]))
        elif method == "Log.entryAdded" and values["entry"]["level"] in ("error", "warning"):
            self.complaints.append(values["entry"]["text"])
        elif method:
            self.events.append(method)

    def call(self, method, **values):
        self.number += 1
        message = {"id": self.number, "method": method, "params": values}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + self.patience_s
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failure(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def open(self, path):
        """Opens a file and returns the seconds until its load event. Forgets earlier complaints."""
        self.complaints, self.events = [], []
        began = time.monotonic()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while "Page.loadEventFired" not in self.events:
            self.receive(began + self.patience_s)
        return time.monotonic() - began

    def value(self, expression):
        """The value of an expression of JavaScript in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise Failure(f"{expression}: {result['result'].get('description')}")
        return result["result"].get("value")

    def settle(self):
        """Returns when what was asked for so far has been drawn."""
        self.value("new Promise(f => requestAnimationFrame(() => requestAnimationFrame(() => f(1))))")

    def press(self, key, text=None):
        more = {"text": text} if text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.settle()

    def wheel(self, x, y, by):
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=by)
        self.settle()

    def mouse(self, kind, x, y):
        button = "none" if kind == "mouseMoved" and not getattr(self, "held_button", False) else "left"
        self.held_button = kind != "mouseReleased" and (kind == "mousePressed" or getattr(self, "held_button", False))
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=int(self.held_button), clickCount=1)
        self.settle()

    def prefer(self, scheme):
        """light or dark"""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path, whole=True):
        options = {"format": "png", "captureBeyondViewport": whole}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            options["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", **options)["data"]))

    def paper(self):
        """The page as a PDF, as bytes."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])
