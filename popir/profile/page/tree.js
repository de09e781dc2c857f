// The tree of the program: sequences, loops and calls, with the steps as leaves.

const treeView = {
  open: new Set(), // indices of `profile.tree`
  rows: [],
  chosen: null, // a row's key
  parents: [], // of each node: the index of the node around it, or -1

  /** What is inside of a node, or of the program: nodes, and steps that are in none of these. */
  inside(node) {
    const { tree, steps } = profile;
    const depth = node < 0 ? 0 : tree[node].depth + 1;
    const begin = node < 0 ? 0 : tree[node].first_step;
    const end = node < 0 ? steps.length : begin + tree[node].steps;
    const found = [];
    let at = begin;
    for (let i = node + 1; i < tree.length && tree[i].depth >= depth; i += 1) {
      if (tree[i].depth > depth) continue;
      for (; at < tree[i].first_step; at += 1) found.push({ step: at, depth });
      found.push({ node: i, depth });
      at = tree[i].first_step + tree[i].steps;
    }
    for (; at < end; at += 1) found.push({ step: at, depth });
    return found;
  },

  /** The rows in sight, from the nodes that are open. */
  arrange() {
    const rows = [];
    const add = (node) => {
      for (const row of this.inside(node)) {
        rows.push(row);
        if (row.node !== undefined && this.open.has(row.node)) add(row.node);
      }
    };
    add(-1);
    this.rows = rows;
    this.body.style.height = `${rows.length * ROW}px`;
    this.draw();
  },

  keyOf: (row) => (row.node === undefined ? `s${row.step}` : `n${row.node}`),

  toggle(node, open = !this.open.has(node)) {
    if (open) this.open.add(node);
    else this.open.delete(node);
    this.arrange();
  },

  row(at) {
    const row = this.rows[at];
    const isNode = row.node !== undefined;
    const found = isNode ? profile.tree[row.node] : profile.steps[row.step];
    const first = isNode ? found.first_step : row.step;
    const cycles = line.cycles[isNode ? first + found.steps : first + 1] - line.cycles[first];
    const kind = found.kind === "Repeat" && profile.steps[first] && found.times
      ? `Repeat, ${whole.format(profile.steps[first].times)} times` : found.kind;
    const made = make("div", {
      className: "row", role: "treeitem", "aria-level": row.depth + 1, "data-key": this.keyOf(row),
      "aria-selected": String(this.keyOf(row) === this.chosen), style: { top: `${at * ROW}px`, gridTemplateColumns: this.widths },
    });
    if (isNode) made.setAttribute("aria-expanded", String(this.open.has(row.node)));
    const sign = isNode ? (this.open.has(row.node) ? "▾ " : "▸ ") : "";
    const name = make("div", { role: "presentation", style: { paddingLeft: `${0.6 + Math.min(row.depth, 20) * 1.1}rem` } },
      `${sign}${isNode ? found.name || found.kind : `${row.step}: ${found.name}`}`);
    name.title = found.name;
    const numbers = [isNode ? whole.format(found.steps) : "", whole.format(cycles), percent(cycles, line.cycles.at(-1))];
    made.append(name, make("div", { role: "presentation" }, kind),
      ...numbers.map((text) => make("div", { role: "presentation", className: "number" }, text)));
    made.onclick = () => this.take(at, true);
    return made;
  },

  draw() {
    const first = Math.max(Math.floor(this.scroll.scrollTop / ROW) - SPARE, 0);
    const last = Math.min(first + Math.ceil(this.scroll.clientHeight / ROW) + 2 * SPARE, this.rows.length);
    const made = [];
    for (let at = first; at < last; at += 1) made.push(this.row(at));
    this.body.replaceChildren(...made);
  },

  /** Chooses a row; a step is chosen everywhere, and a click on a node opens or closes it. */
  take(at, isClick) {
    const row = this.rows[at];
    this.chosen = this.keyOf(row);
    if (row.node === undefined) selection.set("step", row.step);
    else if (isClick) this.toggle(row.node);
    this.draw();
  },

  /** Opens what is around a step, and brings it into sight. */
  reveal(step) {
    for (let node = this.nodeOf(step); node >= 0; node = this.parents[node]) this.open.add(node);
    this.chosen = `s${step}`;
    this.arrange();
    const at = this.rows.findIndex((row) => row.step === step);
    const top = at * ROW;
    if (top < this.scroll.scrollTop || top > this.scroll.scrollTop + this.scroll.clientHeight - 2 * ROW) {
      this.scroll.scrollTop = Math.max(top - 3 * ROW, 0);
    }
    this.draw();
  },

  /** The innermost node around a step: of those that begin before its end, the last that holds it. */
  nodeOf(step) {
    for (let i = profile.tree.length - 1; i >= 0; i -= 1) {
      const { first_step: first, steps } = profile.tree[i];
      if (first <= step && step < first + steps) return i;
    }
    return -1;
  },

  key(event) {
    const at = this.rows.findIndex((row) => this.keyOf(row) === this.chosen);
    const row = this.rows[at];
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: this.rows.length - 1 }[event.key];
    const opens = { ArrowRight: true, ArrowLeft: false }[event.key];
    if (event.key === "Enter" && row?.node !== undefined) this.toggle(row.node);
    else if (opens !== undefined && row?.node !== undefined) this.toggle(row.node, opens);
    else if (to !== undefined && this.rows.length) {
      const next = Math.max(0, Math.min(to, this.rows.length - 1));
      const room = this.scroll.clientHeight - 2 * ROW;
      if (next * ROW < this.scroll.scrollTop) this.scroll.scrollTop = next * ROW;
      else if (next * ROW > this.scroll.scrollTop + room) this.scroll.scrollTop = next * ROW - room;
      this.take(next, false);
    } else return;
    event.preventDefault();
  },

  show() {
    const around = [];
    profile.tree.forEach(({ depth }, i) => {
      this.parents.push(depth ? around[depth - 1] : -1);
      around[depth] = i;
    });
    this.widths = "minmax(16rem, 1fr) 10rem 5rem 8.5rem 5rem";
    this.body = make("div", { className: "body", role: "presentation" });
    const titles = ["part of the program", "kind", "steps", "cycles", "share"];
    const head = make("div", { className: "row head", role: "presentation", style: { gridTemplateColumns: this.widths } },
      ...titles.map((title, i) => make("div", { className: i > 1 ? "number title" : "title" }, title)));
    this.scroll = make("div", { className: "scroll", tabIndex: 0, role: "tree", "aria-label": "Parts of the program" }, head, this.body);
    this.scroll.addEventListener("scroll", () => this.draw());
    this.scroll.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.scroll);
    element("tree").replaceChildren(this.scroll);
    let only = this.inside(-1);
    while (only.length === 1 && only[0].node !== undefined) {
      this.open.add(only[0].node);
      only = this.inside(only[0].node);
    }
    this.arrange();
  },
};

function showTree() {
  if (!profile.steps.length) {
    element("tree").append(make("p", { className: "empty" }, "The program has no steps."));
    return;
  }
  treeView.show();
  selection.on("step", (at) => treeView.reveal(at));
}
