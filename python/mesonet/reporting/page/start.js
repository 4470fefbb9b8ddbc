// Everything is declared: begin.

connectControls();
connectHighlight();
figures.forEach(connectText);
watchFigures();
watchHints();
document.documentElement.dataset.ready = 'true';
