// The profile and what follows from it.

const profile = JSON.parse(element("profile").textContent);
const before = JSON.parse(element("before").textContent);

/** When steps begin, in cycles: with the waits for transfers before them, and without; what operator each belongs to.
 * A step runs `times` in a row. */
function timeline(data) {
  const starts = new Float64Array(data.steps.length + 1);
  const cycles = new Float64Array(data.steps.length + 1);
  const operators = Int32Array.from(data.steps, (step) => step.operator ?? -1);
  data.steps.forEach((step, i) => {
    cycles[i + 1] = cycles[i] + step.cycles * step.times;
    starts[i + 1] = starts[i] + step.cycles * step.times + step.wait_seconds * data.machine.clock_hz;
  });
  return { starts, cycles, operators, end: starts[data.steps.length] };
}

const line = timeline(profile);
const lineBefore = before && timeline(before);
const tiles = profile.machine.ipus * profile.machine.tiles_per_ipu;
const alwaysLive = (data) =>
  data.memory.categories.reduce((sum, c) => sum + (c.always_live ? c.total_bytes : 0), 0);

/** What a tile has, of stretches of tiles [begin, end, each]. */
function onTile(stretches, tile) {
  let low = 0;
  let high = stretches.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [begin, end, each] = stretches[middle];
    if (tile < begin) high = middle - 1;
    else if (tile >= end) low = middle + 1;
    else return each;
  }
  return 0;
}

/** The step that runs at a time in cycles: the last that has begun. */
function stepAt(starts, cycles) {
  let low = 0;
  let high = starts.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle] <= cycles) low = middle;
    else high = middle - 1;
  }
  return low;
}

const typeOf = (data, row) => {
  const operator = data.operators[row];
  return operator ? operator.type : "(no operator)";
};

/** The colour of a type of operators: that of its name, the same wherever it is shown. */
const colourOfType = coloursOf([profile, before].filter(Boolean).flatMap((data) => data.operators.map((row) => row.type)));
