// Sortable tables without a framework: each heading becomes a button, numbers sort as numbers.
(function () {
  "use strict";
  function value(cell) {
    // What a cell is worth is written into the page: odds, percentages and numbers of every language alike.
    var worth = cell.getAttribute("data-value");
    return { text: cell.textContent.trim(), number: worth === null ? null : Number(worth) };
  }
  function compare(a, b) {
    if (a.number !== null && b.number !== null) { return a.number - b.number; }
    // Cells without a number stand below those with one.
    if (a.number !== null || b.number !== null) { return a.number !== null ? -1 : 1; }
    return a.text.localeCompare(b.text, document.documentElement.lang);
  }
  function sortBy(table, heading, index) {
    var down = heading.getAttribute("aria-sort") === "ascending";
    table.querySelectorAll("thead th").forEach(function (other) { other.removeAttribute("aria-sort"); });
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    var body = table.tBodies[0];
    var rows = Array.prototype.slice.call(body.rows);
    rows.sort(function (a, b) {
      var order = compare(value(a.cells[index]), value(b.cells[index]));
      return down ? -order : order;
    });
    rows.forEach(function (row) { body.appendChild(row); });
  }
  document.querySelectorAll(".scroll > table:not(.fixed)").forEach(function (table) {
    if (table.tBodies[0].rows.length < 3) { return; }
    table.querySelectorAll("thead th").forEach(function (heading, index) {
      var button = document.createElement("button");
      button.type = "button";
      button.textContent = heading.textContent;
      heading.textContent = "";
      heading.appendChild(button);
      button.addEventListener("click", function () { sortBy(table, heading, index); });
    });
  });
  if (window.matchMedia("(max-width: 79.9rem)").matches) {
    var contents = document.querySelector(".contents details");
    if (contents) { contents.open = false; }
  }
})();
