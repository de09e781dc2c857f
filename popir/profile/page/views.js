// The tables: operators, their types, classes of vertices, operations, steps, what has changed.

/** Cycles of rows; not of those that have vertices whose cycles are not known. */
const known = (title, of) => ({
  ...number(title, (row) => ((row.source ?? "").includes("unknown") ? "unknown" : of(row))), size: of,
});
const costs = [
  known("cycles", (row) => row.cycles), known("compute", (row) => row.compute_cycles),
  number("exchange", (row) => row.exchange_cycles), number("sync", (row) => row.sync_cycles),
  number("FLOPs", (row) => row.flops, "9rem"), number("bytes exchanged", (row) => row.exchange_bytes, "10rem"),
];
const NARROW = { "7rem": "6rem", "9rem": "8rem", "10rem": "9.8rem" };
const narrow = costs.map((column) => ({ ...column, width: NARROW[column.width] }));
/** What all tiles compute in a step, over what they would if all were as loaded as the slowest one. */
const balanceOf = ({ step }) => (step.compute_cycles ? step.mean_compute_cycles / step.compute_cycles : 0);

const SUMMED = ["cycles", "compute_cycles", "exchange_cycles", "sync_cycles", "flops", "exchange_bytes"];

/** Sums of rows that have the same key, in the order in which keys are first met. */
function grouped(rows, key, more = []) {
  const found = new Map();
  for (const row of rows) {
    const name = key(row);
    if (!found.has(name)) found.set(name, { name, count: 0, ...Object.fromEntries([...SUMMED, ...more].map((part) => [part, 0])) });
    const sum = found.get(name);
    sum.count += 1;
    for (const part of [...SUMMED, ...more]) sum[part] += row[part];
  }
  return [...found.values()];
}

const MEMORY = ["output_bytes", "weight_bytes", "gathered_bytes", "vertex_state_bytes", "exchange_code_bytes"];
const memoryColumns = MEMORY.map((key) => number(`${key.replace("_bytes", "").replace("_", " ")} bytes`, (row) => row[key], key.includes("code") || key.includes("state") ? "12.5rem" : "9.5rem"));

/** Where the cycles of an operator come from: the sources of its operations, as a text. */
const sourcesOf = new Map(profile.operators.map((operator) => [operator, new Set()]));
for (const step of profile.steps) {
  if (step.operator === null) continue;
  for (const row of step.operations) sourcesOf.get(profile.operators[step.operator]).add(profile.operations[row].source);
}
const cyclesBy = (operator) => [...sourcesOf.get(operator)].join(", ");

/** Operators of both profiles by name and type, with what they cost before and after. */
function compared() {
  const rows = new Map();
  const add = (data, side) => data.operators.forEach((operator, index) => {
    const key = `${operator.name}\n${operator.type}`;
    const { name, type } = operator;
    if (!rows.has(key)) rows.set(key, { name, type, before: null, after: null, index: -1 });
    const row = rows.get(key);
    row[side] ??= Object.fromEntries(SUMMED.map((part) => [part, 0]));
    for (const part of SUMMED) row[side][part] += operator[part];
    if (side === "after") row.index = index;
  });
  add(profile, "after");
  add(before, "before");
  return [...rows.values()];
}

const side = (row, which, part) => (row[which] ? row[which][part] : 0);
const delta = (part) => (row) => side(row, "after", part) - side(row, "before", part);
const fate = (row) => (row.before ? (row.after ? "both" : "gone") : "new");

const views = {
  operators: () => ({
    rows: profile.operators,
    columns: [text("operator", (row) => row.name), text("type", (row) => row.type, "10rem"), ...costs, text("cycles by", cyclesBy, "6.5rem")],
    choose: (index) => selection.set("operator", index),
  }),
  memory: () => ({
    rows: profile.operators,
    columns: [text("operator", (row) => row.name), text("type", (row) => row.type, "10rem"), ...memoryColumns],
    choose: (index) => selection.set("operator", index),
  }),
  types: () => ({
    rows: grouped(profile.operators, (row) => `${row.domain}.${row.type}`, MEMORY),
    columns: [text("type", (row) => row.name), number("operators", (row) => row.count, "7.5rem"), ...costs],
  }),
  vertices: () => ({
    rows: grouped(profile.operations, (row) => row.vertex),
    columns: [text("class of vertices", (row) => row.name), number("operations", (row) => row.count, "8rem"), ...costs],
  }),
  operations: () => ({
    rows: profile.operations,
    columns: [text("operation", (row) => row.name), text("class of vertices", (row) => row.vertex, "9.5rem"), text("cycles by", (row) => row.source, "6.5rem"),
      text("operator", (row) => (row.operator === null ? "" : profile.operators[row.operator].name), "7rem"),
      ...narrow, number("times", (row) => row.times, "4.5rem")],
    choose: (index) => {
      const step = profile.steps.findIndex((each) => each.operations.includes(index));
      if (step >= 0) selection.set("step", step);
    },
  }),
  steps: () => ({
    rows: profile.steps.map((step, index) => ({ index, step })),
    columns: [number("step", (row) => row.index, "4.5rem"), text("name", (row) => row.step.name, "minmax(8rem, 1fr)"), text("kind", (row) => row.step.kind, "6rem"),
      ...["cycles", "compute_cycles", "exchange_cycles", "sync_cycles"].map((part) => number(part.replace("_cycles", ""), (row) => row.step[part], "6rem")),
      number("times", (row) => row.step.times, "4.5rem"), balanced("balance", balanceOf, "5.5rem"),
      number("bytes exchanged", (row) => row.step.exchange_bytes, "9.8rem"), number("bytes live", (row) => row.step.live_bytes, "7rem"),
      number("on the fullest", (row) => row.step.fullest_tile_live_bytes, "8rem")],
    choose: (index) => selection.set("step", index),
  }),
};
if (before) {
  const changed = compared();
  views.changes = () => ({
    rows: changed,
    columns: [text("operator", (row) => row.name), text("type", (row) => row.type, "13rem"), text("in", fate, "5rem"),
      difference("change of cycles", delta("cycles"), "11rem"), number("cycles before", (row) => side(row, "before", "cycles"), "9rem"),
      number("cycles after", (row) => side(row, "after", "cycles"), "9rem"), difference("change of FLOPs", delta("flops"), "10rem"),
      difference("of bytes exchanged", delta("exchange_bytes"), "11rem")],
    choose: (row) => { if (changed[row].index >= 0) selection.set("operator", changed[row].index); },
  });
}

const tableOf = { current: null };

function openTable(name) {
  const { rows, columns, choose } = views[name]();
  tableOf.current = new Table(element("table"), columns, rows, choose, name);
  tableOf.current.filter(element("search").value);
  count();
}

function count() {
  const { shown, rows } = tableOf.current;
  element("count").textContent = `${whole.format(shown.length)} of ${whole.format(rows.length)}`;
}

function showTables() {
  const names = Object.keys(views);
  if (before) names.unshift(names.pop());
  const search = make("input", { type: "search", id: "search", placeholder: "filter by name or type", "aria-label": "Filter the rows" });
  search.oninput = () => {
    tableOf.current.filter(search.value);
    count();
  };
  element("tables-controls").append(choice("Table", names, openTable), search, make("span", { id: "count", role: "status" }), saving(() => tableOf.current));
  openTable(names[0]);
}
