// Shared behaviour of every page. Pages work without it.
"use strict";

// Times are stored and sent in UTC; each reader sees their own zone.
function localTimes(root) {
  root.querySelectorAll("time[datetime]").forEach((element) => {
    const moment = new Date(element.dateTime);
    if (Number.isNaN(moment.valueOf())) return;
    element.title = element.dateTime;
    element.textContent = moment.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  });
}
document.addEventListener("DOMContentLoaded", () => localTimes(document));
document.addEventListener("htmx:afterSwap", (event) => localTimes(event.target));

// Forms that change something are sent once, however often the button is pressed.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || form.hasAttribute("hx-post") || "download" in form.dataset) return;
  if (form.dataset.sent) { event.preventDefault(); return; }
  form.dataset.sent = "1";
});
window.addEventListener("pageshow", () => {
  document.querySelectorAll("form[data-sent]").forEach((form) => delete form.dataset.sent);
});
