// The head of the page, the cards, what stands out, and what fills the fullest tile.

function showHead() {
  const { model, machine } = profile;
  element("model").textContent = before ? `${before.model.name} → ${model.name}` : model.name;
  const kind = model.training === null ? "program" : model.training ? "training step" : "inference";
  const ipus = `${machine.ipus} × ${machine.target}, ${whole.format(tiles)} tiles`;
  const clock = `${brief(machine.clock_hz, "Hz")}`;
  element("subtitle").textContent = `${kind} on ${ipus} at ${clock}; simulated, popir ${profile.popir}`;
}

function card(title, path, value, unit, lines, was, lessIsBetter) {
  const made = make("div", { className: "card" }, make("h3", {}, title),
    make("strong", {}, figure(path, value)), unit ? ` ${unit}` : "");
  for (const text of lines) made.append(make("p", {}, text));
  if (before) made.append(make("p", {}, "before ", whole.format(was), ", ", change(was, value, lessIsBetter)));
  return made;
}

/** The share of each source in the cycles of operations, the largest first, as a text. */
function cyclesBySource() {
  const rows = grouped(profile.operations, (row) => row.source).sort((a, b) => b.cycles - a.cycles);
  const all = rows.reduce((sum, row) => sum + row.cycles, 0);
  return `by ${rows.map((row) => `${row.name} ${percent(row.cycles, all)}`).join(", ")}`;
}

function showCards() {
  const { totals, memory, machine } = profile;
  const was = before ?? profile;
  const speed = totals.seconds ? totals.flops / totals.seconds : 0;
  const all = tiles * machine.bytes_per_tile;
  const used = machine.bytes_per_tile ? memory.max_tile_bytes / machine.bytes_per_tile : 0;
  const fullest = card("Fullest tile", "memory.max_tile_bytes", memory.max_tile_bytes, "bytes", [
    `tile ${memory.fullest_tile}: ${percent(memory.max_tile_bytes, machine.bytes_per_tile)} of ` +
      `${whole.format(machine.bytes_per_tile)}`,
  ], was.memory.max_tile_bytes);
  const inside = make("div", { className: used > 1 ? "over" : "", style: { width: `${Math.min(100 * used, 100)}%` } });
  fullest.append(make("div", { className: "meter" }, inside));
  element("cards").append(
    card(totals.unknown.length ? "Cycles, at least" : "Cycles", "totals.cycles", totals.cycles, "", [`${duration(totals.seconds)} a run`, cyclesBySource()], was.totals.cycles),
    card("FLOPs", "totals.flops", totals.flops, "", [`${brief(speed, "FLOP/s")}`], was.totals.flops, false),
    card("Exchange", "totals.exchange_bytes", totals.exchange_bytes, "bytes",
      machine.ipus > 1
        ? [`${whole.format(totals.inter_ipu_bytes)} between IPUs, ${whole.format(totals.inter_ipu_cycles)} cycles`]
        : [], was.totals.exchange_bytes),
    card("Memory", "memory.total_bytes", memory.total_bytes, "bytes",
      [`${percent(memory.total_bytes, all)} of all tiles`], was.memory.total_bytes),
    fullest,
    card("From the host", "totals.host_bytes_in", totals.host_bytes_in, "bytes",
      [`to the host ${whole.format(totals.host_bytes_out)}`, `${whole.format(totals.host_transfers)} transfers, ${duration(totals.host_seconds)}, in no cycles`,
        `${duration(totals.run_seconds)} a run with transfers, ${duration(totals.overlap_seconds)} of them beside compute`],
      was.totals.host_bytes_in));
  if (memory.streaming_bytes || was.memory.streaming_bytes) {
    element("cards").append(card("Streaming memory", "memory.streaming_bytes", memory.streaming_bytes, "bytes", [
      `in ${whole.format(totals.streaming_bytes_in)}, out ${whole.format(totals.streaming_bytes_out)}`,
      `${duration(totals.streaming_seconds)}, in no cycles`,
    ], was.memory.streaming_bytes));
  }
}

/** Compute, exchange and sync as parts of one bar. */
function showShares() {
  const { totals } = profile;
  const parts = ["compute", "exchange", "sync"];
  const words = parts.map((part) => `${part} ${percent(totals[`${part}_cycles`], totals.cycles)}`);
  element("shares").setAttribute("aria-label", words.join(", "));
  parts.forEach((part, i) => {
    const cycles = totals[`${part}_cycles`];
    element("shares").append(make("div", {
      title: `${words[i]}: ${whole.format(cycles)} cycles`,
      "data-path": `totals.${part}_cycles`, "data-value": cycles,
      style: { flexGrow: cycles, flexBasis: 0, background: `var(--${part})` },
    }, words[i]));
  });
}

const link = (text, act) => {
  const made = make("a", { href: "#" }, text);
  made.onclick = (event) => { event.preventDefault(); act(); };
  return made;
};

function largest(rows, of) {
  let found = -1;
  rows.forEach((row, i) => { if (found < 0 || of(row) > of(rows[found])) found = i; });
  return found;
}

/** Sentences on what an IPU programmer would look for first. */
function findings() {
  const { memory, machine, totals, operators, steps } = profile;
  const found = [];
  const fill = memory.categories.map((c) => [c.fullest_tile_bytes, c.name]).sort((a, b) => b[0] - a[0]);
  for (const name of totals.unknown) {
    found.push(make("span", { className: "warning" },
      `Nobody says what vertices of class ${name} take: they are in no cycles here, which are at least so many.`));
  }
  if (memory.tiles_out_of_memory) {
    found.push(make("span", { className: "warning" },
      figure("memory.tiles_out_of_memory", memory.tiles_out_of_memory),
      ` of ${whole.format(tiles)} tiles need more than the ${whole.format(machine.bytes_per_tile)} bytes they have.`));
  }
  const filled = fill.filter(([bytes]) => bytes).slice(0, 3)
    .map(([bytes, name]) => `${name} ${percent(bytes, memory.max_tile_bytes)}`).join(", ");
  const owner = memory.owners[0];
  found.push(make("span", {}, link(`Tile ${memory.fullest_tile}`, () => {
    selection.set("tile", memory.fullest_tile);
    element("memory").scrollIntoView();
  }), ` is the fullest; in it ${filled}.`,
  owner ? ` Most of a single owner: ${named(owner)}, ${whole.format(owner.bytes)} bytes.` : ""));
  const mean = steps.reduce((sum, step) => sum + step.mean_compute_cycles * step.times, 0);
  if (totals.compute_cycles) {
    found.push(`Tiles compute ${percent(mean, totals.compute_cycles)} of the time that the slowest one does; the rest they wait for it.`);
  }
  if (totals.inter_ipu_cycles) {
    found.push(`Links between IPUs take ${percent(totals.inter_ipu_cycles, totals.cycles)} of all cycles.`);
  }
  const dearest = largest(operators, (operator) => operator.cycles);
  if (dearest >= 0) {
    const { name, type, cycles } = operators[dearest];
    found.push(make("span", {}, "The dearest operator is ", link(`${name} (${type})`, () => {
      selection.set("operator", dearest);
      element("trace").scrollIntoView();
    }), `: ${whole.format(cycles)} cycles, ${percent(cycles, totals.cycles)} of all.`));
  }
  const worst = largest(steps, (step) => step.live_bytes);
  if (worst >= 0) {
    found.push(make("span", {}, "Most is live in ", link(`step ${worst}, ${steps[worst].name}`, () => {
      selection.set("step", worst);
      element("liveness").scrollIntoView();
    }), `: ${whole.format(steps[worst].live_bytes)} bytes beside what is always live.`));
  }
  return found;
}

/** The collectives between replicas, in a table, if there are several. */
function showPod() {
  const { pod } = profile;
  if (!pod) return;
  const columns = ["collective", "algorithm", "bytes", "over IPU-Links", "over GW-Links", "times", "time", "share"];
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...columns.map((name) => make("th", {}, name)))));
  const body = make("tbody", {});
  pod.collectives.forEach((each, i) => {
    const at = `pod.collectives.${i}`;
    const cells = [each.name, each.algorithm, figure(`${at}.bytes`, each.bytes),
      figure(`${at}.link_bytes`, each.link_bytes), figure(`${at}.gateway_bytes`, each.gateway_bytes),
      whole.format(each.times), duration(each.seconds), percent(each.seconds * each.times, pod.seconds)];
    body.append(make("tr", {}, ...cells.map((cell) => make("td", {}, cell))));
  });
  table.append(body);
  element("pod").append(
    make("h3", {}, `${whole.format(pod.replicas)} replicas, ${whole.format(pod.ipus)} IPUs`),
    make("p", {}, `${duration(pod.seconds)} a step: ${duration(pod.replica_seconds)} of one replica, ` +
      `${duration(pod.transfer_seconds)} of transfers, ` +
      `${duration(pod.collective_seconds)} of collectives (${percent(pod.collective_seconds, pod.seconds)}).`));
  if (pod.collectives.length) element("pod").append(table);
}

const named = ({ name, category }) => (name === category ? name : `${name} (${category})`);

function showOwners() {
  const { owners, fullest_tile: tile, max_tile_bytes: most } = profile.memory;
  element("owners-title").textContent = `What fills tile ${tile}`;
  const list = make("dl", { className: "facts" });
  owners.forEach((owner, i) => {
    list.append(make("dt", {}, named(owner)),
      make("dd", {}, figure(`memory.owners.${i}.bytes`, owner.bytes)),
      make("div", { className: "bar", style: {
        width: `${(100 * owner.bytes) / (owners[0].bytes || 1)}%`, background: colour(owner.category),
      }, title: `${percent(owner.bytes, most)} of the tile's bytes` }));
  });
  element("owners").append(owners.length ? list : "nothing");
}

function showSummary() {
  showHead();
  showCards();
  showShares();
  element("findings").append(...findings().map((words) => make("li", {}, words)));
  showPod();
  showOwners();
  element("counted").append(...profile.notes.map((note) => make("li", {}, note)));
}
