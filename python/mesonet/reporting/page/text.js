// Text beside the figures: heading, caption, the table of the data, and downloads.

const MOST_ROWS = 200; // of a table of data on the page

// The controls that change the selection of a figure: those of its section, then those of the page.
function controlsOf(figure) {
  const own = figure.element.closest('section');
  const found = tables[figure.captions].keys.map((key) => {
    const named = `select[data-state="${key}"]`;
    return own.querySelector(named) ?? document.querySelector(`.controls ${named}`);
  });
  return found.filter(Boolean).map((select) => select.closest('label').firstChild.textContent.replace(/ \(.*/, '').toLowerCase());
}

function describe(figure) {
  const [row] = tables[figure.captions].rows(state);
  const heading = row?.heading ?? 'Not available for this selection';
  const text = row?.text ?? `There are no values to draw. Choose another ${controlsOf(figure).join(' or ')}.`;
  figure.element.querySelector('.heading').textContent = heading;
  figure.element.querySelector('.caption').textContent = text;
  figure.element.setAttribute('aria-label', `${heading}. ${text}`);
  if (figure.element.querySelector('details').open) showData(figure);
}

function showData(figure) {
  const table = tables[figure.main];
  const rows = table.rows(state);
  const element = document.createElement('table');
  const head = element.createTHead().insertRow();
  for (const name of table.names) {
    const cell = document.createElement('th');
    cell.scope = 'col';
    cell.textContent = name === 'algorithm' ? page.noun : name;
    head.append(cell);
  }
  const body = element.createTBody();
  for (const row of rows.slice(0, MOST_ROWS)) {
    const line = body.insertRow();
    for (const name of table.names) line.insertCell().textContent = row[name] ?? '–';
  }
  const box = figure.element.querySelector('details .scroll');
  box.replaceChildren(element);
  if (rows.length > MOST_ROWS) box.append(`The first ${MOST_ROWS} of ${rows.length} rows; the download has all.`);
}

function download(name, text, type) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

followers.push((changed) => {
  for (const figure of figures) if (changed.some((name) => keysOf(figure).has(name))) describe(figure);
});

function connectText(figure) {
  const name = figure.element.dataset.figure;
  const on = (what, act) => figure.element.querySelector(`[data-download="${what}"]`).addEventListener('click', act);
  on('shown', () => download(`${name}.csv`, tables[figure.main].csv(state), 'text/csv'));
  on('all', () => download(`${name}-all.csv`, tables[figure.main].csv(null), 'text/csv'));
  on('svg', async () => {
    figure.near = true;
    await embed(figure);
    await update(figure, []);
    download(`${name}.svg`, await figure.view.toSVG(), 'image/svg+xml');
  });
  figure.element.querySelector('details').addEventListener('toggle', (event) => event.target.open && showData(figure));
  describe(figure);
}
