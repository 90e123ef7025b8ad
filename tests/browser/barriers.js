// What is wrong with the page on show, as a list of sentences. Everything that can be opened is open.
async (rules) => {
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
  const found = await axe.run({ resultTypes: ["violations"], ...rules });
  const barriers = found.violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(" … ")}`);
  return rules.runOnly ? barriers : barriers.concat(wordsForMachines());

  // Words that say something to a programmer only, where they are not marked as code.
  function wordsForMachines() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const words = [];
    while (walker.nextNode()) {
      const { parentElement: holder, textContent: text } = walker.currentNode;
      if (holder.closest("code, .code, pre, script, style, noscript, textarea") || !seen(holder)) continue;
      words.push(...(text.match(/\b(None|UTC|[a-z]+(_[a-z0-9]+)+)\b/g) ?? []).map((word) => `“${word}” in “${text.trim().slice(0, 80)}”`));
    }
    return words;
  }

  function seen(element) {
    return element.tagName === "OPTION" || element.checkVisibility({ visibilityProperty: true });
  }
}
