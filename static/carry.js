// Ticks all the rows of a page, or none, and says how many are ticked. The page works without it.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const bar = document.getElementById("tick-all");
  if (!bar) return;
  const boxes = [...document.querySelectorAll("#carry-rows input[name=rows]")];
  const tell = () => {
    const ticked = boxes.filter((box) => box.checked).length;
    document.getElementById("ticked").textContent = ticked ? `${ticked} ticked.` : "";
  };
  bar.hidden = false;
  bar.addEventListener("click", ({ target }) => {
    if (!target.dataset.tick) return;
    boxes.forEach((box) => { box.checked = target.dataset.tick === "all"; });
    tell();
  });
  document.getElementById("carry-rows").addEventListener("change", tell);
  tell();
});
