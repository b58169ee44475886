// A tree that grows in the page: its plane and its nodes side by side, on points that can be dragged and flipped.
// An element of class "touch" says what to grow: data-kind ("axis", "guided", "partial"), data-points ("moons",
// "circle", "regions", or given ones: then the reader first guesses which feature the tree asks about), and further
// settings as in `chosen`. Without this script it keeps its own content.
"use strict";
for (const place of document.querySelectorAll('.touch:is([data-kind="axis"], [data-kind="guided"], [data-kind="partial"])')) {
  const { ARROWS, make, button, control, image, percent, number, layout } = Pictures;
  const given = place.dataset;
  const fixed = given.points.startsWith("{") ? JSON.parse(given.points) : null;
  const { names, classes } = fixed ?? { names: ["x₁", "x₂"], classes: Pictures.SHAPES };
  const N_TEST = 1000, MOST_DEPTH = 12;
  const kind = given.kind;
  const states = JSON.parse(given.states || "[]"); // of the library, for random_state 0, 1, …
  const chosen = {
    seed: 1, noise: Number(given.noise || 0), n: Number(given.n || 200), tree: 0,
    depth: Number(given.depth || MOST_DEPTH + 1), least: Number(given.least || 2), hyperplane: given.hyperplane || "guided",
  };
  let data, test, nodes, nSteps, curves, parents, step = 0, lit = -1, picked = -1;

  const source = fixed ? { box: around(fixed.x) } : Pictures.sources[given.points], scales = Pictures.scales(source.box);

  /** The box of points, with a margin. */
  function around(points) {
    const ends = [0, 1].map((k) => [Math.min, Math.max].map((end) => end(...points.map((point) => point[k]))));
    const margin = ends.map(([low, high]) => 0.07 * (high - low));
    return [0, 1].flatMap((end) => ends.map((pair, k) => pair[end] + (end ? 1 : -1) * margin[k]));
  }

  function renewData() {
    picked = -1;
    if (fixed) {
      data = { x: fixed.x.map((point) => [...point]), y: [...fixed.y], classes: 2 };
      return;
    }
    data = Pictures.drawPoints(source, chosen.n, chosen.noise, 2 * chosen.seed);
    test = Pictures.drawPoints(source, N_TEST, chosen.noise, 2 * chosen.seed + 1);
  }

  // Growing, and what follows from it.

  const limited = (depth) => (depth > MOST_DEPTH ? undefined : depth);

  function regrow() {
    const atEnd = step >= (nSteps ?? 0);
    const state = states[chosen.tree];
    if (kind === "axis") nodes = Trees.axis(data, { maxDepth: limited(chosen.depth) });
    if (kind === "partial") nodes = Trees.partial(data, { state, minSamplesLeaf: chosen.least, maxDepth: limited(chosen.depth) });
    if (kind === "guided") nodes = Trees.guided(data, { state, hyperplane: chosen.hyperplane, minSamplesSplit: chosen.least });
    parents = Pictures.parentsOf(nodes);
    nSteps = 1 + Math.max(-1, ...nodes.map((node) => node.step ?? -1));
    step = atEnd ? nSteps : Math.min(step, nSteps);
    curves = { training: curve(data), test: curve(test ?? data) };
    lit = Math.min(lit, nodes.length - 1);
  }

  /** Of a data set: {answered, wrong} after each step of growth, as shares of all points. */
  function curve({ x, y }) {
    const reached = nodes.map(() => ({ answered: 0, wrong: 0 }));
    x.forEach((point, i) => {
      for (let at = 0; ; ) {
        const node = nodes[at];
        reached[at].answered += node.label !== null;
        reached[at].wrong += node.label !== null && node.label !== y[i];
        if (node.first === null) return;
        at = node.first + node.cut.side(point);
      }
    });
    const found = Array.from({ length: nSteps + 1 }, () => ({ answered: 0, wrong: 0 }));
    for (const name of ["answered", "wrong"]) {
      found[0][name] = reached[0][name];
      nodes.forEach((node, i) => {
        if (node.first === null) return;
        found[node.step + 1][name] += reached[node.first][name] + reached[node.first + 1][name] - reached[i][name];
      });
      for (let k = 1; k <= nSteps; k++) found[k][name] += found[k - 1][name];
      for (const one of found) one[name] /= x.length;
    }
    return found;
  }

  const isShown = (i) => i === 0 || nodes[parents.get(i)].step < step;
  const isLeafNow = (node) => node.first === null || node.step >= step;

  function leavesBelow(i) {
    const node = nodes[i];
    return isLeafNow(node) ? [i] : [0, 1].flatMap((child) => leavesBelow(node.first + child));
  }

  // Drawing.

  const plane = image("Plane. Left and right arrow keys go from point to point, Enter changes the class, Shift with an arrow key moves the point.");
  const drawing = image("Tree. Arrow keys go from node to node.");
  const said = make("p", { class: "said", "aria-live": "polite" });
  const errors = make("p", { class: "errors" });
  const code = make("code");
  const chart = make("svg", { class: "chart", viewBox: "0 0 400 130", role: "img" });

  function drawPlane() {
    const shapes = Pictures.drawRegions(nodes, source.box, isLeafNow);
    plane.replaceChildren(...shapes, ...Pictures.drawNames(undefined, names), ...Pictures.drawDots(data, scales));
  }

  function drawTree() {
    const least = kind === "partial" ? 4.5 : 0; // few answers among many that abstain
    drawing.replaceChildren(...Pictures.drawNodes(nodes, { isShown, isLeaf: isLeafNow, least }));
    if (!fixed) return;
    const { places } = layout(nodes); // a small tree: its questions have room
    nodes.forEach((node, i) => {
      if (isShown(i) && !isLeafNow(node)) drawing.append(make("text", { class: "asked", x: places[i].x + 8, y: places[i].y + 4 }, question(node)));
    });
  }

  function drawChart() {
    const [w, h, below, beside] = [400, 130, 18, 62];
    const series = kind === "partial"
      ? [["answers", curves.test.map((at) => at.answered), 0], ["errors", curves.test.map((at) => at.wrong), 1]]
      : [["training", curves.training.map((at) => at.wrong), 0], ["test", curves.test.map((at) => at.wrong), 1]];
    if (fixed) series.splice(0, 2, ["errors", series[0][1], 1]);
    const most = Math.max(0.05, ...series.flatMap(([, values]) => values));
    const x = (k) => 34 + (nSteps ? (k / nSteps) * (w - 34 - beside) : 0);
    const y = (value) => h - below - (value / most) * (h - below - 8);
    const ends = series.map(([, values]) => y(values.at(-1)) + 4);
    if (ends.length > 1 && Math.abs(ends[0] - ends[1]) < 13) { // direct labels must not lie on each other
      const upper = ends[0] <= ends[1] ? 0 : 1, middle = (ends[0] + ends[1]) / 2;
      ends[upper] = middle - 6.5;
      ends[1 - upper] = middle + 6.5;
    }
    const text = (content, attributes) => make("text", attributes, content);
    chart.replaceChildren(
      make("line", { class: "axis", x1: x(0), y1: y(0), x2: x(nSteps), y2: y(0) }),
      text(`${Math.round(100 * most)}%`, { x: 30, y: y(most) + 6, "text-anchor": "end" }),
      text("0", { x: 30, y: y(0) + 4, "text-anchor": "end" }),
      text(kind === "guided" ? "hyperplanes" : "splits", { x: (x(0) + x(nSteps)) / 2, y: h - 3, "text-anchor": "middle" }),
      make("line", { class: "now", x1: x(step), y1: 6, x2: x(step), y2: y(0) }),
      ...series.flatMap(([name, values, which], k) => [
        make("polyline", { class: `curve curve-${which}`, points: values.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ") }),
        text(name, { x: x(nSteps) + 6, y: ends[k], class: `curve-${which}` }),
      ]),
    );
    const what = kind === "partial" ? "Share of test points that are answered, and answered wrongly" : "Errors on training and test points";
    chart.setAttribute("aria-label", `${what}, after each of ${nSteps} ${kind === "guided" ? "hyperplanes" : "splits"}.`);
  }

  function tell() {
    const [training, unseen] = [curves.training[step], curves.test[step]];
    const right = ({ answered, wrong }) => (answered ? percent(1 - wrong / answered) : "none");
    errors.textContent = kind === "partial"
      ? `Answers: ${percent(unseen.answered)} of 1,000 test points, of which ${right(unseen)} are right ` +
        `(training: ${percent(training.answered)}, ${right(training)}).`
      : fixed ? `Errors: ${Math.round(training.wrong * data.x.length)} of ${data.x.length}.`
      : `Errors: ${percent(training.wrong)} of ${data.x.length} training points, ${percent(unseen.wrong)} of 1,000 test points.`;
    const depth = limited(chosen.depth) === undefined ? "" : `max_depth=${chosen.depth}, `;
    code.textContent = {
      axis: `TreePredictor(${depth.slice(0, -2)})`,
      partial: `PartialClassificationTree(min_samples_leaf=${chosen.least}, ${depth}random_state=${chosen.tree})`,
      guided: `GuidedRandomForestClassifier(1, hyperplane="${chosen.hyperplane}", max_features=2, ` +
        `min_samples_split=${chosen.least}, random_state=${chosen.tree})`,
    }[kind];
  }

  function question({ cut }) {
    if (kind !== "guided") return `${names[cut.feature]} ${kind === "axis" ? "≤" : "<"} ${number(cut.threshold)}?`;
    const [a, b] = cut.weights;
    return `${number(a)} x₁ ${b < 0 ? "−" : "+"} ${number(Math.abs(b))} x₂ > ${number(cut.threshold)}?`;
  }

  function light(i) {
    lit = i;
    if (i < 0) {
      said.textContent = "Point at a region or a node to see the two together. Drag a point, or click it to change its class.";
      return;
    }
    const node = nodes[i], below = new Set(leavesBelow(i)), above = new Set([i]);
    for (let at = i; parents.has(at); above.add(at)) at = parents.get(at);
    for (const region of plane.querySelectorAll(".region")) region.classList.toggle("lit", below.has(+region.dataset.node));
    for (const mark of drawing.querySelectorAll(".node")) {
      mark.classList.toggle("lit", +mark.dataset.node === i);
    }
    for (const edge of drawing.querySelectorAll(".edge")) edge.classList.toggle("lit", above.has(+edge.dataset.edge));
    const holds = node.counts.map((count, c) => `${count} ${classes[c]}`).join(", ");
    const fate = !isLeafNow(node)
      ? `asks “${question(node)}”`
      : node.first !== null && kind !== "axis" && node.label === null
        ? "is not divided yet"
        : node.label === null ? "abstains" : `says ${classes[node.label]}`;
    said.textContent = `${i === 0 ? "The root" : `Node ${i}`} ${fate} and holds ${holds}.`;
  }

  function pick(i) {
    picked = i;
    for (const dot of plane.querySelectorAll(".point")) dot.classList.toggle("picked", +dot.dataset.point === i);
    if (i < 0) return;
    light(leavesBelow(0).find((leaf) => nodes[leaf].samples.includes(i)));
    said.textContent = `Point ${i + 1} of ${data.x.length}, ${fixed?.labels?.[i] ?? `one of the ${classes[data.y[i]]}`}. ${said.textContent}`;
  }

  function show() {
    while (lit > 0 && !isShown(lit)) lit = parents.get(lit);
    drawPlane();
    drawTree();
    drawChart();
    tell();
    light(lit);
    if (picked >= 0) pick(picked);
    stepper.show();
  }

  function renew() {
    regrow();
    show();
  }

  // Controls.

  const stepper = Pictures.stepper(kind === "guided" ? "Hyperplanes" : "Splits", {
    at: () => step, last: () => nSteps,
    go(to) {
      step = to;
      show();
    },
  });

  const settings = [];
  if (kind !== "guided") {
    const most = given.deepest ? Number(given.deepest) : MOST_DEPTH + 1;
    settings.push(
      control("Largest depth", { min: 0, max: most, value: chosen.depth }, (value) => {
        chosen.depth = value;
        renew();
      }, (value) => (value > MOST_DEPTH ? "no limit" : value)),
    );
  } else {
    const choice = make("select", {}, ...["guided", "box"].map((name) => make("option", { value: name }, name)));
    choice.value = chosen.hyperplane;
    choice.addEventListener("change", () => {
      chosen.hyperplane = choice.value;
      renew();
    });
    settings.push(make("label", {}, "Hyperplane ", choice));
  }
  if (kind !== "axis") {
    settings.push(
      control(kind === "partial" ? "Points in an answer" : "Points to divide", { min: kind === "partial" ? 1 : 2, max: 20, value: chosen.least },
        (value) => {
          chosen.least = value;
          renew();
        }, (value) => `≥ ${value}`),
    );
  }
  if (fixed) settings.push(button("Start again", () => (renewData(), renew())));
  else settings.push(
    control("Noise", { min: source.noise[0], max: source.noise[1], step: 0.05, value: chosen.noise }, (value) => {
      chosen.noise = value;
      renewData();
      renew();
    }, (value) => value.toFixed(2)),
    button("New data", () => {
      chosen.seed++;
      renewData();
      renew();
    }),
  );
  if (states.length > 1) {
    settings.push(
      button("Another tree", () => {
        chosen.tree = (chosen.tree + 1) % states.length;
        renew();
      }),
    );
  }

  // Pointer and keyboard.

  for (const part of [plane, drawing]) {
    part.addEventListener("pointerover", ({ target }) => {
      if (target.dataset.node) light(+target.dataset.node);
      if (target.dataset.point) light(leavesBelow(0).find((leaf) => nodes[leaf].samples.includes(+target.dataset.point)));
    });
  }

  Pictures.letMove(plane, source.box, scales, { data: () => data, picked: () => picked, pick, changed: renew });
  drawing.addEventListener("keydown", (event) => {
    if (!ARROWS[event.key]) return;
    event.preventDefault();
    if (lit < 0) return light(0);
    const node = nodes[lit];
    if (event.key === "ArrowUp" && lit > 0) light(parents.get(lit));
    if (event.key === "ArrowDown" && !isLeafNow(node)) light(node.first + 1 - node.cut.beyond);
    const [aside] = ARROWS[event.key];
    if (aside) {
      const { places } = layout(nodes);
      const row = nodes.map((_, i) => i).filter((i) => isShown(i) && nodes[i].depth === node.depth);
      row.sort((a, b) => places[a].x - places[b].x);
      light(row[Math.max(0, Math.min(row.length - 1, row.indexOf(lit) + aside))]);
    }
  });

  const below = make("div", { class: "pair" }, make("div", {}, errors, make("div", { class: "settings" }, ...settings)), chart);
  const same = make("p", { class: "same" }, "The library grows the same tree with ", code, ".");
  const told = make("p", { class: "told", "aria-live": "polite" });
  const choices = make("div", { class: "choices", role: "group", "aria-label": "Your guess" });
  place.prepend(
    ...(fixed ? [choices, told] : []),
    stepper.row,
    make("div", { class: "pair" }, plane, drawing),
    said,
    below,
    same,
  );
  place.classList.add("alive");
  renewData();
  regrow();
  step = fixed ? 0 : given.step === undefined ? nSteps : Math.min(nSteps, Number(given.step));
  if (fixed) { // the tree grows once a guess was made
    stepper.row.hidden = below.hidden = same.hidden = true;
    choices.append(...names.map((name, k) => button(name, ({ currentTarget }) => {
      for (const one of choices.children) one.setAttribute("aria-pressed", one === currentTarget);
      told.textContent = `${k === nodes[0].cut?.feature ? "So does the tree" : "The tree does not"}: its first question is “${question(nodes[0])}”.`;
      if (stepper.row.hidden) step = 1;
      stepper.row.hidden = below.hidden = same.hidden = false;
      show();
    })));
  }
  show();
}
