// Everything is declared: begin.

connectControls();
connectHighlight();
figures.forEach(connectText);
watchFigures();
watchHints();
restore();
document.documentElement.dataset.ready = 'true';
