// Everything is declared: begin.

connectControls();
connectHighlight();
figures.forEach(connectText);
watchFigures();
watchHints();
restore();
addEventListener('hashchange', restore); // after address.js has read the address
address.revealPlace(); // again: figures that are not drawn have room now
document.documentElement.dataset.ready = 'true';
