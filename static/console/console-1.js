// Keys, the copy button, and what the reader's focus does after a swap. Nothing here is needed to use the console.
"use strict";
(() => {
  const one = (selector, within = document) => within.querySelector(selector);
  const singleKeys = () => document.documentElement.dataset.keys !== "off";
  const typing = (node) => node.closest("input, textarea, select, [contenteditable]") !== null;

  const showCopyButtons = (within) => {
    if (!navigator.clipboard) return;
    within.querySelectorAll("[data-copy][hidden]").forEach((button) => { button.hidden = false; });
  };

  const move = (step) => {
    const links = [...document.querySelectorAll(".hit > .text")];
    if (!links.length) return;
    const at = links.findIndex((link) => link.closest(".hit").contains(document.activeElement));
    const next = links[Math.max(0, Math.min(links.length - 1, at + step))];
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

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) {
      const form = event.target.form;
      if (event.key === "Enter" && !event.altKey && form && event.target.tagName === "TEXTAREA") form.requestSubmit();
      return;
    }
    if (event.key === "Escape" && !one(":popover-open")) { close(); return; }
    if (!singleKeys() || typing(event.target)) return;
    if (event.key === "/" && one("#q")) { event.preventDefault(); one("#q").focus(); one("#q").select(); }
    if (event.key === "j") move(1);
    if (event.key === "k") move(-1);
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (button) navigator.clipboard.writeText(button.dataset.copy).then(() => button.setAttribute("aria-pressed", "true"));
    const back = event.target.closest("#memory .back");
    if (back && close()) event.preventDefault();
  });

  document.addEventListener("htmx:afterSettle", (event) => {
    const node = event.detail.target;
    showCopyButtons(document);
    if (one("#notices") && node.id !== "notices") one("#notices").replaceChildren();
    if (event.detail.requestConfig && event.detail.requestConfig.target.id === "memory") {
      const panel = one("#memory");
      const id = new URL(location.href).searchParams.get("open");
      document.querySelectorAll(".hit").forEach((hit) => {
        if (hit.dataset.memory === id) hit.setAttribute("aria-current", "true"); else hit.removeAttribute("aria-current");
      });
      panel.scrollTop = 0;
      panel.focus({ preventScroll: true });
    }
  });

  document.addEventListener("htmx:sendError", () => {
    one("#notices").replaceChildren(one("#no-answer").content.cloneNode(true));
  });

  showCopyButtons(document);
})();
