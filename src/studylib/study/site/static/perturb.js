// How much a tree depends on its training data: leave out rows or draw new ones, and see which nodes and which
// regions change, in one tree and in the vote of many. A guess comes before many draws computed beforehand.
// The element's data-points name a source; data-n, data-noise and data-left say how many points, how noisy, and how
// many are left out; data-shares are shares of nodes that changed in other draws.
"use strict";
for (const place of document.querySelectorAll('.touch[data-kind="perturb"]')) {
  const { WIDTH, make, button, image, percent } = Pictures;
  const N_TREES = 100, N_NEW = 1000, COLUMNS = 64, ROWS = 52, BINS = 5;
  const FIRST = 16; // in lesson 3, rows that change about as much as the mean of many draws
  const given = place.dataset, n = Number(given.n), nLeft = Number(given.left);
  const shares = JSON.parse(given.shares);
  const source = Pictures.sources[given.points], scales = Pictures.scales(source.box);
  const [left, bottom, right, top] = source.box;
  let seed = FIRST, draw = 0, whole, test, first, full, before, after, seen = []; // first: all rows before new ones were drawn

  const grid = Array.from({ length: ROWS * COLUMNS }, (_, k) => [
    left + (((k % COLUMNS) + 0.5) * (right - left)) / COLUMNS, bottom + ((Math.floor(k / COLUMNS) + 0.5) * (top - bottom)) / ROWS,
  ]);

  function labelAt(nodes, point) {
    let node = nodes[0];
    while (node.first !== null) node = nodes[node.first + node.cut.side(point)];
    return node.label;
  }

  const only = (rows) => ({ x: rows.map((i) => whole.x[i]), y: rows.map((i) => whole.y[i]), classes: 2 });

  /**
   * The tree of some rows and the vote of trees of bootstrap samples, with their labels on the grid and on new points.
   * A tree keeps its draws: what is missing of the rows is missing there, too.
   */
  function grown(rows) {
    const data = only(rows), tree = Trees.axis(data), there = new Set(rows), places = [...grid, ...test.x];
    const uniform = Trees.uniforms(1000 * seed), votes = new Array(places.length).fill(0);
    for (let k = 0; k < N_TREES; k++) {
      const sample = whole.x.map(() => Math.floor(uniform() * n));
      const nodes = Trees.axis(only(sample.filter((i) => there.has(i))));
      places.forEach((point, at) => (votes[at] += labelAt(nodes, point)));
    }
    return { data, tree, one: places.map((point) => labelAt(tree, point)), many: votes.map((count) => +(2 * count > N_TREES)) };
  }

  /** The nodes of a tree that another has, too: at the end of the same path, with the same question. */
  function kept(tree, other) {
    const same = new Set(), open = [[0, 0]];
    while (open.length) {
      const [i, j] = open.pop(), a = tree[i], b = other[j];
      if (a.cut?.feature !== b.cut?.feature || a.cut?.threshold !== b.cut?.threshold) continue;
      same.add(i);
      if (a.first !== null) open.push([a.first, b.first], [a.first + 1, b.first + 1]);
    }
    return same;
  }

  // Drawing.

  /** A path over the cells of the grid for which something is true. */
  function cells(isIn, attributes) {
    const x = (column) => scales.across(left + (column * (right - left)) / COLUMNS).toFixed(1);
    const y = (row) => scales.up(bottom + (row * (top - bottom)) / ROWS).toFixed(1);
    let d = "";
    for (let row = 0; row < ROWS; row++) {
      for (let column = 0; column < COLUMNS; column++) {
        const from = column;
        while (column < COLUMNS && isIn(row * COLUMNS + column)) column++;
        if (column === from) continue;
        d += `M${x(from)} ${y(row + 1)}H${x(column)}V${y(row)}H${x(from)}z`;
      }
    }
    return make("path", { d, ...attributes });
  }

  const moved = (which) => (at) => after[which][at] !== before[which][at];
  const shareOf = (which) => test.x.filter((_, k) => moved(which)(grid.length + k)).length / N_NEW;

  function dots() {
    const out = new Set(whole.x.filter((point) => !after.data.x.includes(point)));
    const absent = [...out].map(([x, y]) => make("path", { class: "absent", d: `M${scales.across(x) - 4},${scales.up(y) - 4}l8,8m0,-8l-8,8` }));
    return [...Pictures.drawDots(after.data, scales), ...absent];
  }

  const one = image("The regions of one tree. Stripes are where its answer has changed."), many = image(`The regions of the vote of ${N_TREES} trees. Stripes are where its answer has changed.`);
  const drawing = image("The tree. Ringed nodes have changed.");
  for (const svg of [one, many, drawing]) {
    svg.setAttribute("role", "img");
    svg.removeAttribute("tabindex");
  }
  const captions = [one, drawing, many].map(() => make("figcaption"));
  const said = make("p", { class: "said", "aria-live": "polite" }), told = make("p", { class: "told", "aria-live": "polite" });
  const bars = make("svg", { class: "chart", viewBox: `0 0 ${WIDTH} 150`, role: "img" });

  function drawVote(which) {
    return [0, 1].map((label) => cells((at) => after[which][at] === label, { class: `vote class-${label}`, "fill-opacity": 0.35 }));
  }

  const stripes = make("defs", {}, make("pattern", { id: "stripes", width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    make("rect", { width: 3, height: 7 })));

  function show() {
    const changes = (which) => cells(moved(which), { class: "moved" });
    one.replaceChildren(stripes, ...Pictures.drawRegions(after.tree, source.box), changes("one"), ...dots());
    many.replaceChildren(...drawVote("many"), changes("many"), ...dots());
    const same = kept(after.tree, before.tree), marks = Pictures.drawNodes(after.tree);
    for (const mark of marks) if (mark.dataset.node) mark.classList.toggle("changed", !same.has(+mark.dataset.node));
    drawing.replaceChildren(...marks);
    const changed = before.tree.length - kept(before.tree, after.tree).size;
    captions[0].textContent = `One tree: ${percent(shareOf("one"))} of 1,000 new points get another answer.`;
    captions[1].textContent = `Its nodes: ${changed} of ${before.tree.length} (${percent(changed / before.tree.length, 0)}) are gone; new ones are ringed.`;
    captions[2].textContent = `The vote of ${N_TREES} trees: ${percent(shareOf("many"))} of them get another answer.`;
  }

  const drawn = (state, many = n) => Pictures.drawPoints(source, many, Number(given.noise), state);

  function leaveOut() {
    draw++;
    const uniform = Trees.uniforms(7 + 1000 * seed + draw), rows = whole.x.map((_, i) => i);
    for (let k = 0; k < nLeft; k++) rows.splice(Math.floor(uniform() * rows.length), 1);
    [before, after] = [full, grown(rows)];
    show();
    seen.push([shareOf("one"), shareOf("many")]);
    const mean = (k) => percent(seen.reduce((sum, shares) => sum + shares[k], 0) / seen.length);
    said.textContent = `${nLeft} of ${n} rows are left out, crossed in the plane. Stripes: the answer is not what it was with all rows. ` +
      `On average so far (${seen.length}): one tree ${mean(0)}, the vote ${mean(1)}.`;
  }

  function redraw() {
    seed++;
    whole = drawn(2 * seed);
    seen = [];
    full = after = grown(whole.x.map((_, i) => i));
    before = first;
    said.textContent = `All ${n} rows are new, from the same two moons. Stripes: the answer is not what it was with the first rows.`;
    show();
  }

  function restart() {
    seed = FIRST;
    whole = drawn(2 * seed);
    test = drawn(2 * seed + 1, N_NEW);
    first = full = before = after = grown(whole.x.map((_, i) => i));
    seen = [];
    said.textContent = `All ${n} rows. Leave some out, or draw new ones.`;
    show();
  }

  // The guess.

  const binOf = (share) => Math.min(BINS - 1, Math.floor(share * BINS));
  const counts = new Array(BINS).fill(0);
  for (const share of shares) counts[binOf(share)]++;
  const names = counts.map((_, k) => `${(100 * k) / BINS}–${(100 * (k + 1)) / BINS}%`);

  function reveal(guess) {
    [...choices.children].forEach((choice, k) => choice.setAttribute("aria-pressed", k === guess));
    const sorted = [...shares].sort((a, b) => a - b), at = (q) => percent(sorted[Math.round(q * (sorted.length - 1))], 0);
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    told.textContent = `You said ${names[guess]}: so it was in ${percent(counts[guess] / shares.length, 0)} of ${shares.length} draws. ` +
      `On average ${percent(mean, 0)} of the nodes changed; the middle 80% of the draws lie between ${at(0.1)} and ${at(0.9)}.`;
    const most = Math.max(...counts), wide = WIDTH / BINS;
    bars.replaceChildren(...counts.flatMap((count, k) => {
      const tall = (count / most) * 100;
      const middle = { x: (k + 0.5) * wide, "text-anchor": "middle" };
      return [
        make("rect", { class: `draws${k === guess ? " yours" : ""}`, x: k * wide + 6, y: 122 - tall, width: wide - 12, height: tall }),
        make("text", { ...middle, y: 116 - tall }, percent(count / shares.length, 0)), make("text", { ...middle, y: 140 }, names[k]),
      ];
    }));
    bars.setAttribute("aria-label", `Draws by the share of nodes that changed: ${counts.map((count, k) => `${names[k]}: ${percent(count / shares.length, 0)}`).join(", ")}.`);
    bars.removeAttribute("hidden");
  }

  const choices = make("div", { class: "choices", role: "group", "aria-label": "Your guess: share of nodes that change" }, ...names.map((name, k) => {
    const choice = button(name, () => reveal(k));
    choice.setAttribute("aria-pressed", "false");
    return choice;
  }));
  bars.setAttribute("hidden", "");

  place.prepend(
    choices, told,
    make("div", { class: "settings" }, button(`Leave out ${nLeft} rows`, leaveOut), button("Draw new rows", redraw), button("Start again", restart)),
    make("div", { class: "three" }, ...[one, drawing, many].map((svg, k) => make("figure", {}, svg, captions[k]))),
    make("div", { class: "pair" }, said, bars),
  );
  place.classList.add("alive");
  restart();
}
