// On a phone: a hint to scroll sideways stands only over what is wider than the screen.

const widths = new ResizeObserver((entries) => {
  for (const { target } of entries) target.previousElementSibling.hidden = target.scrollWidth <= target.clientWidth;
});

function watchHints() {
  for (const hint of document.querySelectorAll('.hint')) widths.observe(hint.nextElementSibling);
}
