// The rulings page by keyboard. Without this file the page works by its forms.
"use strict";
(() => {
  const rows = () => [...document.querySelectorAll("[data-row]")];
  const present = () => document.activeElement?.closest("[data-row]");

  function go(to) {
    if (!to) return;
    to.focus();
    to.scrollIntoView({ block: "start" });
  }

  function step(by) {
    const all = rows();
    const at = all.indexOf(present());
    go(all[at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)]);
  }

  // A field in a part that is folded is opened first.
  function reach(selector) {
    const found = present()?.querySelector(selector);
    const folded = found?.closest("details");
    if (folded) folded.open = true;
    return found;
  }

  const acts = {
    j: () => step(1),
    k: () => step(-1),
    r: () => reach(".decide textarea")?.focus(),
    b: () => reach(".put-back input[type=text]")?.focus(),
    o: () => reach("[data-open]")?.click(),
    1: () => reach(".decide button[value=pass]")?.click(),
    2: () => reach(".decide button[value=fail]")?.click(),
    "?": () => {
      const keys = document.getElementById("keys");
      if (keys) keys.open = !keys.open;
    },
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const typing = event.target.matches("input, select, textarea");
    if (typing && event.key === "Escape") return go(present());
    const act = typing ? null : acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  // After a decision the page comes back at the row that followed.
  document.addEventListener("DOMContentLoaded", () => {
    const named = location.hash.startsWith("#row-") && document.getElementById(location.hash.slice(1));
    if (named) go(named);
  });
})();
