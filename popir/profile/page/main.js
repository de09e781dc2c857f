// Puts the page together.

const THEMES = ["auto", "light", "dark"];

function setTheme(name) {
  const root = document.documentElement;
  if (name === "auto") delete root.dataset.theme;
  else root.dataset.theme = name;
  element("theme").textContent = `colours: ${name}`;
  for (const made of plots) made.redraw(false);
}

function start() {
  showSummary();
  showMemory();
  showBalance();
  showLiveness();
  showTrace();
  showTree();
  showTables();
  let theme = 0;
  element("theme").onclick = () => setTheme(THEMES[(theme = (theme + 1) % THEMES.length)]);
  setTheme("auto");
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const made of plots) made.redraw(false);
  });
  document.body.dataset.ready = "true";
}

start();
