// Tables of a notebook's outputs sort by a column: up, down, and back to the notebook's order.
"use strict";
(() => {
  const FEWEST_ROWS = 6;
  const collator = new Intl.Collator("en", { numeric: true });

  const text = (row, k) => row.cells[k].textContent.trim();
  const number = (said) => {
    const [value] = said.replace("−", "-").replaceAll(",", "").split(" ("); // what stands before its interval
    return value ? Number(value.replace("%", "")) : NaN;
  };
  const empty = (said) => said === "" || said === "NaN" || said === "–";

  function compare(a, b) {
    const [x, y] = [number(a), number(b)];
    return isNaN(x) || isNaN(y) ? collator.compare(a, b) : x - y;
  }

  function makeSortable(table) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    const rows = [...body.rows];

    function sort(head) {
      const next = { none: "ascending", ascending: "descending", descending: "none" };
      const direction = next[head.getAttribute("aria-sort")];
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", direction);
      const k = head.cellIndex;
      const sign = direction === "descending" ? -1 : 1;
      const ordered = [...rows];
      if (direction !== "none") {
        ordered.sort((r, s) => {
          const [a, b] = [text(r, k), text(s, k)];
          return empty(a) || empty(b) ? empty(a) - empty(b) : sign * compare(a, b);
        });
      }
      body.append(...ordered);
    }

    table.classList.add("sortable");
    for (const head of heads) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent.trim();
      if (!button.textContent) button.setAttribute("aria-label", "names of the rows");
      head.replaceChildren(button);
      head.setAttribute("aria-sort", "none");
      head.setAttribute("scope", "col");
      button.addEventListener("click", () => sort(head));
    }
  }

  // A long table shows its first rows; sorted, the first of the order. On paper, and without this script, all are there.
  function fold(table) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    const show = (all) => {
      table.classList.toggle("folded", !all);
      button.setAttribute("aria-expanded", all);
      button.textContent = all ? "Show the first rows" : `Show all ${table.dataset.rows} rows`;
    };
    button.addEventListener("click", () => show(table.classList.contains("folded")));
    show(false);
    table.parentElement.after(button);
  }

  for (const table of document.querySelectorAll("table.data")) {
    const plain = table.tHead.rows.length === 1 && !table.classList.contains("grouped");
    if (plain && table.tBodies[0].rows.length >= FEWEST_ROWS) makeSortable(table);
    if (table.dataset.rows) fold(table);
  }
})();
