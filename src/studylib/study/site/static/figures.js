// A tap on a figure shows it at its own size; Escape, a tap or the button leads back.
"use strict";
(() => {
  const dialog = document.createElement("dialog");
  dialog.className = "large";
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "Close";
  const large = document.createElement("img");
  dialog.append(close, large);
  document.body.append(dialog);
  for (const part of [close, large]) part.addEventListener("click", () => dialog.close());

  for (const picture of document.querySelectorAll("figure .picture")) {
    const small = picture.firstElementChild;
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-label", `Enlarge figure ${picture.parentElement.id.split("-")[1]}`);
    small.replaceWith(button);
    button.append(small);
    button.addEventListener("click", () => {
      large.src = small.src;
      large.alt = small.alt;
      dialog.classList.toggle("drawn", picture.classList.contains("drawn"));
      dialog.setAttribute("aria-label", small.alt);
      dialog.showModal();
    });
  }
})();
