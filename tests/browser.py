"""A real browser for tests of pages: Chromium, without a window, driven by playwright.

The browser is the machine's own: `chromium-headless-shell` or `chromium` of Debian and Ubuntu, or
Chrome, on the PATH, or the program that POPIR_BROWSER names. Without one these tests fail and say
so; .ci/run installs one.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Error, Page, sync_playwright

from tests.toolchain import plain

PROGRAMS = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
]


def program() -> str:
    """The browser. Fails with the way out if there is none."""
    named = os.environ.get("POPIR_BROWSER")
    found = [shutil.which(name) for name in ([named] if named else PROGRAMS)]
    path = next((each for each in found if each), None)
    assert path, (
        f"no browser: none of {', '.join([named] if named else PROGRAMS)} is on the PATH. "
        "On Debian and Ubuntu: apt install chromium; or name one in POPIR_BROWSER."
    )
    return path


class Browser:
    """Opens files; each page is closed before the next one opens."""

    def __init__(self, open_page) -> None:
        self._open = open_page

    @contextmanager
    def page(self, file: Path, **options) -> Iterator[Page]:
        """The file's page, once it says that it is ready.

        Fails at the end if the page has written to the console, thrown an error, or asked for
        anything but itself.
        """
        page: Page = self._open(**{"viewport": {"width": 1300, "height": 900}, **options})
        page.set_default_timeout(10_000)
        faults: list[str] = []
        page.on("console", lambda message: faults.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: faults.append(f"error: {error}"))
        own = file.resolve().as_uri()
        page.on("request", lambda r: None if r.url == own else faults.append(f"request: {r.url}"))
        try:
            page.goto(own)
            page.wait_for_selector("body[data-ready]", timeout=30_000)
            yield page
        except Error as error:
            raise AssertionError(f"{error}\nthe page: {faults}") from error
        finally:
            page.close()
        assert faults == [], faults


@contextmanager
def browser() -> Iterator[Browser]:
    """The running browser."""
    with sync_playwright() as playwright:
        # Root, as in a container, has no sandbox; the pages are this project's own.
        running = playwright.chromium.launch(
            executable_path=program(), chromium_sandbox=False, env={**plain()}
        )
        try:
            yield Browser(running.new_page)
        finally:
            running.close()
