// What all plots share: a uPlot that follows the theme and the window, and can be used by keys.

const plots = [];

/** Axes and grid in the colours of the theme. */
function axis(more = {}) {
  const lines = { stroke: () => ofTheme("line"), width: 1 };
  return { stroke: () => ofTheme("soft"), grid: lines, ticks: lines, ...more };
}

/** A plot in the element `host`, as wide as that; drawn anew when the theme changes. */
function plot(host, options, data) {
  const room = () => Math.max(host.clientWidth - 14, 200);
  // At the outermost pixels uPlot takes a click for a drag, and stops it. onClick() tells them apart.
  options.cursor.drag.click = () => {};
  const made = new uPlot(
    { width: room(), legend: { show: false }, padding: [8, 12, 0, 4], ...options }, data, host);
  new ResizeObserver(() => {
    if (made.width !== room()) made.setSize({ width: room(), height: made.height });
  }).observe(host);
  // What grows or shrinks above a plot moves it, and uPlot keeps where it was.
  new ResizeObserver(() => made.syncRect(true)).observe(document.body);
  plots.push(made);
  return made;
}

/** Shows from `low` to `high`, kept inside of what there is. */
function show(made, low, high) {
  const xs = made.data[0];
  const [first, last] = [xs[0], xs[xs.length - 1]];
  const width = Math.min(Math.max(high - low, (last - first) * 1e-6), last - first);
  const begin = Math.min(Math.max(low, first), last - width);
  made.setScale("x", { min: begin, max: begin + width });
}

/** Makes the shown part `factor` times as long, around `at`. */
function zoom(made, factor, at) {
  const { min, max } = made.scales.x;
  const middle = at ?? (min + max) / 2;
  show(made, middle - (middle - min) * factor, middle + (max - middle) * factor);
}

function move(made, part) {
  const { min, max } = made.scales.x;
  show(made, min + (max - min) * part, max + (max - min) * part);
}

function showAll(made) {
  const xs = made.data[0];
  made.setScale("x", { min: xs[0], max: xs[xs.length - 1] });
}

/** Ctrl and the wheel zoom; keys zoom, move, and choose the next or last by `step(direction)`. */
function steer(made, host, step, focus) {
  made.over.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(made, event.deltaY > 0 ? 1.25 : 0.8, made.posToVal(event.offsetX, "x"));
  }, { passive: false });
  const keys = {
    w: () => zoom(made, 0.6), "+": () => zoom(made, 0.6), s: () => zoom(made, 1 / 0.6),
    "-": () => zoom(made, 1 / 0.6), a: () => move(made, -0.2), d: () => move(made, 0.2),
    0: () => showAll(made), ArrowLeft: () => step(-1), ArrowRight: () => step(1), f: focus,
  };
  host.addEventListener("keydown", (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

/** A click that is no drag; hears the value on the x axis where the cursor is, whose tooltip is seen. */
function onClick(made, hear) {
  let down = null;
  made.over.addEventListener("mousedown", (event) => { down = event.clientX; });
  made.over.addEventListener("click", (event) => {
    if (down !== null && Math.abs(event.clientX - down) < 3) hear(made.posToVal(made.cursor.left, "x"));
  });
}

/** A vertical line at a value of x, and a shade up to another one. */
function mark(made, from, to, tone = "accent") {
  const { ctx, bbox } = made;
  const [a, b] = [from, to].map((x) => made.valToPos(x, "x", true));
  if (b < bbox.left || a > bbox.left + bbox.width) return;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.fillStyle = ofTheme(tone);
  ctx.globalAlpha = 0.25;
  ctx.fillRect(a, bbox.top, Math.max(b - a, 1), bbox.height);
  ctx.globalAlpha = 1;
  ctx.fillRect(a, bbox.top, Math.max(1, devicePixelRatio), bbox.height);
  ctx.restore();
}

/** What floats beside the pointer; `words(made)` gives its children, or nothing. */
function tooltip(host, words) {
  const tip = make("div", { className: "tooltip" });
  host.append(tip);
  return (made) => {
    const { left, top } = made.cursor;
    const children = left >= 0 ? words(made) : null;
    tip.style.display = children ? "block" : "none";
    if (!children) return;
    tip.replaceChildren(...children);
    const x = left + made.bbox.left / devicePixelRatio;
    const room = host.clientWidth;
    tip.style.left = x > room / 2 ? "" : `${x + 18}px`;
    tip.style.right = x > room / 2 ? `${room - x + 4}px` : "";
    tip.style.top = `${Math.max(top - 10, 4)}px`;
  };
}
