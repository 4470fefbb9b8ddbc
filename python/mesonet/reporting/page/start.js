// Everything is declared: begin.

connectControls();
connectHighlight();
figures.forEach(connectText);
watchFigures();
document.documentElement.dataset.ready = 'true';
