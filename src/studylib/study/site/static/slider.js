// Pictures that differ in one value: a slider shows one at a time. Without this script all are shown.
"use strict";
for (const box of document.querySelectorAll(".output .frames")) {
  const frames = [...box.querySelectorAll(":scope > figure")];
  if (frames.length < 2) continue;
  const name = box.dataset.name || "value";
  const control = document.createElement("input");
  const said = document.createElement("output");
  const label = document.createElement("label");
  Object.assign(control, { type: "range", min: 0, max: frames.length - 1, step: 1, value: 0 });

  function show() {
    frames.forEach((frame, k) => (frame.hidden = k !== control.valueAsNumber));
    said.textContent = frames[control.valueAsNumber].dataset.value;
    control.setAttribute("aria-valuetext", said.textContent);
  }

  label.append(`${name} `, control, " ", said);
  box.prepend(label);
  box.classList.add("sliding");
  control.addEventListener("input", show);
  show();
}
