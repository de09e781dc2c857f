// What is live while each step runs.

const livenessView = {
  what: "all tiles",
  fromZero: true,
  plot: null,

  /** Where the axis begins. */
  low() {
    return !this.fromZero && this.what === "all tiles" ? alwaysLive(profile) : 0;
  },

  values(data) {
    const key = this.what === "all tiles" ? "live_bytes" : "fullest_tile_live_bytes";
    const base = this.what === "all tiles" ? alwaysLive(data) : 0;
    return data.steps.map((step) => base + step[key]);
  },

  data() {
    const longest = Math.max(profile.steps.length, before ? before.steps.length : 0);
    const at = Array.from({ length: longest + 1 }, (_, i) => i);
    const fit = (values) => at.map((i) => values[Math.min(i, values.length - 1)] ?? null)
      .map((value, i) => (i <= values.length ? value : null));
    const base = this.what === "all tiles" ? alwaysLive(profile) : 0;
    const columns = [at, fit(this.values(profile)), at.map(() => base)];
    if (before) columns.push(fit(this.values(before)));
    return columns;
  },

  words(u) {
    const at = Math.floor(u.posToVal(u.cursor.left, "x"));
    const step = profile.steps[at];
    if (!step) return null;
    return [make("b", {}, `step ${at}: ${step.name}`), make("div", {}, `${whole.format(step.live_bytes)} bytes beside what is always live`),
      make("div", {}, `${whole.format(step.fullest_tile_live_bytes)} on the tile that has most`)];
  },

  draw() {
    const host = element("liveness-plot");
    const stepped = uPlot.paths.stepped({ align: 1 });
    const series = [{},
      { label: "live", stroke: () => ofTheme("accent"), fill: () => `${ofTheme("accent")}44`, width: 1, paths: stepped, points: { show: false } },
      { label: "always live", fill: () => `${ofTheme("sync")}88`, stroke: () => ofTheme("sync"), width: 1, points: { show: false } }];
    if (before) series.push({ label: "before", stroke: () => ofTheme("before"), width: 1.5, paths: stepped, points: { show: false } });
    this.plot = plot(host, {
      height: 260,
      scales: { x: { time: false }, y: { range: (u, low, high) => [this.low(), high + 0.05 * (high - this.low()) || 1] } },
      axes: [axis({ label: "step", labelSize: 22, size: 34 }),
        axis({ size: 70, values: (u, values) => ticks(values, "B") })],
      series,
      cursor: { drag: { x: true, y: false }, points: { show: false }, y: false },
      hooks: {
        draw: [(u) => { if (selection.step !== null) mark(u, selection.step, selection.step + 1); }],
        setCursor: [tooltip(host, (u) => this.words(u))],
      },
    }, this.data());
    onClick(this.plot, (x) => { if (profile.steps[Math.floor(x)]) selection.set("step", Math.floor(x)); });
    steer(this.plot, host, chooseStep, () => {
      if (selection.step !== null) show(this.plot, selection.step - 20, selection.step + 20);
    });
  },
};

/** What is live at a step beside what always is: over all tiles, and on the tile that is chosen. */
function showLive(at) {
  const { tile } = selection;
  const rows = [];
  for (const { name, category, total_bytes: bytes, tiles: stretches, live } of profile.memory.variables) {
    const span = live.find(([first, last]) => first <= at && at <= last);
    if (span) rows.push({ name, category, bytes, here: onTile(stretches, tile), from: span[0], to: span[1] });
  }
  const step = profile.steps[at];
  if (step.gathered_bytes) {
    rows.push({ name: step.name, category: "gathered operands", bytes: step.gathered_bytes, here: "", from: at, to: at });
  }
  smallTable(element("live"), `what is live at step ${at}`, rows, [
    text("variable", (row) => row.name), text("category", (row) => row.category, "10rem"), number("on all tiles", (row) => row.bytes, "8rem"),
    number(`on tile ${tile}`, (row) => row.here),
    number("from step", (row) => row.from, "6rem"), number("to step", (row) => row.to, "6rem")],
  (index) => selection.set("step", rows[index].from));
}

/** Chooses the next step, or the one before. */
function chooseStep(direction) {
  const last = profile.steps.length - 1;
  const at = selection.step === null ? 0 : selection.step + direction;
  if (last >= 0) selection.set("step", Math.max(0, Math.min(at, last)));
}

function showLiveness() {
  if (!profile.steps.length) {
    element("liveness-plot").replaceWith(make("p", { className: "empty" }, "The program has no steps."));
    return;
  }
  element("liveness-controls").append(
    choice("What is shown", ["all tiles", "the tile that has most"], (name) => {
      livenessView.what = name;
      livenessView.plot.setData(livenessView.data());
    }),
    choice("Where the axis begins", ["from 0", "from what is always live"], (name) => {
      livenessView.fromZero = name === "from 0";
      livenessView.plot.setData(livenessView.data());
    }),
    make("span", {}, "always live on all tiles: ", make("span", { id: "always-live" }, whole.format(alwaysLive(profile))), " bytes"));
  livenessView.draw();
  const chosen = () => {
    if (selection.step !== null) showLive(selection.step);
  };
  selection.on("step", () => {
    chosen();
    livenessView.plot.redraw(false);
  });
  selection.on("tile", chosen);
}
