"""The pictures of the README, taken from a demo of their own: `make screenshots`.

The demo is started with an empty temporary folder on a free port and ended afterwards. The pictures have
fixed sizes; what they show differs from one taking to the next only in times of day.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demo.processes import free_port

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "pictures"
START_LIMIT = 600.0  # seconds the demo gets to be there
ARGUMENTS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass(frozen=True, slots=True)
class Picture:
    """A page as one of the demo's accounts sees it: `path`, or where the link of that name on it leads."""

    name: str
    account: str
    path: str
    link: str = ""
    width: int = 1280
    height: int = 760
    scheme: str = "light"


PICTURES = [
    Picture("story", "lead", "/demo/"),
    Picture("dashboard", "lead", "/dashboard/"),
    Picture("detail", "lead", "/dashboard/review-panel/meeting-summaries/"),
    Picture("run", "lead", "/demo/", link="The run"),
    Picture("order", "lead", "/dashboard/review-panel/meeting-summaries/order/?judge_version=2"),
    Picture("report", "lead", "/dashboard/review-panel/meeting-summaries/report/"),
    Picture("guide", "lead", "/sets/meeting-summaries/guide/"),
    Picture("label-light", "labeler", "/sets/meeting-summaries/label/"),
    Picture("label-dark", "labeler", "/sets/meeting-summaries/label/", scheme="dark"),
    Picture("label-phone", "labeler", "/sets/meeting-summaries/label/", width=360),
]


def chromium() -> str:
    """Where Chromium is: `CHROMIUM`, else the usual places. Ends with a sentence where there is none."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not found or not os.access(found, os.X_OK):
        sys.exit("Pictures need Chromium: apt-get install chromium, or set CHROMIUM to its path.")
    return found


@contextlib.contextmanager
def running_demo() -> Iterator[str]:
    """A demo of its own; yields its address."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="vera-pictures-") as folder:
        said = Path(folder) / "said"
        environment = os.environ | {"VERA_VAR": str(Path(folder) / "var")}
        # The embedded database and broker, whatever this machine's Vera uses.
        environment = {k: v for k, v in environment.items() if k not in ("DATABASE_URL", "REDIS_URL")}
        with said.open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "manage.py", "demo", "--port", str(port)],
                cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
            )  # fmt: skip
        try:
            _wait_for("Ctrl-C stops", said, process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.send_signal(signal.SIGINT)
            process.wait()


def _wait_for(words: str, said: Path, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_LIMIT
    while words not in (text := said.read_text(encoding="utf-8", errors="replace")):
        if process.poll() is not None or time.monotonic() > deadline:
            sys.exit(f"The demo did not start. It said:\n{text}")
        time.sleep(0.5)


def take(browser: Any, address: str, picture: Picture) -> Path:
    """Log in, open the page and save what the window shows."""
    size = {"width": picture.width, "height": picture.height}
    context = browser.new_context(
        viewport=size, color_scheme=picture.scheme, device_scale_factor=1, bypass_csp=True
    )
    page = context.new_page()
    page.goto(f"{address}/accounts/login/")
    page.get_by_role("button", name=f"Log in as {picture.account}").click()
    answer = page.goto(address + picture.path)
    if answer is None or not answer.ok:
        sys.exit(f"{picture.path} answered {answer.status if answer else 'nothing'}.")
    if picture.link:
        page.get_by_role("link", name=picture.link, exact=True).click()
    page.wait_for_load_state("networkidle")
    # A picture has no scrollbar to keep room for.
    page.add_style_tag(content="html { scrollbar-gutter: auto; scrollbar-width: none; }")
    path = FOLDER / f"{picture.name}.png"
    page.screenshot(path=path, animations="disabled", caret="hide")
    context.close()
    return path


def main() -> None:
    """Take all pictures and say how large they are."""
    from playwright.sync_api import sync_playwright  # development only

    executable = chromium()
    FOLDER.mkdir(parents=True, exist_ok=True)
    with running_demo() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        for picture in PICTURES:
            path = take(browser, address, picture)
            print(f"{path.relative_to(ROOT)}  {path.stat().st_size // 1000} kB")
        browser.close()


if __name__ == "__main__":
    main()
