// Everything is declared: begin.

connectControls();
connectHighlight();
figures.forEach(connectText);
watchFigures();
watchHints();
restore();
address.revealPlace(); // again: figures that are not drawn have room now
document.documentElement.dataset.ready = 'true';
