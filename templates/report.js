// Sorts and filters the table of results. Without it, the table is there as it was written.
(function () {
  "use strict";
  const table = document.getElementById("results");
  if (!table) return;
  const tools = document.getElementById("tools");
  const search = tools.querySelector("input");
  const status = tools.querySelector("output");
  const chips = Array.from(tools.querySelectorAll("button[data-kind]"));
  const opener = document.getElementById("open-all");
  let read = null;

  // The table is read when it is first needed: a large one opens faster for it.
  function parts() {
    if (read) return read;
    read = { bodies: Array.from(table.tBodies), entries: [], sections: [] };
    for (const body of read.bodies) {
      if (body.className === "section") {
        read.sections.push({ body: body, entries: [] });
        continue;
      }
      const row = body.rows[0];
      const entry = {
        body: body,
        kind: row.className,
        name: row.cells[1].textContent.toLowerCase(),
        keys: body.dataset.keys.split(" ").map(function (key) { return key === "" ? null : Number(key); }),
        details: row.querySelector("details"),
      };
      read.entries.push(entry);
      read.sections[read.sections.length - 1].entries.push(entry);
    }
    return read;
  }

  function pressed() {
    return chips.filter(function (chip) { return chip.getAttribute("aria-pressed") === "true"; })
      .map(function (chip) { return chip.dataset.kind; });
  }

  function filter() {
    const entries = parts().entries;
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kinds = pressed();
    let shown = 0;
    for (const entry of entries) {
      const is_shown = (kinds.length === 0 || kinds.includes(entry.kind)) &&
        words.every(function (word) { return entry.name.includes(word); });
      entry.body.hidden = !is_shown;
      if (is_shown) shown += 1;
    }
    heads();
    status.textContent = shown === entries.length ? "" : shown + " of " + entries.length + " shown";
  }

  // The titles of sections stand for the order of the report: in another order they are gone.
  function heads() {
    const is_sorted = table.querySelector("th[aria-sort]") !== null;
    for (const part of parts().sections) {
      part.body.hidden = is_sorted || part.entries.every(function (entry) { return entry.body.hidden; });
    }
  }

  function value(entry, key) {
    return key === "name" ? entry.name : entry.keys[Number(key)];
  }

  // What has no value comes last, whichever way the rest is sorted.
  function compare(key, sign) {
    return function (a, b) {
      const left = value(a, key), right = value(b, key);
      if (left === right) return 0;
      if (left === null) return 1;
      if (right === null) return -1;
      return typeof left === "string" ? sign * left.localeCompare(right, undefined, { numeric: true }) : sign * (left - right);
    };
  }

  // One way, the other way, back to the order of the report.
  function sort(head) {
    const first = head.dataset.first, second = first === "ascending" ? "descending" : "ascending";
    const before = head.getAttribute("aria-sort");
    const now = before === null ? first : before === first ? second : null;
    table.querySelectorAll("th[aria-sort]").forEach(function (other) { other.removeAttribute("aria-sort"); });
    let order = parts().bodies;
    if (now !== null) {
      head.setAttribute("aria-sort", now);
      const sorted = parts().entries.slice().sort(compare(head.dataset.key, now === "ascending" ? 1 : -1));
      order = sorted.map(function (entry) { return entry.body; });
    }
    const all = document.createDocumentFragment();
    order.forEach(function (body) { all.appendChild(body); });
    table.appendChild(all);
    heads();
  }

  for (const head of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    while (head.firstChild) button.appendChild(head.firstChild);
    head.appendChild(button);
    button.addEventListener("click", function () { sort(head); });
  }
  for (const chip of chips) {
    chip.addEventListener("click", function () {
      chip.setAttribute("aria-pressed", chip.getAttribute("aria-pressed") === "true" ? "false" : "true");
      filter();
    });
  }
  search.addEventListener("input", filter);
  opener.addEventListener("click", function () {
    const shown = parts().entries.filter(function (entry) { return !entry.body.hidden; });
    const open = shown.some(function (entry) { return !entry.details.open; });
    shown.forEach(function (entry) { entry.details.open = open; });
  });
  tools.hidden = false;
})();
