// Sortable tables without a framework: each heading becomes a button, numbers sort as numbers.
(function () {
  "use strict";
  function value(cell) {
    var text = cell.textContent.trim();
    var plain = text.replace(/[\u202f\u2009 ,]/g, "").replace(/\u2212/g, "-").replace(/^1in/, "").replace(/%$/, "");
    var number = Number(plain);
    return { text: text, number: plain !== "" && !isNaN(number) ? number : null };
  }
  function compare(a, b) {
    if (a.number !== null && b.number !== null) { return a.number - b.number; }
    return a.text.localeCompare(b.text);
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
