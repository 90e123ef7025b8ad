// Editors that are left with something unsaved ask first. They work without this.
"use strict";

const unsavedForm = () => document.querySelector("form[data-unsaved]");
const isChanged = () => unsavedForm()?.dataset.unsaved === "changed";

document.addEventListener("input", ({ target }) => {
  const form = target.closest("form[data-unsaved]");
  if (form) form.dataset.unsaved = "changed";
});

// What is sent is saved or comes back; a step in place (htmx) is neither, and the server marks the form changed.
document.addEventListener("submit", ({ target }) => {
  if (target.matches("form[data-unsaved]")) target.dataset.unsaved = "";
});
window.addEventListener("beforeunload", (event) => {
  if (isChanged()) event.preventDefault();
});
