// The steps over time: operators, then sync, exchange and compute of each, then transfers, then what each IPU does.

const PARTS = ["sync", "exchange", "compute"];
const LINKS = [["host", (step) => step.host_bytes], ["streaming", (step) => step.streaming_bytes]];
const transfersOn = ([, bytesOf]) => profile.steps.filter((step) => bytesOf(step) && step.transfer_seconds && step.times);

const traceView = {
  plot: null,
  lanes: placed([
    { name: "operators", draw: (penOf) => drawOperators(penOf(), profile, line) },
    ...PARTS.map((part) => ({ name: part, draw: (penOf) => drawPart(penOf(), part) })),
    ...LINKS.filter((link) => transfersOn(link).length).map((link) => ({
      name: link[0], draw: (penOf) => drawTransfers(penOf(), transfersOn(link)),
    })),
    ...(before ? [{ name: "before", draw: (penOf) => drawOperators(penOf(), before, lineBefore) }] : []),
    ...(profile.machine.ipus > 1 ? stepsByIpu().map((steps, ipu) => ({
      name: `IPU ${ipu}`, ipu, high: profile.machine.ipus > 8 ? 16 : 28, draw: (penOf) => drawIpu(penOf, steps, ipu),
    })) : []),
  ]),

  height: () => 46 + traceView.bottom(),
  bottom: () => traceView.lanes.at(-1).top + traceView.lanes.at(-1).high,

  draw() {
    const host = element("trace-plot");
    const end = Math.max(line.end, lineBefore ? lineBefore.end : 0, 1);
    this.plot = plot(host, {
      height: this.height(),
      scales: { x: { time: false, range: (u, low, high) => [low, high] }, y: { range: [0, this.bottom()] } },
      axes: [axis({ values: (u, values) => ticks(values), label: "cycles, with what is waited for", labelSize: 20, size: 32 }),
        axis({ size: 86, splits: () => this.lanes.map((lane) => this.bottom() - lane.top - lane.high / 2), values: () => this.lanes.map((lane) => lane.name), grid: { show: false } })],
      series: [{}, { points: { show: false }, paths: () => null }],
      cursor: { drag: { x: true, y: false }, points: { show: false }, y: false },
      hooks: { draw: [(u) => this.paint(u)], setCursor: [tooltip(host, (u) => this.words(u))] },
    }, [[0, end], [0, 0]]);
    onClick(this.plot, (x) => { if (x <= line.end) selection.set("step", stepAt(line.starts, x)); });
    steer(this.plot, host, chooseStep, () => this.focus());
  },

  /** Shows the chosen step in the middle. */
  focus() {
    if (selection.step === null) return;
    const [from, to] = [line.starts[selection.step], line.starts[selection.step + 1]];
    const around = Math.max(to - from, line.end * 1e-4) * 4;
    show(this.plot, from - around, to + around);
  },

  paint(u) {
    const { ctx, bbox } = u;
    const scale = bbox.height / this.bottom();
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    for (const { top, high, draw } of this.lanes) {
      const gap = (high > 20 ? 2 : 1) * devicePixelRatio;
      draw(() => pen(u, bbox.top + top * scale + gap, high * scale - 2 * gap));
    }
    ctx.restore();
    if (selection.step !== null) mark(u, line.starts[selection.step], line.starts[selection.step + 1]);
  },

  words(u) {
    const at = (u.cursor.top / u.over.clientHeight) * this.bottom();
    const lane = this.lanes.findLast(({ top }) => top <= at);
    const [data, times] = lane?.name === "before" ? [before, lineBefore] : [profile, line];
    const cycles = u.posToVal(u.cursor.left, "x");
    if (cycles > times.end || !data.steps.length) return null;
    const index = stepAt(times.starts, cycles);
    const step = data.steps[index];
    const row = times.operators[index];
    const part = lane?.ipu === undefined ? -1 : step.ipus.indexOf(lane.ipu);
    const ofIpu = lane?.ipu === undefined ? []
      : [make("div", {}, part < 0 ? `IPU ${lane.ipu} waits` : `IPU ${lane.ipu} computes ${whole.format(step.ipu_compute_cycles[part])} cycles`)];
    return [...ofIpu, make("b", {}, row >= 0 ? `${data.operators[row].name} (${typeOf(data, row)})` : step.name),
      make("div", {}, `step ${index}: ${step.name}, ${step.kind}${step.times > 1 ? `, ${whole.format(step.times)} times` : ""}`),
      make("div", {}, `${whole.format(step.cycles)} cycles: ${PARTS.map((part) => `${part} ${whole.format(step[`${part}_cycles`])}`).join(", ")}`),
      ...(step.transfer_seconds ? [make("div", {}, transferInWords(step))] : [])];
  },
};

/** Lanes, each with the place where it begins and how high it is, in pixels. */
function placed(lanes) {
  let top = 0;
  for (const lane of lanes) {
    lane.top = top;
    lane.high ??= 34;
    top += lane.high;
  }
  return lanes;
}

/** The steps in which each IPU takes part. */
function stepsByIpu() {
  const found = Array.from({ length: profile.machine.ipus }, () => []);
  profile.steps.forEach((step, at) => {
    for (const ipu of step.ipus) found[ipu]?.push(at);
  });
  return found;
}

/** The steps that an IPU takes part in, pale, and when it computes, in the colours of operators. */
function drawIpu(penOf, steps, ipu) {
  const [pale, full] = [penOf(), penOf()];
  let low = 0;
  let high = steps.length;
  while (low < high) {  // The first that has not ended when the plot begins.
    const middle = (low + high) >> 1;
    if (line.starts[steps[middle] + 1] < pale.min) low = middle + 1;
    else high = middle;
  }
  for (let i = low; i < steps.length && line.starts[steps[i]] <= pale.max; i += 1) {
    const at = steps[i];
    const step = profile.steps[at];
    const row = line.operators[at];
    const faded = selection.operator !== null && row !== selection.operator;
    const fill = row < 0 ? ofTheme("sync") : colourOfType(typeOf(profile, row));
    const compute = line.starts[at] + (step.sync_cycles + step.exchange_cycles) * step.times;
    const cycles = step.ipu_compute_cycles[step.ipus.indexOf(ipu)] * step.times;
    pale.box(line.starts[at], line.starts[at + 1], `${fill}40`, "");
    if (cycles && !faded) full.box(compute, compute + cycles, fill, "");
  }
}

/** Draws boxes of one lane from left to right; what falls into one pixel is drawn once. */
function pen(u, top, height) {
  const { ctx, bbox } = u;
  const { min, max } = u.scales.x;
  const scale = bbox.width / (max - min);
  let last = -1;
  return {
    min, max,
    box(from, to, fill, label) {
      const left = Math.max(bbox.left + (from - min) * scale, bbox.left - 2);
      const right = Math.min(bbox.left + (to - min) * scale, bbox.left + bbox.width + 2);
      const end = Math.max(right, left + 1);
      if (end <= last + 0.5) return;
      const width = end - left;
      ctx.fillStyle = fill;
      ctx.fillRect(left, top, width > 3 ? width - 1 : width, height);
      last = end;
      if (label && width > 40 * devicePixelRatio) {
        ctx.save();
        ctx.beginPath();
        ctx.rect(left, top, width - 4, height);
        ctx.clip();
        ctx.fillStyle = "#10151d";
        ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
        ctx.textBaseline = "middle";
        ctx.textAlign = "left";
        ctx.fillText(label, left + 4 * devicePixelRatio, top + height / 2);
        ctx.restore();
      }
    },
  };
}

/** The steps of each operator that follow one another, as one box. */
function drawOperators(to, data, times) {
  if (!data.steps.length) return;
  const count = data.steps.length;
  let i = stepAt(times.starts, to.min);
  while (i > 0 && times.operators[i - 1] === times.operators[i]) i -= 1;
  while (i < count && times.starts[i] <= to.max) {
    const row = times.operators[i];
    let next = i + 1;
    while (next < count && times.operators[next] === row) next += 1;
    if (times.starts[next] > times.starts[i]) {
      const faded = selection.operator !== null && data === profile && row !== selection.operator;
      const noOperator = ofTheme(data.steps[i].transfer_seconds ? "transfer" : "sync");
      const fill = row < 0 ? noOperator : colourOfType(typeOf(data, row));
      to.box(times.starts[i], times.starts[next], faded ? `${fill}40` : fill, row < 0 ? "" : data.operators[row].name);
    }
    i = next;
  }
}

/** A part of each step: it waits for the others of its phase before it. */
function drawPart(to, part) {
  const { steps } = profile;
  const fill = ofTheme(part);
  for (let i = steps.length ? stepAt(line.starts, to.min) : 0; i < steps.length && line.starts[i] <= to.max; i += 1) {
    const step = steps[i];
    let begin = line.starts[i];
    for (const each of PARTS) {
      const length = step[`${each}_cycles`] * step.times;
      if (each === part && length) to.box(begin, begin + length, fill, "");
      begin += length;
    }
  }
}

/** Transfers, those of all executions of a step in a row; they may go on beside other steps. */
function drawTransfers(to, steps) {
  const clock = profile.machine.clock_hz;
  for (const step of steps) {
    const begin = step.transfer_begin_seconds * clock;
    to.box(begin, begin + step.transfer_seconds * step.times * clock, ofTheme("transfer"), step.name);
  }
}

const microseconds = (seconds) => `${(seconds * 1e6).toFixed(1)} us`;
const transferInWords = (step) =>
  `transfer ${microseconds(step.transfer_seconds * step.times)}, of which tiles wait ${microseconds(step.wait_seconds)}`;

/** One step in figures, and what runs in it. */
function showStep(at) {
  const step = profile.steps[at];
  const keys = [["cycles", "cycles of one execution"], ["compute_cycles", "compute"], ["exchange_cycles", "exchange"],
    ["sync_cycles", "sync"], ["times", "times"], ["exchange_bytes", "bytes exchanged"],
    ["live_bytes", "bytes live beside what is always live"], ["fullest_tile_live_bytes", "on the tile that has most"]];
  const list = make("dl", { className: "facts", id: "step-facts" });
  for (const [key, words] of keys) {
    const part = key.replace("_cycles", "");
    const isPart = PARTS.includes(part);
    const bar = isPart ? { width: `${(100 * step[key]) / (step.cycles || 1)}%`, background: `var(--${part})` } : { width: 0 };
    list.append(make("dt", {}, words), make("dd", {}, figure(`steps.${at}.${key}`, step[key])),
      make("div", { className: "bar", style: bar }));
  }
  if (step.transfer_seconds) list.append(make("dt", {}, "transfers"), make("dd", {}, transferInWords(step)), make("div", { className: "bar", style: { width: 0 } }));
  const runs = step.operations.slice(0, 20).map((row) => {
    const { name, vertex, source, operator } = profile.operations[row];
    const of = operator === null ? "" : `, of ${profile.operators[operator].name} (${profile.operators[operator].type})`;
    return make("li", {}, `${name}: ${vertex}${of}${source === "estimator" ? "" : `, cycles by ${source}`}`);
  });
  const more = step.operations.length - runs.length;
  if (more > 0) runs.push(make("li", {}, `and ${more} more`));
  element("step").replaceChildren(make("h3", {}, `Step ${at}: ${step.name} (${step.kind})`), list, make("ul", {}, ...runs));
}

/** The types of operators that take most cycles. */
function dearestTypes(most) {
  const cycles = new Map();
  for (const { type, cycles: own } of profile.operators) cycles.set(type, (cycles.get(type) ?? 0) + own);
  return [...cycles.keys()].sort((a, b) => cycles.get(b) - cycles.get(a)).slice(0, most);
}

function showTrace() {
  if (!profile.steps.length) {
    element("trace-plot").replaceWith(make("p", { className: "empty" }, "The program has no steps."));
    return;
  }
  const button = (words, act) => {
    const made = make("button", { type: "button" }, words);
    made.onclick = act;
    return made;
  };
  element("trace-controls").append(
    button("zoom in", () => zoom(traceView.plot, 0.5)), button("zoom out", () => zoom(traceView.plot, 2)),
    button("all", () => showAll(traceView.plot)), button("the chosen step", () => traceView.focus()),
    ...PARTS.map((part) => key(part, `var(--${part})`)), key("transfer", "var(--transfer)"),
    ...dearestTypes(8).map((type) => key(type, colourOfType(type))));
  traceView.draw();
  selection.on("step", (at) => {
    showStep(at);
    traceView.plot.redraw(false);
    const { min, max } = traceView.plot.scales.x;
    if (line.starts[at] < min || line.starts[at] > max) traceView.focus();
  });
  selection.on("operator", (row) => {
    traceView.plot.redraw(false);
    const first = line.operators.indexOf(row);
    if (row !== null && first >= 0) selection.set("step", first);
  });
}
