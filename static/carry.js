// Ticks all the rows of a page, or none. The page works without it.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const bar = document.getElementById("tick-all");
  if (!bar) return;
  bar.hidden = false;
  bar.addEventListener("click", ({ target }) => {
    if (!target.dataset.tick) return;
    document.querySelectorAll("#carry-rows input[name=rows]").forEach((box) => {
      box.checked = target.dataset.tick === "all";
    });
  });
});
