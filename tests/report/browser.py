# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven through its debugging pipe with the standard library alone."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--no-first-run", "--disable-extensions", "--disable-background-networking",
         "--disable-component-update", "--mute-audio", "--hide-scrollbars",
         "--force-device-scale-factor=1", "--remote-debugging-pipe"]
LIMIT_S = 180


class BrowserError(Exception):
    """The browser, or the page in it, did not do what was asked."""


def find():
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page. |messages| collects what it said on the console or threw."""

    def __init__(self, program, size=(1440, 900)):
        self.folder = tempfile.TemporaryDirectory(prefix="tacho-browser.", ignore_cleanup_errors=True)
        to_browser, self.write_fd = os.pipe()
        self.read_fd, from_browser = os.pipe()
        flags = FLAGS + [f"--user-data-dir={self.folder.name}/profile",
                         f"--window-size={size[0]},{size[1]}", "about:blank"]
        # The pipe's ends are file descriptors 3 and 4; the shell puts them there.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}', program, *flags],
            pass_fds=(to_browser, from_browser), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.folder.name})
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.last_id, self.session = b"", 0, None
        self.messages, self.events = [], []
        self.size = size
        self.open_session()

    def open_session(self):
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t["targetId"] for t in targets if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=self.size[0], height=self.size[1],
                  deviceScaleFactor=1, mobile=False)

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.write_fd)
        os.close(self.read_fd)
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # ---- the protocol ------------------------------------------------------------------------

    def receive(self, until):
        """The next message, or None when |until| has passed."""
        pieces = [self.buffer]  # joined once: an answer may have many megabytes
        while b"\0" not in pieces[-1]:
            ready, _, _ = select.select([self.read_fd], [], [], max(0, until - time.monotonic()))
            if not ready:
                self.buffer = b"".join(pieces)
                return None
            data = os.read(self.read_fd, 1 << 20)
            if not data:
                raise BrowserError("the browser ended")
            pieces.append(data)
        text, self.buffer = b"".join(pieces).split(b"\0", 1)
        return json.loads(text)

    def take(self, message):
        method, facts = message.get("method"), message.get("params", {})
        if method == "Runtime.consoleAPICalled":
            words = [str(a.get("value", a.get("description"))) for a in facts["args"]]
            self.messages.append(f"{facts['type']}: {' '.join(words)}")
        elif method == "Runtime.exceptionThrown":
            details = facts["exceptionDetails"]
            thrown = details.get("exception", {}).get("description", "")
            self.messages.append(f"exception: {details['text']} {thrown}")
        elif method == "Log.entryAdded":
            self.messages.append(f"log {facts['entry']['level']}: {facts['entry']['text']}")
        elif method:
            self.events.append((method, facts))

    def call(self, method, **params):
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_fd, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + LIMIT_S
        while (answer := self.receive(until)) is not None:
            if answer.get("id") == self.last_id:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.take(answer)
        raise BrowserError(f"{method}: no answer in {LIMIT_S} s")

    # ---- the page ----------------------------------------------------------------------------

    def evaluate(self, code):
        """The value of |code|, awaited if it is a promise."""
        result = self.call("Runtime.evaluate", expression=code, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in result:
            thrown = result["exceptionDetails"].get("exception", {}).get("description")
            raise BrowserError(f"{code[:80]}: {thrown}")
        return result["result"].get("value")

    def wait(self, condition, limit_s=LIMIT_S):
        until = time.monotonic() + limit_s
        while not self.evaluate(f"Boolean({condition})"):
            if time.monotonic() > until:
                raise BrowserError(f"never true: {condition}")
            time.sleep(0.02)

    def open(self, path):
        """Loads a file and waits until the report is there; returns the seconds it took."""
        began = time.monotonic()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait("window.tachoReport && tachoReport.state.isReady")
        # Two frames: what was drawn is on the screen by then.
        self.evaluate("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))"
                      ".then(() => 0)")
        return time.monotonic() - began

    def frame(self):
        self.evaluate("new Promise(r => requestAnimationFrame(() => setTimeout(r, 0))).then(() => 0)")

    def key(self, key, code=None, modifiers=0):
        codes = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9,
                 "Enter": 13, "Escape": 27, "Home": 36}
        facts = {"key": key, "code": code or key, "modifiers": modifiers,
                 "windowsVirtualKeyCode": codes.get(key, ord(key[0].upper()))}
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", **facts, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **facts)
        self.frame()

    def type(self, text):
        self.call("Input.insertText", text=text)

    def box(self, selector):
        return self.evaluate(f"""(() => {{ const e = document.querySelector({json.dumps(selector)});
            e.scrollIntoView({{block: 'center'}}); const r = e.getBoundingClientRect();
            return {{x: r.x, y: r.y, width: r.width, height: r.height}} }})()""")

    def click(self, selector, at=None):
        box = self.box(selector)
        x, y = at or (box["width"] / 2, box["height"] / 2)
        self.mouse("mousePressed", box["x"] + x, box["y"] + y, button="left", clickCount=1)
        self.mouse("mouseReleased", box["x"] + x, box["y"] + y, button="left", clickCount=1)
        self.frame()

    def mouse(self, kind, x, y, **facts):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **facts)

    def screenshot(self, path, clip=None):
        facts = {"clip": {**clip, "scale": 1}} if clip else {}
        data = self.call("Page.captureScreenshot", format="png", **facts)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
