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

/** Colours that are none of a phase's: the hues of compute (215) and exchange (35), and grey, are left out. */
const palette = [55, 62, 72].flatMap((lightness) =>
  [0, 120, 285, 60, 175, 330, 90, 255, 150, 308].map((hue) => hexOf(hue, lightness === 72 ? 70 : 48, lightness)));

function hexOf(hue, saturation, lightness) {
  const l = lightness / 100;
  const a = (saturation / 100) * Math.min(l, 1 - l);
  const part = (n) => {
    const k = (n + hue / 30) % 12;
    const value = l - a * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return Math.round(255 * value).toString(16).padStart(2, "0");
  };
  return `#${part(0)}${part(8)}${part(4)}`;
}

/** A colour for each name, that of its letters; a name whose colour is taken, in alphabetical order, gets the next one. */
function coloursOf(names) {
  const taken = new Set();
  const known = new Map();
  for (const name of [...new Set(names)].sort()) {
    let at = 0;
    for (const letter of name) at = (at * 31 + letter.codePointAt(0)) % 65521;
    at %= palette.length;
    while (taken.size < palette.length && taken.has(at)) at = (at + 1) % palette.length;
    taken.add(at);
    known.set(name, palette[at]);
  }
  return (name) => known.get(name) ?? palette[0];
}

const CATEGORIES = [
  "variables", "constants", "vertex state", "vertex code", "exchange code", "control code", "stack", "gaps",
  "temporaries", "gathered operands", "host exchange buffers", "gaps of temporaries",
];
/** The colour of a category of memory: the same in every profile. */
const colour = (name) => palette[(CATEGORIES.indexOf(name) + palette.length) % palette.length];

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
