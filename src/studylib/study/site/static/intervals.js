// An interval to move, and the verdict that a rule gives on it, once a reader has guessed. All verdicts were given by
// the library's judge: data-cases is what studylib.lessons.intervals embeds. Without this script a picture stands there.
"use strict";
for (const place of document.querySelectorAll('.touch[data-kind="intervals"]')) {
  const { WIDTH, make, button, control } = Pictures;
  const { means, counts, halves, rules, unit } = JSON.parse(place.dataset.cases);
  const VERDICTS = { r: "reproduced", n: "not reproduced", i: "inconclusive" };
  const WHY = {
    r: "the whole interval lies where the rule asks", n: "the whole interval lies elsewhere", i: "the interval lies only partly where the rule asks",
  };
  const TALL = 110, LINE = 56, widest = Math.max(...halves);
  const low = means[0] - widest / 2, high = means[means.length - 1] + widest / 2;
  const chosen = { rule: 0, mean: Math.floor(0.43 * means.length), count: Math.floor(counts.length / 2) };
  let guess = null;

  const bounded = (value) => Math.max(low, Math.min(high, value));
  const x = (value) => 8 + ((bounded(value) - low) / (high - low)) * (WIDTH - 16);
  const number = (value, digits = 2) => value.toFixed(digits).replace("-", "−");
  const letter = () => rules[chosen.rule].verdicts[chosen.count][chosen.mean];

  const drawing = make("svg", { class: "chart interval", viewBox: `0 0 ${WIDTH} ${TALL}`, role: "img" });
  const said = make("p", { class: "errors" }), told = make("p", { class: "told", "aria-live": "polite" });

  function show() {
    const rule = rules[chosen.rule], mean = means[chosen.mean], half = halves[chosen.count];
    const from = rule.low ?? low, to = rule.high ?? high, ends = [mean - half, mean + half];
    const marks = [];
    for (let value = Math.ceil(low); value <= high; value++) {
      marks.push(
        make("line", { class: "axis", x1: x(value), x2: x(value), y1: TALL - 30, y2: TALL - 24 }),
        make("text", { x: x(value), y: TALL - 10, "text-anchor": "middle" }, number(value, 0)),
      );
    }
    drawing.replaceChildren(
      make("rect", { class: "allowed", x: x(from), width: x(to) - x(from), y: 24, height: TALL - 54 }),
      make("text", { x: (x(from) + x(to)) / 2, y: 16, "text-anchor": "middle" }, `the rule asks for ${rule.asked}`),
      make("line", { class: "axis", x1: x(low), x2: x(high), y1: TALL - 30, y2: TALL - 30 }), ...marks,
      make("line", { class: "cut", x1: x(ends[0]), x2: x(ends[1]), y1: LINE, y2: LINE }),
      ...ends.map((end) => make("line", { class: "cut", x1: x(end), x2: x(end), y1: LINE - 7, y2: LINE + 7 })),
      make("circle", { class: "grip", cx: x(mean), cy: LINE, r: 5 }),
    );
    said.textContent = `Measured: ${number(mean, 1)} ${unit}, interval ${number(ends[0])} … ${number(ends[1])}, from ${counts[chosen.count]} runs. The rule asks for ${rule.asked}.`;
    drawing.setAttribute("aria-label", said.textContent);
    place.dataset.verdict = guess === null ? "" : VERDICTS[letter()];
    told.textContent = guess === null
      ? ""
      : `${guess === letter() ? "Your verdict is the rule’s: " : `You said “${VERDICTS[guess]}”. The rule’s verdict is `}“${VERDICTS[letter()]}”, for ${WHY[letter()]}.`;
    [...choices.children].forEach((choice, k) => choice.setAttribute("aria-pressed", "rni"[k] === guess));
  }

  function move(name, value) {
    chosen[name] = value;
    guess = guess === null ? null : letter(); // after the first guess the verdict follows the interval
    show();
    if (guess !== null) told.textContent = `The rule’s verdict: “${VERDICTS[guess]}”, for ${WHY[guess]}.`;
  }

  const choices = make("div", { class: "choices", role: "group", "aria-label": "Your verdict" }, ...[..."rni"].map((one) =>
    button(VERDICTS[one], () => {
      guess = one;
      show();
    }),
  ));
  const asked = make("select", { "aria-label": "Rule" }, ...rules.map((rule, k) => make("option", { value: k }, rule.asked)));
  asked.addEventListener("change", () => move("rule", Number(asked.value)));

  place.prepend(
    drawing, said, choices, told,
    make("div", { class: "settings" },
      control("Mean", { min: 0, max: means.length - 1, value: chosen.mean }, (k) => move("mean", k), (k) => number(means[k], 1)),
      control("Runs", { min: 0, max: counts.length - 1, value: chosen.count }, (k) => move("count", k), (k) => counts[k]),
      make("label", {}, "Rule ", asked)),
  );
  place.classList.add("alive");
  show();
}
