"""Chromium without a window, driven by the DevTools protocol. For the tests in tests/formats."""
import base64
import fcntl
import json
import os
import subprocess
import time

SECONDS = 120  # Only a browser that hangs takes so long.
# Before each script in a page. Elements may lie in shadow trees.
FIND = """
const everything = (tree = document) => [...tree.querySelectorAll("*")].flatMap((element) =>
  element.shadowRoot ? [element, ...everything(element.shadowRoot)] : [element]);
const middle = (fits) => {
  for (const element of everything()) {
    const { x, y, width, height } = element.getBoundingClientRect();
    if (width && height && fits(element))
      return [x + Math.min(width / 2, 60), y + height / 2];
  }
};
"""


def within_bounds(look):
    """The first true value."""
    for _ in range(SECONDS * 10):
        if value := look():
            return value
        time.sleep(0.1)
    return None


class Browser:
    """It talks over two pipes."""

    def __init__(self, folder):
        self.folder, self.number, self.events, self.rest = folder, 0, [], b""
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--hide-scrollbars", "--lang=en-US", f"--user-data-dir={folder}/browser",
             "--remote-debugging-pipe", "--remote-debugging-port=0", "--remote-allow-origins=*"],
            env=dict(os.environ, HOME=str(folder)), close_fds=False,
            stderr=(folder / "messages").open("w"), preexec_fn=lambda: place(commands, answers))
        os.close(commands)
        os.close(answers)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def read(self):
        while b"\0" not in self.rest:
            piece = os.read(self.answers, 1 << 16)
            assert piece, (self.folder / "messages").read_text()[-3000:]
            self.rest += piece
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while (answer := self.read()).get("id") != self.number:
            self.events.append(answer)
        assert "error" not in answer, (method, answer)
        return answer["result"]

    def port(self):
        """Where it serves DevTools."""
        file = self.folder / "browser/DevToolsActivePort"
        return within_bounds(lambda: file.exists() and file.read_text().partition("\n")[0])

    def event(self, method):
        """What the next event of this kind says."""
        while True:
            for event in self.events:
                if event["method"] == method:
                    self.events.remove(event)
                    return event["params"]
            self.events.append(self.read())


def place(commands, answers):
    """Chromium has commands in descriptor 3, and answers in 4."""
    for target, source in [(3, fcntl.fcntl(commands, fcntl.F_DUPFD, 10)),
                           (4, fcntl.fcntl(answers, fcntl.F_DUPFD, 10))]:
        os.dup2(source, target)


class Page:
    """A page of a width and height in CSS pixels. Its pictures have `scale` pixels for each."""

    def __init__(self, browser, url, width, height, scale):
        self.browser = browser
        page = browser.call("Target.createTarget", newWindow=True, url=url)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=page,
                                    flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("DOM.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=False)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def run(self, script):
        """The value of an expression."""
        done = self.call("Runtime.evaluate", returnByValue=True,
                         expression=f"(() => {{ {FIND} return {script}; }})()")
        assert "exceptionDetails" not in done, (script, done)
        return done["result"].get("value")

    def wait(self, script):
        """Until it is true."""
        value = within_bounds(lambda: self.run(script))
        assert value, f"never: {script}\n{self.run('document.body.innerText')}"
        return value

    def click(self, fits):
        """On the first element that is visible and fits, which is an expression."""
        x, y = self.wait(f"middle((element) => {fits})")
        for kind in ["mousePressed", "mouseReleased"]:
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key, code):
        text = {"text": key} if len(key) == 1 else {}
        for kind in ["keyDown", "keyUp"]:
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code,
                      **text)

    def picture(self):
        return base64.b64decode(self.call("Page.captureScreenshot")["data"])
