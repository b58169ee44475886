// A reader's first answers to the questions of a page, as a code to send to a teacher, who counts the codes of a
// class here, too: "3-bca" is lesson 3 with the answers b, c and a, and a dot for none. Nothing is sent or stored.
"use strict";
{
  const { make } = Pictures;
  const questions = [...document.querySelectorAll(".quiz .question")];
  const lesson = /\d+/.exec(document.querySelector("h1")?.textContent)?.[0] ?? "0";
  const chosen = questions.map(() => "."), letter = (k) => "abcdefgh"[k];
  const lists = questions.map((question) => [...question.querySelectorAll(".answers > li")]);
  const own = make("p", { class: "told", "aria-live": "polite" }), counted = make("div", { "aria-live": "polite" });
  const pasted = make("textarea", { rows: 4, "aria-label": "Codes of a class", placeholder: `${lesson}-${chosen.map(() => "a").join("")}` });

  questions.forEach((question, n) => question.addEventListener("change", ({ target }) => {
    if (chosen[n] === ".") chosen[n] = letter(lists[n].indexOf(target.closest("li")));
    own.replaceChildren("If your teacher collects answers, send this code of your first ones: ", make("b", {}, `${lesson}-${chosen.join("")}`));
  }));

  pasted.addEventListener("input", () => {
    const given = [...pasted.value.toLowerCase().matchAll(/(\d+)-([a-h.]+)/g)];
    const codes = given.filter(([, of, answers]) => of === lesson && answers.length === questions.length);
    const rows = questions.map((question, n) => {
      const right = [...question.querySelectorAll(".whys > li")].findIndex((why) => why.hasAttribute("data-right"));
      const shares = lists[n].map((_, k) => `${letter(k)} ${codes.filter(([, , answers]) => answers[n] === letter(k)).length}${k === right ? " ✓" : ""}`);
      return make("p", {}, `Question ${n + 1}: ${shares.join(", ")}`);
    });
    counted.replaceChildren(make("p", {}, `${codes.length} codes fit this lesson; left out: ${given.length - codes.length}.`), ...rows);
  });

  questions.at(-1)?.after(own, make(
    "details", { class: "class" }, make("summary", {}, "For teachers: count the answers of a class"),
    make("p", {}, "Paste the codes that your students sent, in any order."), pasted, counted,
  ));
}
