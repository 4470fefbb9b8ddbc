// A hint to scroll sideways stands only over what is wider than its box.

function showHint(box) {
  box.previousElementSibling.classList.toggle('needed', box.scrollWidth > box.clientWidth);
}

const widths = new ResizeObserver((entries) => entries.forEach(({ target }) => showHint(target)));

function watchHints() {
  for (const hint of document.querySelectorAll('.hint')) widths.observe(hint.nextElementSibling);
}
