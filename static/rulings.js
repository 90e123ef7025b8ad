// The rulings page by keyboard. Without this file the page works by its forms.
"use strict";
(() => {
  const rows = () => [...document.querySelectorAll("[data-row]")];
  let last = null; // the row that was current when the focus went elsewhere
  const present = () => document.activeElement?.closest("[data-row]") ?? last;

  document.addEventListener("focusin", ({ target }) => {
    last = target.closest("[data-row]") ?? last;
  });

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

  // A field in a part that is folded is opened first. Where no row is current, the first one is.
  function reach(selector) {
    if (!present()) step(1);
    const found = present()?.querySelector(selector);
    const folded = found?.closest("details");
    if (folded) folded.open = true;
    return found;
  }

  const acts = {
    j: () => step(1),
    k: () => step(-1),
    r: () => reach(".ruling textarea")?.focus(),
    b: () => reach(".put-back input[type=text]")?.focus(),
    o: () => reach("[data-open]")?.click(),
    1: () => reach(".ruling button[value=pass]")?.click(),
    2: () => reach(".ruling button[value=fail]")?.click(),
    "?": () => {
      const keys = document.getElementById("keys");
      if (keys) keys.open = !keys.open;
    },
  };

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.altKey) return;
    const why = event.target.closest(".ruling textarea");
    if (why && event.key === "Enter" && (event.ctrlKey || event.metaKey)) return send(why.form, event);
    if (event.ctrlKey || event.metaKey) return;
    const typing = event.target.matches("input, select, textarea");
    if (typing && event.key === "Escape") return go(present());
    const act = typing ? null : acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  // ---- A verdict whose reason is missing stays pressed until the reason is there --------------------------------

  const say = (form, words) => { form.querySelector("[role=status]").textContent = words; };

  function send(form, event) {
    event.preventDefault();
    const chosen = form.querySelector("button.chosen");
    if (chosen) form.requestSubmit(chosen);
    else say(form, "Neither pass nor fail is chosen yet: press Esc, then 1 to rule pass or 2 to rule fail.");
  }

  function choose(form, button) {
    for (const each of form.querySelectorAll("button[name=verdict]")) {
      each.classList.toggle("chosen", each === button);
      each.setAttribute("aria-pressed", String(each === button));
    }
  }

  function tellMissing(why) {
    const field = why.closest(".field");
    const error = field.querySelector(".errorlist") ?? document.createElement("ul");
    const item = document.createElement("li");
    item.textContent = field.dataset.missing;
    Object.assign(error, { className: "errorlist", id: `${why.id}_error` });
    error.replaceChildren(item);
    field.append(error);
    why.setAttribute("aria-invalid", "true");
    why.setAttribute("aria-describedby", error.id);
    why.focus();
  }

  // Before vera.js, on the way down: what is not sent is not at work either.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    const why = form.matches("[data-row] .ruling") && form.querySelector("textarea");
    if (!why || !event.submitter) return;
    choose(form, event.submitter);
    if (why.value.trim()) return;
    event.preventDefault();
    tellMissing(why);
    say(form, `Rule ${event.submitter.value} is chosen. Write why, then press Ctrl+Enter or the button again.`);
  }, true);

  document.addEventListener("input", ({ target }) => {
    if (!target.matches("[data-row] .ruling textarea[aria-invalid]")) return;
    target.removeAttribute("aria-invalid");
    target.removeAttribute("aria-describedby");
    target.closest(".field").querySelector(".errorlist")?.remove();
  });

  // After a decision the page comes back at the row that followed.
  document.addEventListener("DOMContentLoaded", () => {
    const named = location.hash.startsWith("#row-") && document.getElementById(location.hash.slice(1));
    if (named) go(named);
  });
})();
