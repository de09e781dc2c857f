// Tables of thousands of rows: sorted, filtered, and only the rows in sight made.

const ROW = 28;
const SPARE = 8;

/** A column: its title, what a row has there, how wide it is, and whether it is a number. */
const text = (title, of, width = "minmax(10rem, 1fr)") => ({ title, of, width, isNumber: false });
const number = (title, of, width = "7rem") => ({ title, of, width, isNumber: true, size: of });
/** A part of one, in per cent. */
const balanced = (title, of, width) => ({ ...number(title, of, width), words: (value) => percent(value, 1) });
/** A difference: the largest come first, whichever way they go. */
const difference = (title, of, width) => ({ ...number(title, of, width), size: (row) => Math.abs(of(row)) });

/** A table with a sticky head; `choose(index)` hears of rows chosen by click, Enter or space. */
class Table {
  constructor(host, columns, rows, choose, label) {
    Object.assign(this, { columns, rows, choose, label, chosen: -1, words: "" });
    this.order = { by: columns.findIndex((column) => column.isNumber), down: true };
    if (this.order.by < 0) this.order.by = 0;
    this.body = make("div", { className: "body", role: "rowgroup" });
    this.head = make("div", { className: "row head", role: "row" });
    this.scroll = make("div", { className: "scroll", tabIndex: 0, role: "grid", "aria-label": label }, this.head, this.body);
    this.scroll.addEventListener("scroll", () => this.draw());
    this.scroll.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.scroll);
    const widths = columns.map((column) => column.width).join(" ");
    this.head.style.gridTemplateColumns = widths;
    this.widths = widths;
    host.replaceChildren(this.scroll);
    columns.forEach((column, i) => {
      const button = make("button", { type: "button", title: `sort by ${column.title}` });
      button.onclick = () => this.sort(i);
      this.head.append(make("div", { role: "columnheader", className: column.isNumber ? "number" : "" }, button));
    });
    this.arrange();
  }

  sort(by) {
    this.order = { by, down: this.order.by === by ? !this.order.down : this.columns[by].isNumber };
    this.arrange();
  }

  filter(words) {
    this.words = words.toLowerCase();
    this.arrange();
  }

  /** Which rows are shown, in which order. */
  arrange() {
    const { by, down } = this.order;
    const { of, isNumber, size } = this.columns[by];
    const texts = this.columns.filter((column) => !column.isNumber);
    const parts = this.words.split(/\s+/).filter(Boolean);
    const fits = (row) => {
      if (!parts.length) return true;
      const all = texts.map((column) => column.of(row)).join(" ").toLowerCase();
      return parts.every((part) => all.includes(part));
    };
    const compare = isNumber ? (a, b) => size(a) - size(b) : (a, b) => of(a).localeCompare(of(b));
    const indices = this.rows.map((_, i) => i).filter((i) => fits(this.rows[i]));
    indices.sort((a, b) => (down ? -1 : 1) * compare(this.rows[a], this.rows[b]) || a - b);
    this.shown = indices;
    [...this.head.children].forEach((cell, i) => {
      const sorted = i === by ? (down ? "descending" : "ascending") : "none";
      cell.setAttribute("aria-sort", sorted);
      cell.firstChild.textContent = this.columns[i].title + (i === by ? (down ? " ▾" : " ▴") : "");
    });
    this.scroll.setAttribute("aria-rowcount", indices.length);
    this.body.style.height = `${Math.max(indices.length, 1) * ROW}px`;
    this.scroll.scrollTop = 0;
    this.draw();
  }

  /** The rows that are shown, in their order, as comma-separated values (RFC 4180). */
  csv() {
    const cell = (value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : String(value));
    const lines = [this.columns.map((column) => column.title)];
    for (const index of this.shown) lines.push(this.columns.map((column) => column.of(this.rows[index])));
    return lines.map((line) => `${line.map(cell).join(",")}\r\n`).join("");
  }

  draw() {
    const first = Math.max(Math.floor(this.scroll.scrollTop / ROW) - SPARE, 0);
    const last = Math.min(first + Math.ceil(this.scroll.clientHeight / ROW) + 2 * SPARE, this.shown.length);
    const made = [];
    for (let at = first; at < last; at += 1) made.push(this.row(at));
    if (!this.shown.length) made.push(make("div", { className: "empty" }, "Nothing fits."));
    this.body.replaceChildren(...made);
  }

  row(at) {
    const index = this.shown[at];
    const row = make("div", {
      className: "row", role: "row", "aria-rowindex": at + 1, "aria-selected": String(index === this.chosen),
      "data-row": index, style: { top: `${at * ROW}px`, gridTemplateColumns: this.widths },
    });
    for (const column of this.columns) {
      const value = column.of(this.rows[index]);
      const words = column.words ? column.words(value) : column.isNumber && typeof value === "number" ? whole.format(value) : value;
      row.append(make("div", { role: "gridcell", className: column.isNumber ? "number" : "", title: words }, words));
    }
    row.onclick = () => this.take(at);
    return row;
  }

  take(at) {
    this.chosen = this.shown[at];
    this.draw();
    this.choose?.(this.chosen);
  }

  key(event) {
    const page = Math.floor(this.scroll.clientHeight / ROW) - 1;
    const at = this.shown.indexOf(this.chosen);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: this.shown.length - 1 }[event.key];
    if (to === undefined || !this.shown.length || event.target !== this.scroll) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(to, this.shown.length - 1));
    const top = next * ROW;
    const room = this.scroll.clientHeight - 2 * ROW;
    if (top < this.scroll.scrollTop) this.scroll.scrollTop = top;
    else if (top > this.scroll.scrollTop + room) this.scroll.scrollTop = top - room;
    this.take(next);
  }
}

/** A button that saves the rows which a table shows. */
function saving(tableNow, title) {
  const button = make("button", { type: "button", title: "save the rows that are shown" }, "CSV");
  if (title) button.setAttribute("aria-label", `CSV of ${title}`);
  button.onclick = () => {
    const table = tableNow();
    const href = URL.createObjectURL(new Blob([table.csv()], { type: "text/csv" }));
    make("a", { href, download: `${table.label}.csv` }).click();
    URL.revokeObjectURL(href);
  };
  return button;
}

/** A table that is as high as its rows, up to ten, below its title. */
function smallTable(host, title, rows, columns, choose) {
  const room = make("div", {});
  const count = rows.length === 1 ? "" : ` (${whole.format(rows.length)})`;
  host.replaceChildren(make("h4", {}, title[0].toUpperCase() + title.slice(1) + count, " ", saving(() => table, title)), room);
  const table = new Table(room, columns, rows, choose, title);
  table.scroll.style.height = `${(Math.min(Math.max(rows.length, 1), 10) + 1) * ROW + 4}px`;
  table.draw();
}
