"""Drives a headless Chromium through its debugging pipe, for tests of the HTML twin; no driver is needed."""

import base64
import json
import os
import subprocess


class Browser:
    """One page of a headless Chromium.

    Commands are JSON objects, each ended by a zero byte, on file descriptors 3 and 4.
    Source: Chrome DevTools Protocol, ``--remote-debugging-pipe``.
    """

    def __init__(self, program, profile):
        read_end, self._write = os.pipe()
        self._read, write_end = os.pipe()
        # The browser wants the descriptors to be 3 and 4; a shell moves them there.
        script = f'exec "$0" "$@" 3<&{read_end} 4>&{write_end}'
        options = (
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-extensions",
        )
        self._process = subprocess.Popen(
            [
                "/bin/bash",
                "-c",
                script,
                program,
                *options,
                "--remote-debugging-pipe",
                f"--user-data-dir={profile}",
            ],
            pass_fds=(read_end, write_end),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(read_end)
        os.close(write_end)
        self._buffer = b""
        self._number = 0
        self._session = ""
        self.complaints: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.requests: list[str] = []

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self._process.terminate()
        self._process.wait(20)
        os.close(self._write)
        os.close(self._read)

    def call(self, method, **parameters):
        """Sends a command and returns its result, keeping what the page says meanwhile."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return dict(answer["result"])

    def _next(self):
        while b"\0" not in self._buffer:
            chunk = os.read(self._read, 1 << 16)
            if not chunk:
                raise RuntimeError("the browser went away")
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(line)
        self._notice(message.get("method", ""), message.get("params", {}))
        return message

    def _notice(self, method, told):
        if method == "Runtime.exceptionThrown":
            self.complaints.append(str(told["exceptionDetails"]))
        if method == "Log.entryAdded" and told["entry"]["level"] in ("warning", "error"):
            self.complaints.append(told["entry"]["text"])
        if method == "Runtime.consoleAPICalled":
            self.complaints.append(str(told["args"]))
        if method == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])

    def open(self, address, *, width, height=900, scheme="light", media="screen"):
        """Opens a page in a window of some width, light or dark, and waits until it has loaded."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)
        self.call("Page.navigate", url=address)
        while self._next().get("method") != "Page.loadEventFired":
            pass

    def ask(self, expression):
        """Evaluates an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def picture(self, path, *, height):
        """Writes a screenshot of the top of the page."""
        width = self.ask("innerWidth")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        shot = self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))
