// What each tile computes and receives in one run: how evenly tiles are loaded.

const balanceView = {
  key: "tile_compute_cycles",
  order: null, // tiles by amount, or null: by number
  plot: null,

  data() {
    const values = profile.balance[this.key];
    const fit = (of) => {
      const level = Array.from({ length: tiles + 1 }, (_, i) => of[this.order ? this.order[i] : i] ?? null);
      level[tiles] = level[tiles - 1];
      return level;
    };
    const columns = [Array.from({ length: tiles + 1 }, (_, i) => i), fit(values)];
    if (before) columns.push(fit(before.balance[this.key]));
    return columns;
  },

  tileAt(position) {
    return this.order ? this.order[position] : position;
  },

  arrange(byAmount) {
    const values = profile.balance[this.key];
    this.order = byAmount ? Array.from(values.keys()).sort((a, b) => values[b] - values[a]) : null;
    this.plot.axes[0].label = byAmount ? "tiles, the most loaded first" : "tile";
    this.plot.setData(this.data());
    this.tell();
  },

  show(key) {
    this.key = key;
    this.arrange(this.order !== null);
  },

  /** The mean beside the most. */
  tell() {
    const values = profile.balance[this.key];
    let most = 0;
    let sum = 0;
    let idle = 0;
    for (const value of values) {
      most = Math.max(most, value);
      sum += value;
      if (!value) idle += 1;
    }
    element("balance-facts").textContent = `at most ${whole.format(most)}, ${percent(sum / (values.length || 1), most)} of that on average, ${whole.format(idle)} tiles with none`;
  },

  words(u) {
    const at = Math.floor(u.posToVal(u.cursor.left, "x"));
    if (at < 0 || at >= tiles) return null;
    const tile = this.tileAt(at);
    return [make("b", {}, placeOf(tile)),
      make("div", {}, `${whole.format(profile.balance.tile_compute_cycles[tile])} cycles of compute`),
      make("div", {}, `${whole.format(profile.balance.tile_received_bytes[tile])} bytes received`)];
  },

  draw() {
    const host = element("balance-plot");
    const stepped = uPlot.paths.stepped({ align: 1 });
    const of = (which) => () => ofTheme(this.key === "tile_compute_cycles" ? "compute" : "exchange") + which;
    const series = [{}, { label: "now", stroke: of(""), fill: of("66"), width: 1, paths: stepped, points: { show: false } }];
    if (before) series.push({ label: "before", stroke: () => ofTheme("before"), width: 1.5, paths: stepped, points: { show: false } });
    this.plot = plot(host, {
      height: 220,
      scales: { x: { time: false }, y: { range: (u, low, high) => [0, high * 1.05 || 1] } },
      axes: [axis({ label: "tile", labelSize: 22, size: 34 }), axis({ size: 70, values: (u, values) => ticks(values) })],
      series,
      cursor: { drag: { x: true, y: false }, points: { show: false }, y: false },
      hooks: {
        draw: [(u) => {
          const at = this.order ? this.order.indexOf(selection.tile) : selection.tile;
          mark(u, at, at + 1);
        }],
        setCursor: [tooltip(host, (u) => this.words(u))],
      },
    }, this.data());
    onClick(this.plot, (x) => selection.set("tile", this.tileAt(Math.max(0, Math.min(Math.floor(x), tiles - 1)))));
    steer(this.plot, host, (direction) => {
      const at = (this.order ? this.order.indexOf(selection.tile) : selection.tile) + direction;
      selection.set("tile", this.tileAt(Math.max(0, Math.min(at, tiles - 1))));
    }, () => showAll(this.plot));
  },
};

function showBalance() {
  element("balance-controls").append(
    choice("What is shown", ["compute cycles", "bytes received"], (name) =>
      balanceView.show(name === "compute cycles" ? "tile_compute_cycles" : "tile_received_bytes")),
    choice("Order of the tiles", ["by number", "by amount"], (name) => balanceView.arrange(name === "by amount")),
    make("span", { id: "balance-facts", role: "status" }));
  balanceView.draw();
  balanceView.tell();
  selection.on("tile", () => balanceView.plot.redraw(false));
}
