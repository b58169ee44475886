// Sorts and filters the ledger; the page's address says how, so that it can be shared and survives a reload.
// Without this script the table is complete.
"use strict";
(() => {
  const get = (id) => document.getElementById(id);
  const table = get("ledger");
  // A body for each claim: a row of values, and one that opens.
  const rows = [...table.tBodies].map((row, place) => ({
    row,
    place,
    text: row.textContent.toLowerCase().replace(/\s+/g, " "),
    verdict: row.dataset.verdict,
    source: row.dataset.source,
    nature: row.dataset.nature,
  }));
  const chips = [...document.querySelectorAll(".chip")];
  const toggle = get("planned-toggle");
  const textFilter = get("text-filter");
  const choices = { source: get("source-filter"), nature: get("nature-filter") };
  const heads = [...table.tHead.rows[0].cells];
  const segments = [...document.querySelectorAll(".segment")];
  const pressed = (button) => button.getAttribute("aria-pressed") === "true";
  const press = (button, on) => button.setAttribute("aria-pressed", on);

  function filter() {
    const words = textFilter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = new Set(chips.filter(pressed).map((chip) => chip.dataset.verdict));
    const withPlanned = !toggle || pressed(toggle);
    const left = {}; // by verdict: what the other filters leave
    const findings = {}; // by verdict: of what is shown
    let shown = 0;
    let hiddenPlanned = 0;
    for (const { row, text, verdict, ...own } of rows) {
      const matches =
        words.every((word) => text.includes(word)) &&
        Object.entries(choices).every(([name, { value }]) => !value || own[name] === value);
      const wanted = chosen.size ? chosen.has(verdict) : withPlanned || verdict !== "planned";
      row.hidden = !(matches && wanted);
      if (matches) left[verdict] = (left[verdict] ?? 0) + 1;
      if (!row.hidden && own.nature === "finding") findings[verdict] = (findings[verdict] ?? 0) + 1;
      shown += !row.hidden;
      hiddenPlanned += matches && !wanted && verdict === "planned" && !chosen.size;
    }
    const also = hiddenPlanned ? `, ${hiddenPlanned} planned not shown` : "";
    get("shown-count").textContent = `${shown} of ${rows.length} claims shown${also}`;
    get("no-match").hidden = shown > 0;
    get("reset").hidden = !words.length && !chosen.size && !Object.values(choices).some(({ value }) => value);
    count(left, findings);
    if (toggle) {
      const count = rows.filter(({ verdict }) => verdict === "planned").length;
      toggle.textContent = `${pressed(toggle) ? "Hide" : "Show"} ${count} planned`;
    }
  }

  function count(left, findings) {
    for (const chip of chips) {
      const n = left[chip.dataset.verdict] ?? 0;
      chip.querySelector("b").textContent = n;
      chip.classList.toggle("none", !n);
    }
    const said = [];
    for (const segment of segments) {
      const n = findings[segment.dataset.verdict] ?? 0;
      segment.hidden = !n;
      segment.style.flexGrow = n;
      segment.querySelector("b").textContent = n;
      if (n) said.push(`${n} ${segment.dataset.verdict}`);
    }
    const bar = document.querySelector(".bar");
    if (!bar) return;
    const total = Object.values(findings).reduce((a, b) => a + b, 0);
    bar.hidden = !total;
    bar.setAttribute("aria-label", `Findings by verdict: ${said.join(", ")}`);
    get("n-findings").textContent = `${total || "No"} finding${total === 1 ? "" : "s"}`;
  }

  function reset() {
    textFilter.value = "";
    for (const choice of Object.values(choices)) choice.value = "";
    for (const chip of chips) press(chip, false);
    filter();
  }

  // The page's address: ?q=words&source=…&nature=…&verdict=…&verdict=…&planned&sort=-value
  function write(how = "pushState") {
    const state = new URLSearchParams();
    if (textFilter.value.trim()) state.set("q", textFilter.value.trim());
    for (const [name, { value }] of Object.entries(choices)) if (value) state.set(name, value);
    for (const chip of chips.filter(pressed)) state.append("verdict", chip.dataset.verdict);
    if (toggle && pressed(toggle)) state.set("planned", "yes");
    const head = heads.find((one) => one.getAttribute("aria-sort") !== "none");
    if (head) state.set("sort", (head.getAttribute("aria-sort") === "descending" ? "-" : "") + nameOf(head));
    const query = state.toString();
    history[how](null, "", `${location.pathname}${query && `?${query}`}${location.hash}`);
  }

  function read() {
    const state = new URLSearchParams(location.search);
    textFilter.value = state.get("q") ?? "";
    for (const [name, choice] of Object.entries(choices)) {
      const wanted = state.get(name) ?? "";
      choice.value = [...choice.options].some(({ value }) => value === wanted) ? wanted : "";
    }
    const verdicts = state.getAll("verdict");
    for (const chip of chips) press(chip, verdicts.includes(chip.dataset.verdict));
    if (toggle) press(toggle, state.has("planned"));
    const [, minus, column] = /^(-?)(.*)$/.exec(state.get("sort") ?? "");
    const head = heads.find((one) => nameOf(one) === column);
    sort(head, !head ? "none" : minus ? "descending" : "ascending");
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

  const nameOf = (head) => head.className.replace("c-", "");

  function sort(head, direction) {
    for (const other of heads) other.setAttribute("aria-sort", other === head ? direction : "none");
    const ordered = [...rows];
    if (direction !== "none") {
      const key = ({ row }) => row.rows[0].cells[head.cellIndex].dataset.sort;
      const sign = direction === "descending" ? -1 : 1;
      const numeric = head.dataset.kind === "number";
      ordered.sort((a, b) => compare(key(a), key(b), numeric, sign) || a.place - b.place);
    }
    table.append(...ordered.map(({ row }) => row));
  }

  // A link to a claim must arrive, whatever is filtered away.
  function arrive() {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!row || row.parentElement !== table) return;
    if (row.hidden) {
      if (toggle && row.dataset.verdict === "planned") press(toggle, true);
      reset();
      write("replaceState");
    }
    row.querySelector("details").open = true;
    row.scrollIntoView({ block: "center" });
  }

  const next = { none: "ascending", ascending: "descending", descending: "none" };
  for (const head of heads) {
    head.firstElementChild.addEventListener("click", () => {
      sort(head, next[head.getAttribute("aria-sort")]);
      write();
    });
  }
  for (const button of toggle ? [...chips, toggle] : chips) {
    button.addEventListener("click", () => {
      press(button, !pressed(button));
      filter();
      write();
    });
  }
  textFilter.addEventListener("input", () => {
    filter();
    write("replaceState"); // going back should not undo a word letter by letter
  });
  for (const choice of Object.values(choices)) {
    choice.addEventListener("change", () => {
      filter();
      write();
    });
  }
  get("reset").addEventListener("click", () => {
    reset();
    write();
  });
  addEventListener("popstate", read);
  addEventListener("hashchange", arrive);
  read();
  arrive();
})();
