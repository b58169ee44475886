// What a reader answers: the questions of a quiz, and a guess before a second curve is shown.
// Without this script a quiz is a list with folded answers, and the curve a picture.
"use strict";

for (const question of document.querySelectorAll(".quiz .question")) {
  const list = question.querySelector(".answers");
  const whys = [...question.querySelectorAll(".whys > li")];
  const told = document.createElement("p");
  told.className = "told";
  told.setAttribute("aria-live", "polite");
  list.setAttribute("role", "radiogroup");
  [...list.children].forEach((item, k) => {
    const label = document.createElement("label");
    const input = document.createElement("input");
    Object.assign(input, { type: "radio", name: list.getAttribute("aria-labelledby") });
    item.setAttribute("role", "presentation");
    label.append(input, " ", ...item.childNodes);
    item.append(label);
    input.addEventListener("change", () => {
      for (const other of list.children) delete other.dataset.chosen;
      item.dataset.chosen = whys[k].hasAttribute("data-right") ? "right" : "wrong";
      told.replaceChildren(...[...whys[k].childNodes].map((node) => node.cloneNode(true)));
    });
  });
  list.after(told);
  question.classList.add("alive");
}

for (const place of document.querySelectorAll(".predict")) {
  const { name, values, training, mean, low, high, single, counts, answer, given, hidden, said: sentence } = JSON.parse(place.dataset.curves);
  const WIDTH = 560, HEIGHT = 230, LEFT = 46, RIGHT = 118, TOP = 12, BOTTOM = 44;
  const most = Math.min(1.02, 1.08 * Math.max(...high, ...single, ...training));
  const x = (k) => LEFT + (k / (values.length - 1)) * (WIDTH - LEFT - RIGHT);
  const y = (value) => HEIGHT - BOTTOM - (value / most) * (HEIGHT - BOTTOM - TOP);
  const percent = (share) => `${(100 * share).toFixed(1)}%`;

  function make(tag, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }
  const points = (line) => line.map((value, k) => `${x(k).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const curve = (line, kind) => make("polyline", { points: points(line), class: `curve ${kind}` });
  const text = (words, attributes) => make("text", attributes, words);

  const drawing = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "guess", role: "img" });
  const said = document.createElement("p");
  said.className = "told";
  said.setAttribute("aria-live", "polite");
  const choices = document.createElement("div");
  choices.className = "choices";
  choices.setAttribute("role", "group");
  choices.setAttribute("aria-label", `Your guess: ${name}`);

  /** How often each value was the answer, in grey behind the curves. */
  function bars(guess) {
    const wide = Math.min(16, 0.5 * (x(1) - x(0))), tall = 0.4 * (HEIGHT - TOP - BOTTOM), all = counts.reduce((a, b) => a + b);
    return values.map((_, k) => make("rect", {
      class: `draws${k === guess ? " yours" : ""}`, x: x(k) - wide / 2, width: wide,
      y: y(0) - (tall * counts[k]) / all, height: (tall * counts[k]) / all,
    }));
  }

  function draw(guess) {
    const end = values.length - 1, shown = guess !== null;
    const ends = [y(training[end]), y(mean[end])], near = Math.max(0, 14 - Math.abs(ends[0] - ends[1])) / 2;
    const upper = ends[0] < ends[1] ? 0 : 1; // direct labels must not lie on each other
    ends[upper] -= near;
    ends[1 - upper] += near;
    const marks = values.map((value, k) => text(value, { x: x(k), y: HEIGHT - BOTTOM + 18, "text-anchor": "middle" }));
    const scale = (most > 0.5 ? [0, 0.25, 0.5, 0.75, 1] : [0, 0.1, 0.2, 0.3, 0.4]).filter((value) => value < most).flatMap((value) => [
      make("line", { x1: LEFT, x2: x(end), y1: y(value), y2: y(value), class: "rule" }),
      text(`${100 * value}%`, { x: LEFT - 8, y: y(value) + 4, "text-anchor": "end" }),
    ]);
    const behind = shown
      ? [...bars(guess), make("polygon", { points: `${points(high)} ${points(low).split(" ").reverse().join(" ")}`, class: "band" })]
      : [];
    const lines = shown
      ? [
          curve(single, "thin"), curve(mean, "mean"),
          make("line", { x1: x(guess), x2: x(guess), y1: TOP, y2: y(0), class: "yours" }),
          make("circle", { cx: x(answer), cy: y(mean[answer]), r: 5, class: "lowest" }),
          text(hidden, { x: x(end) + 8, y: ends[1] + 4, class: "mean" }),
        ]
      : [];
    drawing.replaceChildren(
      ...scale, ...behind, curve(training, "training"), ...lines, ...marks,
      text(given, { x: x(end) + 8, y: (shown ? ends[0] : y(training[end])) + 4, class: "training" }),
      text(name, { x: (LEFT + x(end)) / 2, y: HEIGHT - 6, "text-anchor": "middle" }),
    );
    const told = (line) => values.map((value, k) => `${value}: ${percent(line[k])}`).join(", ");
    drawing.setAttribute("aria-label", `Means by ${name}. ${given}: ${told(training)}.${shown ? ` ${hidden}: ${told(mean)}.` : ""}`);
  }

  function reveal(guess) {
    for (const [k, button] of [...choices.children].entries()) button.setAttribute("aria-pressed", k === guess);
    const share = (k) => `${Math.round((100 * counts[k]) / counts.reduce((a, b) => a + b))}%`;
    const start = guess === answer ? "You guessed it. " : `You said ${values[guess]}: ${percent(mean[guess])}. `;
    const yours = guess === answer ? "" : `, and in ${share(guess)} it was ${values[guess]}`;
    said.textContent =
      `${start}${sentence.replace("{}", values[answer])}, ${percent(mean[answer])}. ` +
      `In ${share(answer)} of the splits it was ${values[answer]}${yours}. Lines are means; the band holds the middle 80% of the splits; the thin line is one of them; a bar says how often a value was the answer.`;
    draw(guess);
  }

  values.forEach((value, k) => {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: value });
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => reveal(k));
    choices.append(button);
  });
  place.prepend(choices, drawing, said);
  place.classList.add("alive");
  draw(null);
}
