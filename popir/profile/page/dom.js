// Elements, numbers as text, colours.

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const element = (id) => document.getElementById(id);

/** An element with properties, `data-` and `aria-` attributes, and children: elements or text. */
function make(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role" || name === "for") made.setAttribute(name, value);
    else if (name === "style") Object.assign(made.style, value);
    else made[name] = value;
  }
  made.append(...children);
  return made;
}

/** A whole number, all of it; names the place in the profile that it stands at. */
function figure(path, value) {
  return make("span", { "data-path": path }, whole.format(value));
}

const percent = (part, all) => (all ? `${((100 * part) / all).toFixed(1)} %` : "-");

/** Three digits and a prefix: 4.30 M. */
function brief(value, unit = "") {
  const prefixes = ["", "k", "M", "G", "T", "P"];
  let n = value;
  let i = 0;
  while (Math.abs(n) >= 999.5 && i < prefixes.length - 1) {
    n /= 1000;
    i += 1;
  }
  const digits = i === 0 && Number.isInteger(n) ? 0 : Math.abs(n) < 10 ? 2 : Math.abs(n) < 100 ? 1 : 0;
  return `${n.toFixed(digits)} ${prefixes[i]}${unit}`.trim();
}

/** Numbers of an axis, all with one prefix and as many digits as tell neighbours apart. */
function ticks(values, unit = "") {
  const prefixes = ["", "k", "M", "G", "T", "P"];
  const most = Math.max(...values.map(Math.abs));
  const i = Math.max(0, Math.min(Math.floor(Math.log10(most || 1) / 3), prefixes.length - 1));
  const scale = 1000 ** i;
  const apart = values.length > 1 ? Math.abs(values[1] - values[0]) / scale : 1;
  const digits = Math.max(0, Math.min(Math.ceil(-Math.log10(apart) - 1e-9), 9));
  const format = new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return values.map((value) => `${format.format(value / scale)} ${prefixes[i]}${unit}`.trim());
}

function duration(seconds) {
  const units = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
  const [size, unit] = units.find(([least]) => seconds >= least) ?? units[3];
  return `${(seconds / size).toPrecision(4)} ${unit}`;
}

/** What has become of a number: "-12,345 (-3.1 %)"; less is better unless said otherwise. */
function change(before, after, lessIsBetter = true) {
  const delta = after - before;
  const sign = delta > 0 ? "+" : "−";
  const relative = before ? ` (${sign}${Math.abs((100 * delta) / before).toFixed(1)} %)` : "";
  const kind = delta < 0 === lessIsBetter ? "better" : "worse";
  if (delta === 0) return make("span", {}, "unchanged");
  const text = `${sign}${whole.format(Math.abs(delta))}${relative}`;
  return make("span", { className: kind }, text);
}

const palette = [
  "#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#b07aa1", "#edc948", "#9c755f",
  "#ff9da7", "#a0cbe8", "#b6992d", "#d37295", "#499894", "#8c8ccf",
];
const colours = () => {
  const known = new Map();
  return (name) => {
    if (!known.has(name)) known.set(name, palette[known.size % palette.length]);
    return known.get(name);
  };
};
/** The colour of a category of memory, and of a type of operator: the same wherever it is shown. */
const colour = colours();
const colourOfType = colours();

const ofTheme = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** A patch of colour and what it stands for. */
function key(name, background) {
  return make("label", {}, make("span", { className: "swatch", style: { background } }), name);
}

/** Buttons of which one is pressed; `chosen` hears which. */
function choice(label, names, chosen) {
  const group = make("span", { className: "group", role: "group", "aria-label": label });
  names.forEach((name, i) => {
    const button = make("button", { type: "button", "aria-pressed": String(i === 0) }, name);
    button.onclick = () => {
      for (const each of group.children) each.setAttribute("aria-pressed", String(each === button));
      chosen(name);
    };
    group.append(button);
  });
  return group;
}

/** What is selected: a tile, a step, an operator. `on` hears of changes. */
const selection = {
  tile: null, step: null, operator: null, hearers: [],
  on(what, hear) { this.hearers.push([what, hear]); },
  set(what, value) {
    this[what] = value;
    for (const [about, hear] of this.hearers) if (about === what) hear(value);
  },
};
