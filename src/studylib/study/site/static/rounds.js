// AdaBoost round by round: the points with their weights, the stump of the round, its error and its vote, and what the
// stumps so far say together. All numbers are the library's: data-rounds is what studylib.lessons.rounds.boosted says.
// Before the first round a reader picks the points that will be the heaviest after data-asked rounds.
"use strict";
for (const place of document.querySelectorAll('.touch[data-kind="rounds"]')) {
  const { WIDTH, ARROWS, SHAPES, make, image, percent, number } = Pictures;
  const N_PICKS = 3, TALL = 120;
  const { weights, stumps, error, vote, training, test, edges, cells } = JSON.parse(place.dataset.rounds);
  const data = JSON.parse(place.dataset.points), box = JSON.parse(place.dataset.box), asked = Number(place.dataset.asked);
  const scales = Pictures.scales(box), n = data.x.length, last = stumps.length;
  const picks = new Set();
  let step = 0, lit = -1;

  const plane = image("Plane. Arrow keys go from point to point; before the first round, Enter picks one.");
  const votes = make("svg", { class: "chart votes", viewBox: `0 0 ${WIDTH} ${TALL + 36}`, role: "img" });
  const errors = make("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${TALL + 36}`, role: "img" });
  const said = make("p", { class: "said", "aria-live": "polite" }), sums = make("p", { class: "errors" });
  const told = make("p", { class: "told", "aria-live": "polite" });

  const side = ({ feature, threshold }, point) => +(point[feature] > threshold);

  function drawPlane() {
    const [across, up] = [edges[0].map(scales.across), edges[1].map(scales.up)], wide = across.length - 1;
    const parts = step === 0 ? [] : [...cells[step - 1]].map((label, k) => {
      const [column, row] = [k % wide, Math.floor(k / wide)];
      return make("rect", {
        class: `region cell class-${label}`, "fill-opacity": 0.3, x: across[column], y: up[row + 1],
        width: across[column + 1] - across[column], height: up[row] - up[row + 1],
      });
    });
    const stump = stumps[step - 1], lines = [];
    if (stump) {
      const at = [[box[0], box[1]], [box[2], box[3]]];
      for (const end of at) end[stump.feature] = stump.threshold;
      lines.push(make("line", { class: "cut", x1: scales.across(at[0][0]), y1: scales.up(at[0][1]), x2: scales.across(at[1][0]), y2: scales.up(at[1][1]) }));
    }
    const order = data.x.map((_, i) => i).sort((a, b) => weights[step][b] - weights[step][a]); // small ones on top
    const dots = order.map((i) => {
      const [x, y] = [scales.across(data.x[i][0]), scales.up(data.x[i][1])], r = 4.5 * Math.sqrt(weights[step][i] * n);
      const mistaken = stump && stump.labels[side(stump, data.x[i])] !== data.y[i];
      const at = { class: `point weighed class-${data.y[i]}${mistaken ? " mistaken" : ""}${picks.has(i) || i === lit ? " picked" : ""}`, "data-point": i };
      return data.y[i]
        ? make("rect", { ...at, x: x - 0.85 * r, y: y - 0.85 * r, width: 1.7 * r, height: 1.7 * r })
        : make("circle", { ...at, cx: x, cy: y, r });
    });
    plane.replaceChildren(...parts, ...lines, ...Pictures.drawNames(), ...dots);
  }

  const x = (k) => 40 + ((WIDTH - 110) * k) / last;
  const text = (content, attributes) => make("text", attributes, content);
  const below = () => text("rounds", { x: x(last / 2), y: TALL + 30, "text-anchor": "middle" });
  const now = () => make("line", { class: "now", x1: x(step), y1: 6, x2: x(step), y2: TALL });

  function drawVotes() {
    const most = Math.max(...vote), wide = x(1) - x(0);
    const bars = vote.slice(0, step).map((value, k) => make("rect", {
      class: k === step - 1 ? "latest" : "", x: x(k + 1) - 0.4 * wide, width: 0.8 * wide,
      y: TALL - (value / most) * (TALL - 12), height: (value / most) * (TALL - 12),
    }));
    votes.replaceChildren(
      make("line", { class: "axis", x1: x(0), y1: TALL, x2: x(last), y2: TALL }), ...bars, below(),
      text(most.toFixed(1), { x: 34, y: 16, "text-anchor": "end" }), text("0", { x: 34, y: TALL + 4, "text-anchor": "end" }), text("votes α", { x: x(last) + 8, y: 16 }),
    );
    votes.setAttribute("aria-label", `The votes of the stumps so far: ${vote.slice(0, step).map((value) => value.toFixed(2)).join(", ") || "none"}.`);
  }

  function drawErrors() {
    const most = Math.max(...training, ...test), y = (value) => TALL - (value / most) * (TALL - 12);
    const line = (values, kind) => make("polyline", { class: `curve curve-${kind}`, points: values.slice(0, step).map((value, k) => `${x(k + 1).toFixed(1)},${y(value).toFixed(1)}`).join(" ") });
    const ends = [training, test].map((values) => y(values[Math.max(0, step - 1)]) + 4);
    if (Math.abs(ends[0] - ends[1]) < 14) ends[+(ends[1] > ends[0])] = ends[+(ends[1] <= ends[0])] + 14;
    errors.replaceChildren(
      make("line", { class: "axis", x1: x(0), y1: TALL, x2: x(last), y2: TALL }), now(), below(),
      text(percent(most, 0), { x: 34, y: 16, "text-anchor": "end" }), text("0", { x: 34, y: TALL + 4, "text-anchor": "end" }),
      ...(step ? [line(training, 0), line(test, 1), text("training", { x: x(step) + 6, y: ends[0], class: "curve-0" }), text("test", { x: x(step) + 6, y: ends[1], class: "curve-1" })] : []),
    );
    errors.setAttribute("aria-label", `Errors on training and test points after each of ${step} rounds.`);
  }

  function tell() {
    const stump = stumps[step - 1];
    said.textContent = stump
      ? `Round ${step}: the stump asks “x${"₁₂"[stump.feature]} ≤ ${number(stump.threshold)}?” and errs on ε = ${percent(error[step - 1])} of the weight ` +
        `(ringed). So its vote is α = ${vote[step - 1].toFixed(2)}, and what it got wrong weighs half of all from now on.`
      : `All ${n} points weigh the same. Click the ${N_PICKS} that you expect to be the heaviest after ${asked} rounds. (Keys: arrows and Enter.)`;
    sums.textContent = stump
      ? `Errors of the vote of ${step}: ${percent(training[step - 1])} of ${n} training points, ${percent(test[step - 1])} of the test points.`
      : "";
    judgePicks();
  }

  function judgePicks() {
    const final = weights[asked], limit = [...final].sort((a, b) => b - a)[N_PICKS - 1];
    const right = [...picks].filter((i) => final[i] >= limit).length;
    if (picks.size < N_PICKS) told.textContent = picks.size ? `${picks.size} of ${N_PICKS} picked.` : "";
    else if (step < asked) told.textContent = `All ${N_PICKS} picked. Now step to round ${asked}.`;
    else told.textContent = `${right} of your ${N_PICKS} points are among the ${N_PICKS} heaviest after ${asked} rounds. The heaviest one weighs ${(final.reduce((a, b) => Math.max(a, b)) * n).toFixed(1)} times as much as at the start.`;
  }

  function show() {
    drawPlane();
    drawVotes();
    drawErrors();
    tell();
    stepper.show();
  }

  const stepper = Pictures.stepper("Rounds", {
    at: () => step, last: () => last,
    go(to) {
      step = to;
      show();
    },
  });

  function pick(i) {
    if (step > 0 || i < 0) return;
    if (!picks.delete(i) && picks.size < N_PICKS) picks.add(i);
    show();
  }

  plane.addEventListener("click", ({ target }) => target.dataset.point && pick(Number(target.dataset.point)));
  plane.addEventListener("keydown", (event) => {
    const arrow = ARROWS[event.key];
    if (arrow) {
      const order = data.x.map((_, i) => i).sort((a, b) => data.x[a][0] - data.x[b][0]); // from left to right
      lit = order[(order.indexOf(lit) + (arrow[0] || arrow[1]) + n) % n];
      show();
      said.textContent = `Point ${lit + 1} of ${n}, one of the ${SHAPES[data.y[lit]]}, weighs ${percent(weights[step][lit])} of all. ${said.textContent}`;
    } else if (event.key === "Enter" || event.key === " ") pick(lit);
    else if (event.key === "Escape") (lit = -1), show();
    else return;
    event.preventDefault();
  });

  place.prepend(
    stepper.row,
    make("div", { class: "pair" }, plane, make("div", {}, said, sums, told, votes, errors)),
  );
  place.classList.add("alive");
  show();
}
