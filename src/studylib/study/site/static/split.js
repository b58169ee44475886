// One split by touch: a threshold to drag on a few points, and what each place of it gains by three impurities.
// The element's data-points are {x, y}, of two features in [0, 1]. The gain shows after a guess.
"use strict";
for (const place of document.querySelectorAll('.touch[data-kind="split"]')) {
  const { WIDTH, PAD, SHAPES, make, button, control, image, number, percent } = Pictures;
  const TALL = 150, ROUND = 280, BOX = [0, 0, 1, 1], CURVES = 130;
  const NAMES = { information: "entropy", gini: "Gini", misclassification: "error rate" };
  const UNITS = { information: " bit", gini: "", misclassification: "" };
  const given = JSON.parse(place.dataset.points);
  const data = { ...given, classes: 2 };
  let feature = 0, threshold = 0.3, criterion = "information", seen = false, picked = -1, gains;

  const scales = Pictures.scales(BOX, TALL);
  const plane = image("Points and a threshold. Left and right arrow keys go from point to point, Enter changes the class, Shift with an arrow key moves the point.", TALL);
  plane.classList.add("thresholds");
  const chart = make("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${CURVES}`, role: "img" });
  const arc = make("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${ROUND}`, role: "img" });
  const said = make("p", { class: "said", "aria-live": "polite" });
  const code = make("code"), same = make("p", { class: "same" });
  const told = make("p", { class: "told", "aria-live": "polite" });

  /** Of the points, swapped so that the feature to split lies along the picture: counts on either side. */
  function sides() {
    const found = [[0, 0], [0, 0]];
    data.x.forEach(([x], i) => found[+(x > threshold)][data.y[i]]++);
    return found;
  }

  const total = (counts) => counts[0] + counts[1];
  const impurity = (counts, name = criterion) => (total(counts) ? Trees.impurities[name](counts, total(counts)) : 0);
  const share = (counts) => counts[1] / total(counts);
  const words = (counts) => counts.map((count, c) => `${count} ${count === 1 ? SHAPES[c].slice(0, -1) : SHAPES[c]}`).join(", ");
  const xName = () => `x${"₁₂"[feature]}`;
  const highest = (cuts) => cuts.reduce((best, cut) => (cut.inside || cut.gain <= best.gain ? best : cut), { gain: -Infinity });

  function measure() {
    const node = Trees.root(data);
    gains = Object.fromEntries(Object.keys(NAMES).map((name) => [name, [...Trees.cuts(data, node, 0, Trees.impurities[name])]]));
    return node;
  }

  function drawPlane(below, above) {
    const at = scales.across(threshold), bottom = TALL - PAD;
    const part = (counts, x, width) => {
      const label = +(counts[1] > counts[0]), pure = total(counts) ? (2 * Math.max(...counts)) / total(counts) - 1 : 0;
      return make("rect", { x, y: PAD, width, height: bottom - PAD, class: `region class-${label}`, "fill-opacity": (0.1 + 0.3 * pure).toFixed(2) });
    };
    plane.replaceChildren(
      part(below, PAD, at - PAD), part(above, at, WIDTH - PAD - at),
      make("text", { x: WIDTH - PAD - 20, y: bottom - 6 }, xName()),
      make("line", { class: "cut", x1: at, x2: at, y1: PAD - 4, y2: bottom }),
      make("path", { class: "grip", d: `M${at - 9},0h18l-9,13z` }),
      ...Pictures.drawDots(data, scales),
    );
    if (picked >= 0) plane.querySelector(`[data-point="${picked}"]`).classList.add("picked");
  }

  function drawCurves() {
    const up = (value) => CURVES - 20 - value * (CURVES - 28);
    const node = Trees.root(data), most = Math.max(0.2, ...Object.entries(gains).flatMap(([name, cuts]) => cuts.map((cut) => cut.gain / impurity(node.counts, name) || 0)));
    const lines = Object.entries(gains).map(([name, cuts]) => {
      const values = [[0, 0], ...cuts.map((cut) => [cut.threshold, cut.gain / impurity(node.counts, name) || 0]), [1, 0]];
      const points = values.map(([x, value]) => `${scales.across(x).toFixed(1)},${up(value / most).toFixed(1)}`).join(" ");
      return make("polyline", { class: `curve gain-${name}${name === criterion ? " chosen" : ""}`, points });
    });
    const best = highest(gains[criterion]), peak = best.gain / impurity(node.counts);
    chart.replaceChildren(
      make("line", { class: "axis", x1: PAD, x2: WIDTH - PAD, y1: up(0), y2: up(0) }),
      make("line", { class: "now", x1: scales.across(threshold), x2: scales.across(threshold), y1: 4, y2: up(0) }),
      make("text", { x: PAD, y: CURVES - 4 }, seen ? "share of the impurity that a cut here removes" : "the gain of each cut, after your guess"),
      ...(seen ? lines : []),
      ...(seen && peak > 0
        ? [
            make("circle", { class: "best", cx: scales.across(best.threshold), cy: up(peak / most), r: 5 }),
            make("text", { x: scales.across(best.threshold) + (best.threshold > 0.7 ? -9 : 9), y: up(peak / most) + 4, "text-anchor": best.threshold > 0.7 ? "end" : "start" }, percent(peak, 0)),
          ]
        : []),
    );
    chart.setAttribute("aria-label", seen
      ? `Share of the ${NAMES[criterion]} that is removed, by threshold: at most ${percent(peak)}, at ${number(best.threshold)}.`
      : "The gain by threshold is shown after your guess.");
  }

  /** The impurity by the share of squares: the gain is the gap between the curve and the line of both parts. */
  function drawArc(node, below, above) {
    const [left, bottom, most] = [40, ROUND - 38, { information: 1, gini: 0.5, misclassification: 0.5 }[criterion]];
    const x = (value) => left + value * (WIDTH - left - 16), y = (value) => bottom - (value / most) * (bottom - 18);
    const of = (p) => Trees.impurities[criterion]([1 - p, p], 1);
    const curve = Array.from({ length: 101 }, (_, k) => `${x(k / 100).toFixed(1)},${y(of(k / 100)).toFixed(1)}`).join(" ");
    const p = share(node.counts), parts = seen ? [["left", below], ["right", above]].filter(([, counts]) => total(counts)) : [];
    const mean = parts.reduce((sum, [, counts]) => sum + (total(counts) / data.x.length) * impurity(counts), 0);
    const spot = (name, at, value, kind, dy) => [
      make("circle", { class: `spot ${kind}`, cx: x(at), cy: y(value), r: 5 }),
      make("text", { x: x(at), y: y(value) + dy, "text-anchor": at < 0.12 ? "start" : at > 0.88 ? "end" : "middle" }, name),
    ];
    arc.replaceChildren(
      make("line", { class: "axis", x1: x(0), x2: x(1), y1: y(0), y2: y(0) }),
      make("text", { x: left - 6, y: y(most) + 4, "text-anchor": "end" }, most), make("text", { x: left - 6, y: y(0) + 4, "text-anchor": "end" }, 0),
      make("text", { x: x(0), y: bottom + 16, "text-anchor": "middle" }, "0%"), make("text", { x: x(1), y: bottom + 16, "text-anchor": "end" }, "100%"),
      make("text", { x: x(0.5), y: bottom + 32, "text-anchor": "middle" }, "share of squares in a node"),
      make("polyline", { class: `curve gain-${criterion} chosen`, points: curve }),
      ...(parts.length === 2
        ? [
            make("line", { class: "chord", x1: x(share(below)), y1: y(impurity(below)), x2: x(share(above)), y2: y(impurity(above)) }),
            make("line", { class: "gap", x1: x(p), x2: x(p), y1: y(of(p)), y2: y(mean) }),
          ]
        : []),
      ...spot("node", p, of(p), "whole", -10),
      ...parts.flatMap(([name, counts]) => spot(name, share(counts), impurity(counts), `class-${+(counts[1] > counts[0])}`, 20)),
    );
    arc.setAttribute("aria-label", `${NAMES[criterion]} of a node by its share of squares: ${number(of(p))} for the node` +
      (parts.length === 2 ? `, ${number(mean)} on average for its two parts, a gain of ${number(of(p) - mean)}.` : "."));
    return of(p) - mean;
  }

  function show() {
    const node = measure(), [below, above] = sides();
    drawPlane(below, above);
    drawCurves();
    const gain = drawArc(node, below, above);
    const unit = UNITS[criterion];
    const left = `Left: ${words(below)}`, right = `right: ${words(above)}`;
    said.textContent = seen
      ? `${left} (${NAMES[criterion]} ${impurity(below).toFixed(3)}); ${right} (${impurity(above).toFixed(3)}). ` +
        `Gain: ${impurity(node.counts).toFixed(3)} − ${(impurity(node.counts) - gain).toFixed(3)} = ${gain.toFixed(3)}${unit}.`
      : `${left}; ${right}.`;
    const swapped = (x) => (feature ? x.map(([a, b]) => [b, a]) : x); // as the library has the points
    const { cut } = Trees.axis({ ...data, x: swapped(data.x) }, { criterion, maxDepth: 1 })[0];
    code.textContent = `TreePredictor("${criterion}", max_depth=1)`;
    same.hidden = !seen || !cut;
    same.replaceChildren("Of both features the library takes ", cut ? `x${"₁₂"[cut.feature]} ≤ ${number(cut.threshold)}` : "", " with ", code, ".");
    slider.setAttribute("aria-valuetext", `${xName()} ≤ ${threshold.toFixed(2)}`);
    slider.nextElementSibling.textContent = threshold.toFixed(2);
    slider.value = threshold;
  }

  function cutAt(value) {
    threshold = Math.max(0, Math.min(1, value));
    show();
  }

  function pick(i) {
    picked = i;
    show();
    if (i >= 0) said.textContent = `Point ${i + 1} of ${data.x.length}, one of the ${SHAPES[data.y[i]]}. ${said.textContent}`;
  }

  const reveal = button("Show the gain", () => {
    seen = true;
    const { threshold: best, gain } = highest(gains.information);
    const whole = impurity(Trees.root(data).counts, "information");
    const left = sides().reduce((sum, counts) => sum + (total(counts) / data.x.length) * impurity(counts, "information"), 0);
    told.textContent =
      `Your cut at ${threshold.toFixed(2)} removes ${percent(1 - left / whole, 0)} of the entropy. ` +
      `The best cut of ${xName()}, at ${best.toFixed(2)}, removes ${percent(gain / whole, 0)}.`;
    reveal.disabled = true;
    place.classList.add("revealed");
    show();
  });
  const label = control("Threshold", { min: 0, max: 1, step: 0.01, value: threshold }, cutAt, (value) => value.toFixed(2));
  const slider = label.querySelector("input");
  const choose = (text, options, change) => {
    const select = make("select", {}, ...Object.entries(options).map(([value, name]) => make("option", { value }, name)));
    select.addEventListener("change", () => {
      change(select.value);
      show();
    });
    return make("label", {}, `${text} `, select);
  };
  const ofFeature = choose("Split", { 0: "x₁", 1: "x₂" }, (value) => {
    feature = Number(value);
    data.x = data.x.map(([a, b]) => [b, a]); // what is split lies along the picture
  });
  const ofCriterion = choose("Impurity", NAMES, (value) => (criterion = value));
  const key = make("p", { class: "key" }, ...Object.entries(NAMES).map(([name, text]) => make("span", { class: `gain-${name}` }, text)));

  let dragging = false;
  plane.addEventListener("pointerdown", (event) => {
    if (event.target.dataset.point) return;
    dragging = true;
    plane.setPointerCapture(event.pointerId);
    cutAt(scales.place(plane, event)[0]);
  });
  plane.addEventListener("pointermove", (event) => dragging && cutAt(scales.place(plane, event)[0]));
  for (const end of ["pointerup", "pointercancel"]) plane.addEventListener(end, () => (dragging = false));
  Pictures.letMove(plane, BOX, scales, { data: () => data, picked: () => picked, pick, changed: () => pick(picked) });

  place.prepend(
    make("div", { class: "settings" }, label, reveal, ofFeature, ofCriterion), told,
    make("div", { class: "pair" }, make("div", {}, plane, chart), make("div", {}, arc, key)),
    said, same,
  );
  place.classList.add("alive");
  show();
}
