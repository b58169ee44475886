// Tables of a notebook's outputs sort by a column: up, down, and back to the notebook's order.
"use strict";
(() => {
  const FEWEST_ROWS = 6;
  const collator = new Intl.Collator("en", { numeric: true });

  const text = (row, k) => row.cells[k].textContent.trim();
  const number = (said) => (said ? Number(said.replace("−", "-").replaceAll(",", "")) : NaN);
  const empty = (said) => said === "" || said === "NaN" || said === "–";

  function compare(a, b) {
    const [x, y] = [number(a), number(b)];
    return isNaN(x) || isNaN(y) ? collator.compare(a, b) : x - y;
  }

  function makeSortable(table) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    const rows = [...body.rows];
    // Pandas puts the name of the index into a second row of the head.
    const name = table.tHead.rows[1]?.cells[0].textContent;
    if (name && !heads[0].textContent.trim()) heads[0].textContent = name;

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

    if (name) table.tHead.rows[1].remove();
    table.classList.add("sortable");
    for (const head of heads) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent.trim() || "row";
      head.replaceChildren(button);
      head.setAttribute("aria-sort", "none");
      head.setAttribute("scope", "col");
      button.addEventListener("click", () => sort(head));
    }
  }

  for (const table of document.querySelectorAll(".output.html table.dataframe")) {
    const simple = !table.querySelector("[colspan]:not([colspan='1']), [rowspan]:not([rowspan='1'])");
    const head = table.tHead?.rows;
    const plain = head?.length === 1 || (head?.length === 2 && ![...head[1].cells].slice(1).some((c) => c.textContent));
    if (simple && plain && table.tBodies[0]?.rows.length >= FEWEST_ROWS) makeSortable(table);
  }
})();
