// An exercise to answer in the page: what is said about each answer comes with it, from studylib.lessons.check.
"use strict";
for (const place of document.querySelectorAll(".exercise[data-form]")) {
  const { fields, replies } = JSON.parse(place.dataset.form);
  const { make } = Pictures;
  const told = make("p", { class: "told", "aria-live": "polite" });

  const inputs = fields.map(({ options }) => options
    ? make("select", {}, make("option", { value: "" }, "…"), ...options.map((option, k) => make("option", { value: k }, option)))
    : make("input", { type: "text", inputmode: "decimal", autocomplete: "off" }));

  /** A number as people write it, with a comma, a percent sign or a true minus; NaN if it is none. */
  function read(text) {
    const [, number, percent] = /^\s*([-−+]?[\d.,]+)\s*(%?)\s*$/.exec(text) || [];
    return number === undefined ? NaN : Number(number.replace("−", "-").replace(",", ".")) / (percent ? 100 : 1);
  }
  const values = () => inputs.map((input, k) => fields[k].options ? fields[k].options[input.value] ?? NaN : read(input.value));
  const within = (part, value) => part === null || part === value || (Array.isArray(part) && part[0] <= value && value <= part[1]);

  const form = make(
    "form", { class: "settings" },
    ...fields.map(({ label }, k) => make("label", {}, `${label} `, inputs[k])),
    make("button", { type: "submit" }, "Check"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = values(), missing = given.findIndex((value) => Number.isNaN(value));
    inputs.forEach((input, k) => input.setAttribute("aria-invalid", Number.isNaN(given[k])));
    const [, said] = missing < 0 ? replies.find(([where]) => where.every((part, k) => within(part, given[k]))) : [];
    told.textContent = said ?? `${fields[missing].options ? "Choose" : "A number, please"}: ${fields[missing].label}.`;
    place.dataset.right = Boolean(said?.startsWith("Right"));
    if (missing >= 0) inputs[missing].focus();
  });

  place.replaceChildren(form, told);
  place.classList.add("alive");
}
