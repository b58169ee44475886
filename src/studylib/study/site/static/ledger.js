// Sorts and filters the ledger. Without this script the table stands there complete.
"use strict";
(() => {
  const get = (id) => document.getElementById(id);
  const table = get("ledger");
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row, place) => ({
    row,
    place,
    text: row.textContent.toLowerCase().replace(/\s+/g, " "),
    verdict: row.dataset.verdict,
    source: row.dataset.source,
  }));
  const chips = [...document.querySelectorAll(".chip")];
  const toggle = get("planned-toggle");
  const textFilter = get("text-filter");
  const sourceFilter = get("source-filter");
  const pressed = (button) => button.getAttribute("aria-pressed") === "true";
  const press = (button, on) => button.setAttribute("aria-pressed", on);

  function filter() {
    const words = textFilter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = new Set(chips.filter(pressed).map((chip) => chip.dataset.verdict));
    const withPlanned = !toggle || pressed(toggle);
    let shown = 0;
    let hiddenPlanned = 0;
    for (const { row, text, verdict, source } of rows) {
      const matches =
        words.every((word) => text.includes(word)) && (!sourceFilter.value || source === sourceFilter.value);
      const wanted = chosen.size ? chosen.has(verdict) : withPlanned || verdict !== "planned";
      row.hidden = !(matches && wanted);
      shown += !row.hidden;
      hiddenPlanned += matches && !wanted && verdict === "planned" && !chosen.size;
    }
    const also = hiddenPlanned ? `, ${hiddenPlanned} planned not shown` : "";
    get("shown-count").textContent = `${shown} of ${rows.length} claims shown${also}`;
    get("no-match").hidden = shown > 0;
    get("reset").hidden = !words.length && !chosen.size && !sourceFilter.value;
    if (toggle) {
      const count = rows.filter(({ verdict }) => verdict === "planned").length;
      toggle.textContent = `${pressed(toggle) ? "Hide" : "Show"} ${count} planned`;
    }
  }

  function reset() {
    textFilter.value = "";
    sourceFilter.value = "";
    for (const chip of chips) press(chip, false);
    filter();
  }

  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const number = (text) => {
    const match = /^[^\w.+−-]*([-+−]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[-+]?\d+)?)/i.exec(text);
    return match ? Number(match[1].replace("−", "-").replaceAll(",", "")) : NaN;
  };

  // Numbers come before words, and what is empty comes last in both directions.
  function compare(a, b, numeric, sign) {
    if (!a || !b) return Boolean(b) - Boolean(a);
    const [x, y] = numeric ? [number(a), number(b)] : [NaN, NaN];
    if (isNaN(x) && isNaN(y)) return sign * collator.compare(a, b);
    if (isNaN(x) || isNaN(y)) return isNaN(x) - isNaN(y);
    return sign * (x - y);
  }

  function sort(head) {
    const next = { none: "ascending", ascending: "descending", descending: "none" };
    const direction = next[head.getAttribute("aria-sort")];
    for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", direction);
    const key = ({ row }) => row.cells[head.cellIndex].dataset.sort;
    const sign = direction === "descending" ? -1 : 1;
    const numeric = head.dataset.kind === "number";
    const ordered = [...rows];
    if (direction !== "none") {
      ordered.sort((a, b) => compare(key(a), key(b), numeric, sign) || a.place - b.place);
    }
    body.append(...ordered.map(({ row }) => row));
  }

  // A link to a claim must arrive, whatever is filtered away.
  function arrive() {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!row || row.parentElement !== body) return;
    if (row.hidden) {
      if (toggle && row.dataset.verdict === "planned") press(toggle, true);
      reset();
    }
    row.querySelector("details").open = true;
    row.scrollIntoView({ block: "center" });
  }

  for (const head of table.tHead.rows[0].cells) {
    head.firstElementChild.addEventListener("click", () => sort(head));
  }
  for (const button of toggle ? [...chips, toggle] : chips) {
    button.addEventListener("click", () => {
      press(button, !pressed(button));
      filter();
    });
  }
  textFilter.addEventListener("input", filter);
  sourceFilter.addEventListener("input", filter);
  get("reset").addEventListener("click", reset);
  addEventListener("hashchange", arrive);
  filter();
  arrive();
})();
