// Theme, code folding and printing. Nothing is stored: a reload starts from the system's scheme again.
"use strict";
(() => {
  const root = document.documentElement;
  root.classList.remove("no-js");

  const systemDark = matchMedia("(prefers-color-scheme: dark)");
  document.getElementById("theme").addEventListener("click", () => {
    const now = root.dataset.theme || (systemDark.matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
  });

  const allCode = document.getElementById("all-code");
  if (allCode) {
    allCode.addEventListener("click", () => {
      const show = allCode.getAttribute("aria-pressed") !== "true";
      allCode.setAttribute("aria-pressed", show);
      allCode.textContent = show ? "Hide all code" : "Show all code";
      for (const fold of document.querySelectorAll("details.source")) fold.open = show;
    });
  }

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll('details[data-print="open"]:not([open])')];
    for (const fold of opened) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of opened) fold.open = false;
  });
})();
