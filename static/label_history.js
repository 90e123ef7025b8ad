// A labeler's own labels by keyboard: the list of them, and one of them put right. Without this file both pages
// work by their links and forms. Keys are written on the elements in data-key; a row is opened by its data-open.
"use strict";
(() => {
  const edit = () => document.getElementById("edit");
  const rows = () => [...document.querySelectorAll("tr[data-row]")];
  const present = () => document.activeElement?.closest("tr[data-row]");

  // ---- The list ----------------------------------------------------------------------------------------------

  function step(by) {
    const all = rows();
    const at = all.indexOf(present());
    const next = all[at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  }

  const list = {
    j: () => step(1),
    k: () => step(-1),
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    "/": () => document.querySelector(".filters input[name=text]")?.focus(),
  };

  // ---- One label ---------------------------------------------------------------------------------------------

  const marks = () => [...edit().querySelectorAll("fieldset.mark, label.mark")];
  const submit = () => edit().querySelector("button[type=submit]").focus();

  function focusMark(holder) {
    (holder?.querySelector("input:checked") ?? holder?.querySelector("input"))?.focus();
  }

  function leave() {
    document.activeElement?.blur();
    document.getElementById("edit-heading").focus({ preventScroll: true });
  }

  function mark(fieldset, key) {
    const radio = [...fieldset.querySelectorAll("input")].find((input) => input.value === key);
    if (!radio) return;
    radio.click();
    const next = marks()[marks().indexOf(fieldset) + 1];
    if (next) focusMark(next); else leave();
  }

  const one = {
    m: () => focusMark(marks()[0]),
    c: () => document.getElementById("comment").focus(),
  };

  // ---- Pressing keys -----------------------------------------------------------------------------------------

  const isTyping = (element) => element.matches("select, textarea, input:not([type=radio])");

  function typing(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && edit()) return submit();
    if (event.key !== "Escape") return;
    if (edit()) leave(); else event.target.blur();
  }

  // What has its key written on it is clicked; a verdict that was chosen waits for Enter.
  function press(key) {
    const named = document.querySelector(`#main [data-key="${CSS.escape(key)}"]`);
    named?.click();
    if (named?.matches("label")) submit();
    return Boolean(named);
  }

  document.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (isTyping(event.target)) return typing(event);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const fieldset = event.target.closest("fieldset.mark");
    if (fieldset && /^\d$/.test(event.key)) mark(fieldset, event.key);
    else if (fieldset && event.key === "Escape") leave();
    else if (event.target.matches("tr[data-row]") && event.key === "Enter") present().querySelector("[data-open]")?.click();
    else if (event.target.matches("input") && event.key.startsWith("Arrow")) return;
    else if ((edit() ? one : list)[event.key]) (edit() ? one : list)[event.key]();
    else if (!press(event.key)) return;
    event.preventDefault();
  });

  // One comes to the row that was changed or left as it was, or to the label itself.
  document.addEventListener("DOMContentLoaded", () => {
    if (document.querySelector("#main [aria-invalid=true], #main .errorlist")) return;
    const named = location.hash.startsWith("#row-") && document.getElementById(location.hash.slice(1));
    (named || document.querySelector("#edit-heading, #own-heading"))?.focus({ preventScroll: !named });
  });
})();
