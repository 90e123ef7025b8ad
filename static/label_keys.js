// The labeling page, third part: keys. Which key does what is written on the elements themselves:
// data-key, what to call it in data-key-words, and data-act where it does more than a click would.
"use strict";
(() => {
  const dialog = () => document.getElementById("keys");
  const skip = () => document.querySelector("details.skip");

  // ---- What keys do ------------------------------------------------------------------------------------------

  const isTyping = (element) =>
    element.matches("textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=hidden])");

  function leave() {
    document.activeElement?.blur();
    heading()?.focus({ preventScroll: true });
  }

  function mark(fieldset, key) {
    const radio = [...fieldset.querySelectorAll("input")].find((input) => input.value === key);
    if (!radio) return;
    radio.click();
    const all = [...form().querySelectorAll("fieldset.mark, label.mark")];
    const next = all[all.indexOf(fieldset) + 1];
    if (next) return focusMark(next);
    leave();
    markedAt = performance.now();
  }

  // Who counts one mark too many has not decided the row: digits typed on after the last mark are dropped.
  const MARKING = 600;
  let markedAt = -Infinity;

  function stillMarking() {
    if (performance.now() - markedAt >= MARKING) return false;
    markedAt = performance.now();
    say("That was the last mark. Now decide.");
    return true;
  }

  function focusMark(holder) {
    const field = holder?.querySelector("input:checked") ?? holder?.querySelector("input");
    field?.focus();
    holder?.scrollIntoView({ block: "nearest" });
  }

  function toggleSkip(open) {
    skip().open = open;
    if (open) skip().querySelector("[data-key-after]").focus(); else leave();
  }

  const acts = {
    comment: () => document.getElementById("comment").focus(),
    folds: () => {
      const folds = [...document.querySelectorAll("details.fold")];
      const open = folds.some((fold) => !fold.open);
      folds.forEach((fold) => { fold.open = open; });
    },
    keys: showKeys,
    marks: () => focusMark(form().querySelector("fieldset.mark, label.mark")),
    skip: () => toggleSkip(true),
  };

  // `after`: the key that must have been pressed before, such as s before the number of a reason.
  function press(key, after = "") {
    const behind = after ? `[data-key-after="${after}"]` : ":not([data-key-after])";
    const element = document.querySelector(`#main [data-key="${CSS.escape(key)}"]${behind}`);
    if (!element) return false;
    const act = acts[element.dataset.act];
    if (act) act(); else element.click();
    return true;
  }

  // ---- Pressing them -----------------------------------------------------------------------------------------

  // What is pressed before the next row is there was not meant for it, nor what is typed on in one go.
  const TYPED_ON = 350;
  let blindAt = -Infinity;

  function pressedBlindly() {
    const now = performance.now();
    if (row().hasAttribute("aria-busy") || now - blindAt < TYPED_ON) blindAt = now;
    return blindAt === now;
  }

  document.addEventListener("keydown", (event) => {
    const target = event.target;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && target.id === "comment") return leave();
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || !row() || dialog().open) return;
    if (event.key.length === 1 && pressedBlindly()) return event.preventDefault();
    if (isTyping(target)) {
      if (event.key === "Escape") leave();
      return;
    }
    const marks = target.closest?.("fieldset.mark");
    if (event.key === "Escape") {
      if (skip()?.open) toggleSkip(false); else if (marks) leave();
      return;
    }
    if (event.repeat) return;
    const digit = /^\d$/.test(event.key);
    let used = true;
    if (digit && marks) mark(marks, event.key);
    else if (digit && skip()?.open) press(event.key, "s");
    else if (digit && stillMarking()) used = true;
    else used = press(event.key);
    if (used) event.preventDefault();
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest("#show-keys") && !dialog().open) showKeys();
  });

  // ---- The list of them --------------------------------------------------------------------------------------

  // What an element says it does: its own words, without the key that is written on it.
  function words(element) {
    if (element.dataset.keyWords) return element.dataset.keyWords;
    const copy = element.cloneNode(true);
    copy.querySelectorAll("kbd").forEach((key) => key.remove());
    return copy.textContent.trim();
  }

  function entry([keys, meaning]) {
    const [term, description] = [document.createElement("dt"), document.createElement("dd")];
    for (const key of keys.split(" ")) {
      const cap = document.createElement("kbd");
      cap.textContent = key;
      term.append(cap, " ");
    }
    description.textContent = meaning;
    return [term, description];
  }

  // The first keys of all, each followed by those that only count after it.
  function listed() {
    const found = new Map();
    const elements = [...document.querySelectorAll("#main [data-key]")];
    for (const first of elements.filter((each) => !("keyAfter" in each.dataset))) {
      if (found.has(first.dataset.key)) continue;
      found.set(first.dataset.key, words(first));
      for (const each of elements.filter((other) => other.dataset.keyAfter === first.dataset.key))
        found.set(`${first.dataset.key} ${each.dataset.key}`, words(each));
    }
    return [...found];
  }

  function showKeys() {
    dialog().querySelector("dl").replaceChildren(...listed().flatMap(entry));
    dialog().showModal();
  }
})();
