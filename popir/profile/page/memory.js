// Bytes on each tile, by category: a stack of areas, and one tile in figures.

const memoryView = {
  hidden: new Set(),
  order: null, // tiles by bytes, or null: by number
  plot: null,
  categories: profile.memory.categories,

  tileAt(position) {
    return this.order ? this.order[position] : position;
  },

  positionOf(tile) {
    return this.order ? this.order.indexOf(tile) : tile;
  },

  /** The positions, the sums of the categories from the top one down, and what it was before. */
  data() {
    const at = Array.from({ length: tiles + 1 }, (_, i) => i);
    const sums = new Float64Array(tiles);
    const stack = this.categories.map((category) => {
      const shown = !this.hidden.has(category.name);
      const level = new Float64Array(tiles + 1);
      for (let i = 0; i < tiles; i += 1) {
        if (shown) sums[i] += category.tile_bytes[this.tileAt(i)];
        level[i] = sums[i];
      }
      level[tiles] = level[tiles - 1];
      return level;
    });
    return [at, ...stack.reverse(), ...(before ? [this.totalsBefore()] : [])];
  },

  totalsBefore() {
    const level = new Array(tiles + 1).fill(null);
    const shown = before.memory.categories.filter((category) => !this.hidden.has(category.name));
    const had = before.machine.ipus * before.machine.tiles_per_ipu;
    for (let i = 0; i < tiles; i += 1) {
      const tile = this.tileAt(i);
      if (tile < had) level[i] = shown.reduce((sum, c) => sum + c.tile_bytes[tile], 0);
    }
    level[tiles] = level[tiles - 1];
    return level;
  },

  draw() {
    const stepped = uPlot.paths.stepped({ align: 1 });
    const layers = [...this.categories].reverse().map((category) => ({
      label: category.name, fill: colour(category.name), stroke: colour(category.name), width: 0.5,
      paths: stepped, points: { show: false },
    }));
    if (before) {
      layers.push({ label: "before", stroke: () => ofTheme("before"), width: 1.5, paths: stepped, points: { show: false } });
    }
    const host = element("memory-plot");
    const capacity = profile.machine.bytes_per_tile;
    const highest = profile.memory.max_tile_bytes;
    this.plot = plot(host, {
      height: 320,
      scales: {
        x: { time: false },
        y: { range: (u, low, high) => [0, Math.max(high, highest > 0.7 * capacity ? capacity : 0) * 1.05 || 1] },
      },
      axes: [
        axis({ label: "tile", labelSize: 22, size: 34 }),
        axis({ size: 70, values: (u, values) => ticks(values, "B") }),
      ],
      series: [{}, ...layers],
      cursor: { drag: { x: true, y: false }, points: { show: false }, y: false },
      hooks: {
        draw: [(u) => this.marks(u)],
        setCursor: [tooltip(host, (u) => this.words(u))],
      },
    }, this.data());
    onClick(this.plot, (x) => selection.set("tile", this.tileAt(Math.max(0, Math.min(Math.floor(x), tiles - 1)))));
    steer(this.plot, host, (direction) => this.step(direction), () => {
      const at = this.positionOf(selection.tile);
      show(this.plot, at - 16, at + 16);
    });
  },

  /** Shows or hides a category; those above it come down. */
  toggle(name, shown) {
    if (shown) this.hidden.delete(name);
    else this.hidden.add(name);
    const row = this.categories.findIndex((category) => category.name === name);
    this.plot.setSeries(this.categories.length - row, { show: shown });
    this.plot.setData(this.data(), false);
    this.plot.redraw();
  },

  /** Puts the fullest tiles first, or all by their numbers. */
  arrange(byBytes) {
    const sums = new Float64Array(tiles);
    for (const category of this.categories) category.tile_bytes.forEach((bytes, i) => { sums[i] += bytes; });
    this.order = byBytes ? Array.from(sums.keys()).sort((a, b) => sums[b] - sums[a]) : null;
    this.plot.axes[0].label = byBytes ? "tiles, the fullest first" : "tile";
    this.plot.setData(this.data());
  },

  step(direction) {
    const at = this.positionOf(selection.tile) + direction;
    selection.set("tile", this.tileAt(Math.max(0, Math.min(at, tiles - 1))));
  },

  /** The memory that a tile has, the IPUs, and the tile that is chosen. */
  marks(u) {
    const { ctx, bbox } = u;
    const y = u.valToPos(profile.machine.bytes_per_tile, "y", true);
    ctx.save();
    ctx.lineWidth = devicePixelRatio;
    if (y >= bbox.top) {
      ctx.strokeStyle = ofTheme("bad");
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
    }
    ctx.restore();
    if (!this.order) {
      for (let ipu = 1; ipu < profile.machine.ipus; ipu += 1) {
        const tile = ipu * profile.machine.tiles_per_ipu;
        mark(u, tile, tile, "soft");
      }
    }
    const at = this.positionOf(selection.tile);
    mark(u, at, at + 1);
  },

  words(u) {
    const at = Math.floor(u.posToVal(u.cursor.left, "x"));
    if (at < 0 || at >= tiles) return null;
    const tile = this.tileAt(at);
    const parts = this.categories.map((c) => [c.name, c.tile_bytes[tile]])
      .filter(([name, bytes]) => bytes && !this.hidden.has(name));
    const sum = parts.reduce((all, [, bytes]) => all + bytes, 0);
    return [make("b", {}, `${placeOf(tile)}: ${whole.format(sum)} bytes`),
      ...parts.map(([name, bytes]) => make("div", {}, `${name} ${whole.format(bytes)}`))];
  },
};

const placeOf = (tile) =>
  profile.machine.ipus > 1
    ? `tile ${tile} (tile ${tile % profile.machine.tiles_per_ipu} of IPU ${Math.floor(tile / profile.machine.tiles_per_ipu)})`
    : `tile ${tile}`;

/** When a variable is live, as a text. */
function whenLive({ category, live }) {
  if (category !== "temporaries") return "always";
  if (!live.length) return "in other programs";
  const spans = live.slice(0, 3).map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`));
  return spans.join(", ") + (live.length > 3 ? ` and ${live.length - 3} more` : "");
}

/** One tile in figures: each category, beside the fullest tile. */
function showTile(tile) {
  const { categories, max_tile_bytes: most } = profile.memory;
  const sum = categories.reduce((all, category) => all + category.tile_bytes[tile], 0);
  const list = make("dl", { className: "facts", id: "tile-facts" });
  categories.forEach((category, i) => {
    const bytes = category.tile_bytes[tile];
    list.append(
      make("dt", {}, category.name + (category.always_live ? " (always live)" : "")),
      make("dd", {}, figure(`memory.categories.${i}.tile_bytes.${tile}`, bytes)),
      make("div", { className: "bar", style: { width: `${(100 * bytes) / (most || 1)}%`, background: colour(category.name) } }));
  });
  list.append(make("dt", {}, "all"), make("dd", { id: "tile-sum" }, whole.format(sum)),
    make("div", {}, `${percent(sum, profile.machine.bytes_per_tile)} of its memory; the fullest tile has ${whole.format(most)}`));
  const place = placeOf(tile);
  element("tile").replaceChildren(make("h3", {}, place[0].toUpperCase() + place.slice(1)), list);
  const variables = profile.memory.variables.map(({ name, category, live, tiles: stretches }) =>
    ({ name, category, live, bytes: onTile(stretches, tile) })).filter((row) => row.bytes);
  const ofVariables = element("tile-variables");
  smallTable(ofVariables, "variables on the tile", variables, [
    text("variable", (row) => row.name), text("category", (row) => row.category, "9rem"),
    number("bytes", (row) => row.bytes), text("live in steps", whenLive, "12rem")],
  (index) => { if (variables[index].live.length) selection.set("step", variables[index].live[0][0]); });
  const vertices = profile.memory.vertices.map(({ vertex, code_bytes: code, tiles: stretches }) =>
    ({ vertex, code, count: onTile(stretches, tile) })).filter((row) => row.count);
  smallTable(element("tile-vertices"), "vertices of the tile", vertices, [
    text("class of vertices", (row) => row.vertex), number("vertices", (row) => row.count), number("code bytes", (row) => row.code)]);
  const input = element("tile-number");
  if (input.value !== String(tile)) input.value = tile;
}

function memoryControls() {
  const order = choice("Order of the tiles", ["by number", "by bytes"], (name) => memoryView.arrange(name === "by bytes"));
  const input = make("input", { type: "number", id: "tile-number", min: 0, max: tiles - 1, step: 1 });
  input.onchange = () => {
    const tile = Number(input.value);
    if (Number.isInteger(tile) && tile >= 0 && tile < tiles) selection.set("tile", tile);
  };
  const boxes = profile.memory.categories.map((category) => {
    const box = make("input", { type: "checkbox", checked: true, "data-category": category.name });
    box.onchange = () => memoryView.toggle(category.name, box.checked);
    const swatch = make("span", { className: "swatch", style: { background: colour(category.name) } });
    return make("label", { title: `${whole.format(category.total_bytes)} bytes over all tiles` }, box, swatch, category.name);
  });
  element("memory-controls").append(order, make("label", {}, "tile", input), ...boxes);
}

function showMemory() {
  memoryControls();
  selection.tile = profile.memory.fullest_tile;
  memoryView.draw();
  selection.on("tile", (tile) => {
    showTile(tile);
    memoryView.plot.redraw(false);
  });
  showTile(selection.tile);
}
