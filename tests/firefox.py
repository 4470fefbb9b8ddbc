"""A headless Firefox, driven by its own protocol (Marionette): messages of JSON, each with its length before it."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import fonts
from commands import PATIENCE_S


class Firefox:
    """A browser with one page. Use it as a context."""

    def __init__(self, program: str, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        profile = folder / "profile"
        profile.mkdir(parents=True)
        (profile / "user.js").write_text(f'user_pref("marionette.port", {port});\n')
        command = [program, "--headless", "--marionette", "--no-remote", "--profile", str(profile)]
        nowhere, environment = subprocess.DEVNULL, fonts.of_the_machine()
        self.process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere, env=environment)
        self.number, self.rest = 0, b""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
                break
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    self.process.kill()
                    raise
                time.sleep(0.2)
        self._message()  # a greeting
        self.command("WebDriver:NewSession", capabilities={"alwaysMatch": {"acceptInsecureCerts": True}})

    def __enter__(self) -> Firefox:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()
        self.process.kill()
        self.process.wait()

    def command(self, name: str, **given: Any) -> Any:
        """Send a command of WebDriver, and return its result."""
        self.number += 1
        text = json.dumps([0, self.number, name, given])
        self.socket.sendall(f"{len(text)}:{text}".encode())
        _, _, error, result = self._message()
        if error:
            raise RuntimeError(f"{name}: {error['message']}")
        return result["value"] if isinstance(result, dict) and "value" in result else result

    def open(self, address: str) -> None:
        """Load a page."""
        self.command("WebDriver:Navigate", url=address)

    def evaluate(self, script: str) -> Any:
        """Return the value of an expression in the page."""
        return self.command("WebDriver:ExecuteScript", script=f"return {script}", args=[], sandbox=None)

    def wait(self, condition: str, patience: float = PATIENCE_S) -> None:
        """Return when an expression is true in the page."""
        deadline = time.monotonic() + patience
        while not self.evaluate(condition):
            assert time.monotonic() < deadline, f"not true after {patience} s: {condition}"
            time.sleep(0.1)

    def _message(self) -> Any:
        while b":" not in self.rest:
            self.rest += self._received()
        length, _, self.rest = self.rest.partition(b":")
        while len(self.rest) < int(length):
            self.rest += self._received()
        text, self.rest = self.rest[: int(length)], self.rest[int(length) :]
        return json.loads(text)

    def _received(self) -> bytes:
        part = self.socket.recv(1 << 16)
        if not part:
            raise RuntimeError("Firefox closed the connection")
        return part
