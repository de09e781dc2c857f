"""The page of a profile, in a real browser: it opens, and shows the numbers of the JSON."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from popir.profile import Profile, htmlOf, saveHtml
from popir.profile.html import PAGE
from tests.browser import Browser, browser
from tests.profile import models


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as running:
        yield running


@pytest.fixture(scope="module")
def training() -> Profile:
    return models.profile(loss=True)


@pytest.fixture(scope="module")
def file(training: Profile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "report.html"
    saveHtml(training, file)
    return file


def at(data: Any, path: str) -> Any:
    for key in path.split("."):
        data = data[int(key) if key.isdigit() else key]
    return data


def figures(page: Page) -> dict[str, int]:
    """The numbers on the page that name their place in the profile."""
    rows = page.eval_on_selector_all(
        "[data-path]", "all => all.map(e => [e.dataset.path, e.dataset.value ?? e.textContent])"
    )
    return {path: int(text.replace(",", "")) for path, text in rows}


def table(page: Page) -> list[list[str]]:
    """The cells of the rows that are in sight."""
    return page.eval_on_selector_all(
        "#table .body .row", "rows => rows.map(r => [...r.children].map(c => c.textContent))"
    )


def choose_table(page: Page, name: str) -> None:
    group = page.get_by_role("group", name="Table")
    group.get_by_role("button", name=name, exact=True).click()


def test_the_numbers_are_the_profiles(chromium: Browser, file: Path, training: Profile) -> None:
    data = training.data
    with chromium.page(file) as page:
        shown = figures(page)
        assert {"totals.cycles", "totals.flops", "memory.max_tile_bytes"} <= shown.keys()
        assert {f"totals.{part}_cycles" for part in ("compute", "exchange", "sync")} <= shown.keys()
        for path, value in shown.items():
            assert value == at(data, path), path
        always = sum(c["total_bytes"] for c in data["memory"]["categories"] if c["always_live"])
        assert page.inner_text("#always-live") == f"{always:,}"
        assert page.inner_text("#model") == data["model"]["name"]
        assert page.locator("#counted li").all_inner_texts() == data["notes"]
        fullest = data["memory"]["fullest_tile"]
        assert f"Tile {fullest} is the fullest" in page.inner_text("#findings")


def test_replicas_and_streaming_memory_are_shown(chromium: Browser, tmp_path: Path) -> None:
    profile = models.session(loss=True, off_chip=True).getProfile(replicas=512)
    data, file = profile.data, tmp_path / "pod.html"
    saveHtml(profile, file)
    with chromium.page(file) as page:
        shown = figures(page)
        assert data["memory"]["streaming_bytes"] > 0
        paths = [
            "memory.streaming_bytes",
            "pod.collectives.0.bytes",
            "pod.collectives.0.link_bytes",
        ]
        for path in paths:
            assert shown[path] == at(data, path)
        text = page.inner_text("#pod")
        assert "512 replicas, 512 IPUs" in text and "two-level" in text


def test_a_click_chooses_the_tile_of_the_tooltip(
    chromium: Browser, training: Profile, tmp_path: Path
) -> None:
    data = json.loads(training.json())
    data["machine"]["tiles_per_ipu"] = 1472  # Some tiles share a pixel.
    for category in data["memory"]["categories"]:
        category["tile_bytes"] = [*range(1, 1473)]
    for key in data["balance"]:
        data["balance"][key] = [*range(1, 1473)]
    saveHtml(Profile(data), tmp_path / "tiles.html")
    with chromium.page(tmp_path / "tiles.html") as page:
        plot = page.locator("#memory-plot .u-over")
        plot.scroll_into_view_if_needed()
        box = plot.bounding_box()
        assert box is not None
        for i in range(60):
            page.mouse.move(box["x"] + (i + 0.5) * box["width"] / 60, box["y"] + box["height"] / 2)
            tip = page.locator("#memory-plot .tooltip:visible b").inner_text()
            page.mouse.down()
            page.mouse.up()
            assert tip.split(":")[0] == page.inner_text("#tile h3").lower()


@pytest.mark.parametrize("plot", ["memory", "balance"])
def test_a_click_counts_at_the_edges_of_a_plot(
    chromium: Browser, file: Path, training: Profile, plot: str
) -> None:
    """The outermost pixels, where uPlot moves the pointer to the edge. From the tile in the middle
    the first and the last one are chosen, and at the upper edge that of a quarter."""
    tiles = training.data["machine"]["tiles_per_ipu"] * training.data["machine"]["ipus"]
    with chromium.page(file) as page:
        over = page.locator(f"#{plot}-plot .u-over")
        over.scroll_into_view_if_needed()
        for x, y, tile in [
            (0.25, "top", tiles // 4),
            (0.0, "middle", 0),
            (1.0, "middle", tiles - 1),
        ]:
            box = over.bounding_box()
            assert box is not None
            down = {"top": 0.6, "middle": box["height"] / 2}[y]
            page.mouse.click(box["x"] + box["width"] / 2 + 2, box["y"] + box["height"] / 2)
            assert page.inner_text("#tile h3") == f"Tile {tiles // 2}"
            across = min(max(x * box["width"] + 2, 0.6), box["width"] - 0.6)
            page.mouse.click(box["x"] + across, box["y"] + down)
            assert page.inner_text("#tile h3") == f"Tile {tile}", (x, y)


def test_the_rows_that_are_shown_can_be_saved(
    chromium: Browser, file: Path, training: Profile
) -> None:
    with chromium.page(file) as page:
        choose_table(page, "operators")
        page.fill("#search", "MatMul")
        with page.expect_download() as download:
            page.get_by_role("button", name="CSV", exact=True).click()
        assert download.value.suggested_filename == "operators.csv"
        with open(download.value.path(), newline="") as saved:
            rows = list(csv.DictReader(saved))
        shown = table(page)
    operators = {(each["name"], each["type"]): each for each in training.data["operators"]}
    assert rows and [row["operator"] for row in rows[: len(shown)]] == [row[0] for row in shown]
    for row in rows:
        assert "MatMul" in row["operator"] + row["type"]
        assert int(row["cycles"]) == operators[row["operator"], row["type"]]["cycles"]


def test_operators_that_share_a_function_say_whose_cycles_they_have(
    chromium: Browser, training: Profile, tmp_path: Path
) -> None:
    """An operation of several operators is filed under the first; all have its source."""
    data = models.changed(training)
    owned = [step for step in data["steps"] if step["operator"] is not None]
    first, second = owned[0], next(s for s in owned if s["operator"] != owned[0]["operator"])
    second["operations"] = first["operations"]
    data["operations"][first["operations"][0]]["source"] = "guess"
    saveHtml(Profile(data), tmp_path / "shared.html")
    with chromium.page(tmp_path / "shared.html") as page:
        choose_table(page, "operators")
        for step in (first, second):
            operator = data["operators"][step["operator"]]
            page.fill("#search", f"{operator['name']} {operator['type']}")
            assert any("guess" in row[-1] for row in table(page))


def test_vertices_without_a_number_are_said(
    chromium: Browser, training: Profile, tmp_path: Path
) -> None:
    data = models.changed(training, totals__unknown=["Mine<float>"])
    data["operations"][0]["source"] = "unknown"
    saveHtml(Profile(data), tmp_path / "unknown.html")
    with chromium.page(tmp_path / "unknown.html") as page:
        assert "Cycles, at least" in page.inner_text("#cards")
        assert "Nobody says what vertices of class Mine<float> take" in page.inner_text("#findings")
        choose_table(page, "operations")
        page.fill("#search", f"{data['operations'][0]['name']} unknown")
        row = table(page)[0]
        assert (row[2], row[4:6]) == ("unknown", ["unknown", "unknown"])


def rows_of(page: Page, host: str) -> list[list[str]]:
    return page.eval_on_selector_all(
        f"{host} .body .row", "rows => rows.map(r => [...r.children].map(c => c.textContent))"
    )


def on_tile(stretches: list[list[int]], tile: int) -> int:
    return sum(each for begin, end, each in stretches if begin <= tile < end)


def test_variables_and_vertices_of_any_tile(
    chromium: Browser, file: Path, training: Profile
) -> None:
    memory = training.data["memory"]
    with chromium.page(file) as page:
        for tile in (0, 5, 7):
            page.fill("#tile-number", str(tile))
            page.press("#tile-number", "Enter")
            found = sorted(
                (
                    (on_tile(v["tiles"], tile), v["name"], v["category"])
                    for v in memory["variables"]
                ),
                reverse=True,
            )
            found = [each for each in found if each[0]]
            shown = rows_of(page, "#tile-variables")
            assert [int(row[2].replace(",", "")) for row in shown] == [
                size for size, *_ in found[: len(shown)]
            ]
            for name, category, size, live in shown:
                assert (int(size.replace(",", "")), name, category) in found
                assert (category == "temporaries") == (live != "always")
            classes = {v["vertex"]: on_tile(v["tiles"], tile) for v in memory["vertices"]}
            vertices = rows_of(page, "#tile-vertices")
            assert {row[0]: int(row[1]) for row in vertices} == {
                k: n for k, n in classes.items() if n
            }
        with page.expect_download() as download:
            page.get_by_role("button", name="CSV of variables on the tile").click()
        with open(download.value.path(), newline="") as saved:
            rows = list(csv.DictReader(saved))
        assert len(rows) == len(found)


def test_what_is_live_at_a_step(chromium: Browser, file: Path, training: Profile) -> None:
    data = training.data
    worst = max(range(len(data["steps"])), key=lambda i: data["steps"][i]["live_bytes"])
    with chromium.page(file) as page:
        page.locator("#findings a", has_text=f"step {worst},").click()
        assert f"What is live at step {worst}" in page.inner_text("#live")
        shown = [(*row[:2], int(row[2].replace(",", ""))) for row in rows_of(page, "#live")]
    live = [
        (v["name"], v["category"], v["total_bytes"])
        for v in data["memory"]["variables"]
        if any(first <= worst <= last for first, last in v["live"])
    ]
    step = data["steps"][worst]
    if step["gathered_bytes"]:
        live.append((step["name"], "gathered operands", step["gathered_bytes"]))
    assert sorted(shown) == sorted(live) and len(live) > 1
    gaps = step["live_bytes"] - sum(size for *_, size in live)
    assert 0 <= gaps <= 8 * 8 * len(live)


def test_liveness_may_begin_at_what_is_always_live(chromium: Browser, file: Path) -> None:
    with chromium.page(file) as page:
        plot = page.locator("#liveness-plot canvas")
        whole = plot.screenshot()
        page.get_by_role("button", name="from what is always live").click()
        page.wait_for_timeout(50)
        assert plot.screenshot() != whole
        page.get_by_role("button", name="from 0").click()
        page.wait_for_timeout(50)
        assert plot.screenshot() == whole


def test_the_tree_of_the_program(chromium: Browser, file: Path, training: Profile) -> None:
    data = training.data
    with chromium.page(file) as page:
        rows = rows_of(page, "#tree")
        tops = [each for each in data["tree"] if each["depth"] == 0]
        assert [row[0][2:] for row in rows if row[0].startswith("▸")] == [
            each["name"] or each["kind"] for each in tops
        ][: sum(row[0].startswith("▸") for row in rows)]
        for part in tops:
            steps = data["steps"][part["first_step"] : part["first_step"] + part["steps"]]
            cycles = sum(step["cycles"] * step["times"] for step in steps)
            (row,) = (row for row in rows if row[0] == f"▸ {part['name']}")
            assert (row[2], row[3]) == (str(part["steps"]), f"{cycles:,}")
        first = tops[0]
        page.locator(f'#tree [role="treeitem"]:has-text("{first["name"]}")').first.click()
        step = data["steps"][first["first_step"]]
        page.locator(f'#tree [data-key="s{first["first_step"]}"]').click()
        assert page.inner_text("#step h3").startswith(f"Step {first['first_step']}: {step['name']}")
        # What is chosen elsewhere is opened there.
        last = tops[-1]["first_step"]
        page.focus("#trace-plot")
        for _ in range(last - first["first_step"]):
            page.keyboard.press("ArrowRight")
        chosen = page.locator('#tree [aria-selected="true"]')
        assert chosen.get_attribute("data-key") == f"s{last}"


def test_balance_over_tiles(chromium: Browser, file: Path, training: Profile) -> None:
    balance = training.data["balance"]
    cycles = balance["tile_compute_cycles"]
    with chromium.page(file) as page:
        assert page.inner_text("#balance-facts").startswith(f"at most {max(cycles):,}")
        page.get_by_role("button", name="bytes received").click()
        received = balance["tile_received_bytes"]
        assert page.inner_text("#balance-facts").startswith(f"at most {max(received):,}")
        page.locator("#balance-plot .u-over").scroll_into_view_if_needed()
        box = page.locator("#balance-plot .u-over").bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + 0.95 * box["width"], box["y"] + 20)
        assert page.inner_text("#tile h3") == "Tile 7"
        tip = page.locator("#balance-plot .tooltip").inner_text()
        assert f"{cycles[7]:,} cycles of compute" in tip


def test_a_lane_for_each_ipu(chromium: Browser, tmp_path: Path) -> None:
    """An IPU has colours where its steps are, and none elsewhere."""
    profile = models.profile(loss=True)
    data = models.changed(profile)
    data["machine"]["ipus"] = 2
    for category in data["memory"]["categories"]:
        category["tile_bytes"] *= 2
    for key in data["balance"]:
        data["balance"][key] *= 2
    middle = len(data["steps"]) // 2
    for i, step in enumerate(data["steps"]):
        step["ipus"] = [int(i >= middle)] if step["ipus"] else []
    saveHtml(Profile(data), tmp_path / "two.html")
    ends = [0]
    for step in data["steps"]:
        ends.append(ends[-1] + step["cycles"] * step["times"])
    with chromium.page(tmp_path / "two.html") as page:
        plot = page.locator("#trace-plot .u-over")
        plot.scroll_into_view_if_needed()
        box = plot.bounding_box()
        assert box is not None
        for ipu in (0, 1):
            y = box["y"] + (4 * 34 + 28 * (ipu + 0.5)) / (4 * 34 + 2 * 28) * box["height"]
            for half in (0, 1):
                x = (ends[0] + ends[middle]) / 2 if half == 0 else (ends[middle] + ends[-1]) / 2
                page.mouse.move(box["x"] + x / ends[-1] * box["width"], y)
                tip = page.locator("#trace-plot .tooltip").inner_text()
                assert tip.startswith(f"IPU {ipu} " + ("computes" if ipu == half else "waits"))


def swatches(page: Page, where: str) -> dict[str, str]:
    return dict(
        page.eval_on_selector_all(
            f"{where} .swatch",
            "all => all.map(e => [e.parentElement.textContent, "
            "getComputedStyle(e).backgroundColor])",
        )
    )


def test_colours_are_those_of_names_and_no_phase_shares_its_own(
    chromium: Browser, file: Path, training: Profile, tmp_path: Path
) -> None:
    with chromium.page(file) as page:
        shown = swatches(page, "#trace-controls")
        categories = swatches(page, "#memory-controls")
    assert len(set(shown.values())) == len(shown) > 6
    assert len(set(categories.values())) == len(categories)
    data = models.changed(training)
    dear = sorted(data["operators"], key=lambda each: each["cycles"])
    for each, cycles in zip(dear, reversed([each["cycles"] for each in dear]), strict=True):
        each["cycles"] = cycles  # Another order of types.
    saveHtml(Profile(data), tmp_path / "other.html")
    with chromium.page(tmp_path / "other.html") as page:
        other = swatches(page, "#trace-controls")
    assert list(other) != list(shown)
    assert all(other[name] == shown[name] for name in other.keys() & shown.keys())


def test_a_click_still_does_when_what_is_above_has_grown(chromium: Browser, file: Path) -> None:
    """The tables of a tile, above the balance of tiles, are as long as it has variables."""
    with chromium.page(file, viewport={"width": 1366, "height": 768}) as page:
        plot = page.locator("#balance-plot .u-over")
        plot.scroll_into_view_if_needed()
        plot.hover()
        page.evaluate("document.documentElement.style.overflowAnchor = 'none'")
        page.locator("#memory").evaluate("e => { e.style.paddingBottom = '80px'; }")
        for part in (0.25, 0.75):
            # What a click shows above moves the plot by the next frame.
            page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
            box = plot.bounding_box()
            assert box is not None
            page.mouse.click(box["x"] + part * box["width"], box["y"] + 0.9 * box["height"])
            tip = page.locator("#balance-plot .tooltip:visible").inner_text()
            assert tip.split("\n")[0] == page.inner_text("#tile h3").lower()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_name_has_the_colour_of_a_phase(chromium: Browser, file: Path, scheme: str) -> None:
    """Nor one that looks like it: 60 is two steps of lightness of one hue."""
    with chromium.page(file, color_scheme=scheme) as page:
        shown = swatches(page, "#trace-controls")
        categories = swatches(page, "#memory-controls")
    phases = [shown.pop(part) for part in ("sync", "exchange", "compute", "transfer")]
    for phase in phases:
        for name, colour in [*shown.items(), *categories.items()]:
            assert distance(phase, colour) > 60, name


def distance(a: str, b: str) -> float:
    """How far two colours, rgb(...), are apart to the eye."""
    one, other = ([int(part) for part in re.findall(r"\d+", each)] for each in (a, b))
    red = (one[0] + other[0]) / 512
    weights = (2 + red, 4, 3 - red)
    return sum(w * (x - y) ** 2 for w, x, y in zip(weights, one, other, strict=True)) ** 0.5


def test_transfers_have_a_lane(chromium: Browser, file: Path, training: Profile) -> None:
    """Under the parts of steps, one for the host, as nothing is in streaming memory here."""
    steps = training.data["steps"]
    waited = sum(step["wait_seconds"] for step in steps)
    assert waited == pytest.approx(training.data["totals"]["host_seconds"])
    first = next(i for i, step in enumerate(steps) if step["transfer_seconds"])
    with chromium.page(file) as page:
        assert "transfer" in swatches(page, "#trace-controls")
        box = page.locator("#trace-plot .u-over").bounding_box()
        assert box is not None and box["height"] > 4 * 34
        page.focus("#trace-plot")
        for _ in range(first + 1):
            page.keyboard.press("ArrowRight")
        assert page.inner_text("#step h3").startswith(f"Step {first}: ")
        assert "of which tiles wait" in page.inner_text("#step-facts")


def test_tables_fit_a_laptop(chromium: Browser, file: Path) -> None:
    with chromium.page(file, viewport={"width": 1366, "height": 768}) as page:
        for name in ("operators", "memory", "types", "vertices", "operations", "steps"):
            choose_table(page, name)
            wide = "(e) => e.scrollWidth - e.clientWidth"
            assert page.locator("#table .scroll").evaluate(wide) <= 0, name
            cut = "all => all.filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)"
            assert page.eval_on_selector_all("[role=columnheader] button", cut) == [], name
        assert page.evaluate("document.documentElement.scrollWidth") <= 1366


@pytest.mark.parametrize("width", [1280, 1440])
def test_long_names_move_no_column(
    chromium: Browser, training: Profile, tmp_path: Path, width: int
) -> None:
    data = models.changed(training)
    for key, name in (("vertices", "vertex"), ("variables", "name")):
        for each in data["memory"][key]:
            each[name] += "/of/a/name/that/is/longer/than/any/column/can/be" * 2
    saveHtml(Profile(data), tmp_path / "long.html")
    with chromium.page(tmp_path / "long.html", viewport={"width": width, "height": 800}) as page:
        for table in page.locator("#tile-variables .scroll, #tile-vertices .scroll").all():
            assert table.evaluate("(e) => e.scrollWidth - e.clientWidth") <= 0
            edges = table.evaluate(
                "(e) => [...e.querySelectorAll('.row')].map("
                "row => [...row.children].map(cell => cell.getBoundingClientRect().right))"
            )
            assert len(edges) > 1 and all(edge == edges[0] for edge in edges)


def test_every_tile_can_be_looked_at(chromium: Browser, file: Path, training: Profile) -> None:
    categories = training.data["memory"]["categories"]
    with chromium.page(file) as page:
        for tile in range(8):
            page.fill("#tile-number", str(tile))
            page.press("#tile-number", "Enter")
            sums = sum(each["tile_bytes"][tile] for each in categories)
            assert page.inner_text("#tile h3") == f"Tile {tile}"
            assert page.inner_text("#tile-sum") == f"{sums:,}"
            shown = figures(page)
            for i, each in enumerate(categories):
                assert shown[f"memory.categories.{i}.tile_bytes.{tile}"] == each["tile_bytes"][tile]


def test_the_plot_of_tiles_is_drawn_from_the_same_numbers(
    chromium: Browser, file: Path, training: Profile
) -> None:
    """Areas have the colours of their categories where the numbers say that they are."""
    largest = max(training.data["memory"]["categories"], key=lambda each: each["total_bytes"])
    script = """category => {
      const canvas = document.querySelector('#memory-plot canvas');
      const copy = new OffscreenCanvas(canvas.width, canvas.height);
      const pen = copy.getContext('2d', {willReadFrequently: true});
      pen.drawImage(canvas, 0, 0);
      const {data} = pen.getImageData(0, 0, canvas.width, canvas.height);
      const swatch = document.querySelector(`[data-category="${category}"] + .swatch`);
      const [r, g, b] = getComputedStyle(swatch).backgroundColor.match(/\\d+/g).map(Number);
      let count = 0;
      for (let i = 0; i < data.length; i += 4)
        if (data[i] === r && data[i + 1] === g && data[i + 2] === b) count += 1;
      return count;
    }"""
    with chromium.page(file) as page:
        box = page.locator(f'[data-category="{largest["name"]}"]')
        drawn = page.evaluate(script, largest["name"])
        assert drawn > 1000
        box.uncheck()
        page.wait_for_timeout(100)
        assert page.evaluate(script, largest["name"]) == 0
        box.check()
        page.wait_for_timeout(100)
        assert page.evaluate(script, largest["name"]) == drawn
        page.get_by_role("button", name="by bytes").click()
        page.wait_for_timeout(100)
        assert page.evaluate(script, largest["name"]) == pytest.approx(drawn, rel=0.02)


def test_keys_choose_tiles_and_steps(chromium: Browser, file: Path, training: Profile) -> None:
    steps = training.data["steps"]
    with chromium.page(file) as page:
        page.focus("#memory-plot")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        tile = min(training.data["memory"]["fullest_tile"] + 1, 7)
        assert page.inner_text("#tile h3").startswith("Tile ")
        assert page.input_value("#tile-number") in (str(tile), "6")
        page.focus("#trace-plot")
        for _ in range(3):
            page.keyboard.press("ArrowRight")
        assert page.inner_text("#step h3") == f"Step 2: {steps[2]['name']} ({steps[2]['kind']})"
        for path, value in figures(page).items():
            assert value == at(training.data, path)


def test_the_trace_zooms(chromium: Browser, file: Path, training: Profile) -> None:
    def ticks(page: Page) -> bytes:
        page.wait_for_timeout(50)
        return page.locator("#trace-plot canvas").screenshot()

    with chromium.page(file) as page:
        whole = ticks(page)
        page.focus("#trace-plot")
        page.keyboard.press("w")
        near = ticks(page)
        assert near != whole
        page.keyboard.press("d")
        assert ticks(page) != near
        page.keyboard.press("0")
        assert ticks(page) == whole
        box = page.locator("#trace-plot .u-over").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 100, box["y"] + 20)
        page.mouse.down()
        page.mouse.move(box["x"] + 200, box["y"] + 20)
        page.mouse.up()
        assert ticks(page) != whole
        page.get_by_role("button", name="all", exact=True).click()
        page.mouse.move(5, 5)
        assert ticks(page) == whole
        page.mouse.click(box["x"] + box["width"] - 2, box["y"] + 20)
        last = max(
            i
            for i, s in enumerate(training.data["steps"])
            if s["cycles"] * s["times"] or s["wait_seconds"]
        )
        assert page.inner_text("#step h3").startswith(f"Step {last}: ")


def test_tables_sort_and_filter(chromium: Browser, file: Path, training: Profile) -> None:
    operators = training.data["operators"]
    dear = sorted(operators, key=lambda each: -each["cycles"])
    with chromium.page(file) as page:
        rows = table(page)
        assert [row[2] for row in rows] == [f"{each['cycles']:,}" for each in dear][: len(rows)]
        for row in rows:
            own = [each for each in operators if [each["name"], each["type"]] == row[:2]]
            assert row[2].replace(",", "") in {str(each["cycles"]) for each in own}
        page.get_by_title("sort by operator").click()
        assert page.locator('[aria-sort="ascending"]').inner_text().startswith("operator")
        names = [row[0] for row in table(page)]
        assert names[0] == min(names, key=str.lower)
        page.fill("#search", "LAYER1 matmul")
        fitting = [e for e in operators if "layer1" in e["name"] and "MatMul" in e["type"]]
        assert 0 < len(table(page)) == len(fitting) < len(operators)
        assert page.inner_text("#count") == f"{len(fitting)} of {len(operators)}"
        page.fill("#search", "nothing like that")
        assert "Nothing fits." in page.inner_text("#table")
        page.fill("#search", "")
        for name in ("types", "vertices", "operations", "steps"):
            choose_table(page, name)
            assert table(page)
        assert page.inner_text("#count") == f"{len(training.data['steps'])} of " + str(
            len(training.data["steps"])
        )
        page.locator("#table .scroll").focus()
        page.keyboard.press("End")
        last = page.locator('#table [aria-selected="true"]')
        assert last.count() == 1


def test_light_and_dark(chromium: Browser, file: Path) -> None:
    def paper(page: Page) -> str:
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    with chromium.page(file, color_scheme="light") as page:
        light = paper(page)
    with chromium.page(file, color_scheme="dark") as page:
        dark = paper(page)
        assert dark != light
        page.click("#theme")
        assert (page.inner_text("#theme"), paper(page)) == ("colours: light", light)
        page.click("#theme")
        assert (page.inner_text("#theme"), paper(page)) == ("colours: dark", dark)


def test_names_are_text(chromium: Browser, tmp_path: Path) -> None:
    """A model's names run nothing, and end nothing."""
    profile = models.profile(name=models.HOSTILE)
    profile.data["model"]["name"] = models.HOSTILE
    saveHtml(profile, tmp_path / "h.html")
    with chromium.page(tmp_path / "h.html") as page:
        assert page.inner_text("#model") == models.HOSTILE
        page.fill("#search", "layer0")
        assert any(models.HOSTILE in row[0] for row in table(page))


def test_two_profiles_compared(chromium: Browser, tmp_path: Path, training: Profile) -> None:
    before = models.profile(batch=64, loss=True)
    saveHtml(training, tmp_path / "c.html", before)
    old, new = before.data, training.data
    with chromium.page(tmp_path / "c.html") as page:
        cards = page.inner_text("#cards")
        delta = new["totals"]["cycles"] - old["totals"]["cycles"]
        assert f"before {old['totals']['cycles']:,}, −{-delta:,}" in cards
        for path, value in figures(page).items():
            assert value == at(new, path)
        page.get_by_title("sort by cycles before").click()
        for row in table(page):
            sums = [
                sum(e["cycles"] for e in data["operators"] if [e["name"], e["type"]] == row[:2])
                for data in (old, new)
            ]
            assert [int(cell.replace(",", "")) for cell in row[4:6]] == sums
            assert int(row[3].replace(",", "")) == sums[1] - sums[0]
        assert [row[2] for row in table(page)].count("both") > 5


def thread_clock(page: Page) -> Callable[[], float]:
    """A clock of the page's main thread: its processor time, whatever else the machine does."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def seconds() -> float:
        found = devtools.send("Performance.getMetrics")["metrics"]
        return next(each["value"] for each in found if each["name"] == "TaskDuration")

    return seconds


def test_thousands_of_tiles_and_steps(chromium: Browser, tmp_path: Path) -> None:
    """64 IPUs and 20,000 steps: opened, and drawn anew, in the time that a person waits."""
    data = models.changed(models.profile(loss=True))
    data["machine"] |= {"ipus": 64, "tiles_per_ipu": 1472}
    for key in data["balance"]:
        data["balance"][key] = [i * 31 % 977 for i in range(64 * 1472)]
    for each in data["memory"]["categories"]:
        each["tile_bytes"] = [i * 37 % 1000 for i in range(64 * 1472)]
    data["steps"] = [data["steps"][i % len(data["steps"])] for i in range(20_000)]
    data["tree"] = [
        {"kind": "Call", "name": "", "depth": 0, "first_step": i, "steps": 10, "times": 1}
        for i in range(0, 20_000, 10)
    ]
    saveHtml(Profile(data), tmp_path / "large.html")
    with chromium.page(tmp_path / "large.html") as page:
        seconds = thread_clock(page)
        begun = seconds()
        keys = ["w", "w", "a", "ArrowRight", "ArrowRight", "f", "0"]
        page.evaluate(
            """async keys => {
              for (const key of keys) {
                for (const plot of ['trace-plot', 'memory-plot', 'liveness-plot'])
                  document.getElementById(plot).dispatchEvent(new KeyboardEvent('keydown', {key}));
                await new Promise(requestAnimationFrame);
                await new Promise(requestAnimationFrame);
              }
            }""",
            keys,
        )
        assert 0.01 < seconds() - begun < 0.5 * len(keys)
        choose_table(page, "steps")
        assert page.inner_text("#count") == "20,000 of 20,000"
        assert len(table(page)) < 100


def test_the_library_is_as_its_makers_published_it() -> None:
    """Of uPlot's npm package, version 1.6.32."""
    digests = {
        "uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
        "uPlot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
        "LICENSE": "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
    }
    folder = PAGE / "uplot"
    assert {file.name for file in folder.iterdir()} == digests.keys()
    for name, digest in digests.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


def test_the_page_is_one_file(file: Path, training: Profile) -> None:
    """Nothing in it names another file, and the library's licence stands at its head."""
    text = file.read_text()
    assert not re.search(r"""(src|href)=["'](?!#|data:)""", text)
    assert "default-src 'none'" in text
    assert "uPlot" in text
    embedded = re.search(r'<script type="application/json" id="profile">(.*?)</script>', text)
    assert embedded is not None and json.loads(embedded.group(1)) == training.data
    assert htmlOf(training) == text
