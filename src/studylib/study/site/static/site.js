// Theme, code folding, scrolling by keyboard and printing. Nothing is stored: a reload starts from the system's scheme again.
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

  // What scrolls sideways can be reached, and scrolled, by keyboard.
  function reach() {
    for (const part of document.querySelectorAll("pre, math[display='block'], .scroll")) {
      if (part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight) part.tabIndex = 0;
      else part.removeAttribute("tabindex");
    }
  }
  reach();
  addEventListener("resize", reach);
  addEventListener("toggle", reach, true);

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll('details[data-print="open"]:not([open])')];
    for (const fold of opened) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of opened) fold.open = false;
  });
})();
