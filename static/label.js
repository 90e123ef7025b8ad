// The labeling page, second part: sending a decision, and the next row in its place.
"use strict";
(() => {
  // A second press within this time was meant for the row before.
  const DOUBLE_PRESS = 350;
  let shownAt = -Infinity;
  let decided = ""; // storage key of the row whose decision was sent
  let pressed = null;
  let again = null; // sends once more what found no connection

  const busy = () => row()?.hasAttribute("aria-busy");
  const ofRow = (element) => element.tagName === "FORM" && row()?.contains(element);

  document.addEventListener("submit", (event) => {
    if (!ofRow(event.target)) return;
    pressed = event.submitter;
    noteIdle();
    freshToken();
  }, true);

  // While a decision is under way nothing else is decided: it would hit a row that nobody has seen yet.
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[type=submit]");
    if (!button || !row()?.contains(button)) return;
    if (!busy() && performance.now() - shownAt >= DOUBLE_PRESS) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (!ofRow(event.target)) return;
    if (timer && event.target !== form()) save(); // an undo leaves this row: what was typed here waits for its return
    row().setAttribute("aria-busy", "true");
    again = null;
    pressed?.classList.add("sent");
    decided = event.target === form() ? storageKey() : "";
    if (!decided) return;
    stopSaving();
    remember(decided, typed());
  });

  function failed(event, status) {
    if (!ofRow(event.target)) return;
    row().removeAttribute("aria-busy");
    pressed?.classList.remove("sent");
    const button = pressed;
    undecided = true;
    if (status === 409) refuse(event.detail.xhr.responseText);
    else report(status, () => button?.click());
    again = status === 0 ? button : null;
    trouble().querySelector("a, button")?.focus();
  }
  window.addEventListener("online", () => { if (again?.isConnected && !busy()) again.click(); });
  document.addEventListener("htmx:sendError", (event) => failed(event, 0));
  document.addEventListener("htmx:timeout", (event) => failed(event, 0));
  document.addEventListener("htmx:responseError", (event) => failed(event, event.detail.xhr.status));

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.target.id !== "row" || !event.detail.shouldSwap) return;
    if (event.detail.serverResponse.includes('id="row"')) return;
    event.detail.shouldSwap = false;
    failed({ target: event.detail.requestConfig.elt }, -1);
  });

  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.target.id !== "row") return;
    undecided = unkept = false;
    again = null;
    calm();
    const invalid = row().querySelector("[aria-invalid=true]");
    if (!invalid && decided) forget(decided);
    shownAt = performance.now();
    begin();
    if (!invalid) window.scrollTo(0, 0);
    (invalid ?? heading()).focus({ preventScroll: !invalid });
  });

  function begin() {
    document.getElementById("show-keys").hidden = false;
    startClock();
    restore();
    compareGuidelines();
    measure();
  }

  // How much of the window is taken by what stands above the desk: the rest of it is the desk's.
  function measure() {
    const where = row().querySelector(".where");
    const above = where.getBoundingClientRect().bottom + parseFloat(getComputedStyle(where).marginBottom);
    document.documentElement.style.setProperty("--above", `${Math.ceil(above + window.scrollY)}px`);
  }
  window.addEventListener("resize", () => { if (row()) measure(); });

  // ---- Guidelines stay as they were left, until they change ------------------------------------------------

  const guidelines = () => document.getElementById("guidelines");
  const place = () => `vera-guidelines:${row().dataset.labeler}:${guidelines().dataset.set}`;

  function openGuidelines() {
    if (!guidelines()) return;
    const { number } = guidelines().dataset;
    const left = recall(place());
    if (left) guidelines().open = left.open;
    document.getElementById("guidelines-new").hidden = guidelines().open || !left || left.number === number;
    guidelines().querySelector("summary").addEventListener("click", () => {
      put(place(), JSON.stringify({ open: !guidelines().open, number }));
      document.getElementById("guidelines-new").hidden = true;
    });
  }

  function compareGuidelines() {
    const shown = guidelines()?.dataset.number ?? "0";
    document.getElementById("guidelines-changed").hidden = row().dataset.guidelines === shown;
  }

  document.addEventListener("DOMContentLoaded", () => {
    openGuidelines();
    begin();
  });
})();
