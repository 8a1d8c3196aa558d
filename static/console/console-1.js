// Keys, copy buttons, rings on buttons that wait, and what the reader's focus does after a swap. Nothing here is needed.
"use strict";
(() => {
  const one = (selector, within = document) => within.querySelector(selector);
  const singleKeys = () => document.documentElement.dataset.keys !== "off";
  const typing = (node) => node.closest("input, textarea, select, [contenteditable]") !== null;
  const links = () => [...document.querySelectorAll(".hit > .text")];
  const here = () => links().findIndex((link) => link.closest(".hit").contains(document.activeElement));
  let going = 0;

  const showCopyButtons = (within) => {
    if (!navigator.clipboard) return;
    within.querySelectorAll("[data-copy][hidden], [data-copy-from][hidden]").forEach((button) => { button.hidden = false; });
  };

  const move = (step) => {
    const all = links();
    if (!all.length) return;
    const next = all[Math.max(0, Math.min(all.length - 1, here() + step))];
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  };

  const close = () => {
    const back = one("#memory.open .back");
    if (!back) return false;
    const opened = one(".hit[aria-current] > .text");
    one("#memory").classList.remove("open");
    history.replaceState(history.state, "", back.href);
    if (opened) opened.focus();
    return true;
  };

  // from the question to its answers, without the mouse
  const leave = (event) => {
    if (event.target.id !== "q" || event.isComposing || !["ArrowDown", "Escape"].includes(event.key)) return false;
    const all = links();
    if (!all.length) return false;
    event.preventDefault();
    all[0].focus();
    return true;
  };

  const search = () => {
    const field = one("#q");
    if (field) { field.focus(); field.select(); } else if (one("[data-go=s]")) location.assign(one("[data-go=s]").href);
  };

  const why = () => {
    const hits = links().map((link) => link.closest(".hit"));
    const details = hits.length && one(".why", hits[Math.max(0, here())]);
    if (details) details.open = !details.open;
  };

  const popover = (id) => {
    const opener = one(`[popovertarget="${id}"]`, one("main") || document) || one(`[popovertarget="${id}"]`);
    if (!opener || !one(`#${id}`)) return;
    opener.click();
    const field = one("input:not([type=hidden])", one(`#${id}`));
    if (field) field.focus();
  };

  const KEYS = {
    "/": search, j: () => move(1), k: () => move(-1), w: why, f: () => popover("addf"), t: () => popover("asof"),
    "?": () => popover("keys"), g: () => { going = Date.now(); },
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) {
      const form = event.target.form;
      if (event.key === "Enter" && !event.altKey && form && event.target.tagName === "TEXTAREA") {
        form.requestSubmit(one("button:not([type=button])", form));
      }
      return;
    }
    if (leave(event)) return;
    if (event.key === "Escape" && !one(":popover-open")) { close(); return; }
    if (!singleKeys() || typing(event.target)) return;
    const to = Date.now() - going < 1500 && one(`[data-go="${CSS.escape(event.key)}"]`);
    going = 0;
    const act = to ? () => location.assign(to.href) : Object.hasOwn(KEYS, event.key) && KEYS[event.key];
    if (act) { event.preventDefault(); act(); }
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy], [data-copy-from]");
    if (button) {
      const text = button.dataset.copy || document.getElementById(button.dataset.copyFrom).textContent;
      navigator.clipboard.writeText(text).then(() => button.setAttribute("aria-pressed", "true"));
    }
    const back = event.target.closest("#memory .back");
    if (back && close()) event.preventDefault();
  });

  document.addEventListener("submit", (event) => {
    if (event.submitter && !event.target.hasAttribute("hx-get")) event.submitter.setAttribute("aria-busy", "true");
  });
  window.addEventListener("pageshow", () => {
    document.querySelectorAll(".btn[aria-busy]").forEach((button) => button.removeAttribute("aria-busy"));
  });

  document.addEventListener("htmx:afterSettle", (event) => {
    const node = event.detail.target;
    showCopyButtons(document);
    const asked = event.detail.requestConfig;
    const told = one("#use[data-title]");
    if (told) document.title = `${told.dataset.title} · Loci`;
    if (asked && asked.triggeringEvent?.type === "submit" && asked.target.id === "results") links()[0]?.focus();
    if (one("#notices") && node.id !== "notices" && node.id !== "live") one("#notices").replaceChildren();
    if (asked && asked.target.id === "memory") {
      const panel = one("#memory");
      const id = new URL(location.href).searchParams.get("open");
      document.querySelectorAll(".hit").forEach((hit) => {
        if (hit.dataset.memory === id) hit.setAttribute("aria-current", "true"); else hit.removeAttribute("aria-current");
      });
      panel.scrollTop = 0;
      panel.focus({ preventScroll: true });
    }
    if (asked && asked.target.id === "rows" && asked.elt.closest("#more")) one("#more .btn")?.focus({ preventScroll: true });
  });

  // only comparisons that fit the field can be chosen, and its known values are suggested
  const fit = (form) => {
    const field = form.elements.namedItem("field"), comparison = form.elements.namedItem("comparison");
    const type = field.selectedOptions[0]?.dataset.type || "metadata";
    [...comparison.options].forEach((option) => { option.hidden = option.disabled = !option.dataset.types.split(" ").includes(type); });
    if (comparison.selectedOptions[0]?.disabled) comparison.value = "eq";
    form.elements.namedItem("value").setAttribute("list", `values-${field.value}`);
  };
  const builders = () => document.querySelectorAll("#pops form:has([name=comparison])").forEach(fit);
  document.addEventListener("change", (event) => { if (event.target.matches("#pops [name=field]")) fit(event.target.form); });
  document.addEventListener("htmx:afterSettle", builders);
  builders();

  document.addEventListener("htmx:sendError", () => {
    one("#notices").replaceChildren(one("#no-answer").content.cloneNode(true));
  });

  showCopyButtons(document);
})();
