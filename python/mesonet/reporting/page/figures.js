// The figures as live views. They are drawn when they come near the screen, those to decide by in any case.

const figures = [...document.querySelectorAll('figure[data-figure]')].map((element) => {
  const { spec, tables: names, main, captions, renderer, axis } = page.figures[element.dataset.figure];
  return { element, spec, names, main, captions, renderer, axis, view: null, near: false, stale: new Set() };
});

const keysOf = (figure) => new Set([...figure.names, figure.captions].flatMap((name) => tables[name].keys));

// Safari has no idle time to ask for.
const whenIdle = window.requestIdleCallback ?? ((call) => setTimeout(call, 200));

const WIDE = 1000; // px: on an upright page the text of a wider figure would be smaller than 6 pt

// A figure that is drawn may have another width: is it to scroll, and is it printed on a page on its side?
function measure(figure) {
  const plot = figure.element.querySelector('.plot');
  const { clientWidth: width, clientHeight: height } = plot.querySelector('svg, canvas');
  if (width === 0) return; // in a part that is folded
  figure.element.closest('section').classList.toggle('wide', width > WIDE && width > 1.2 * height);
  showHint(plot);
}

// Draws a figure for the first time.
function embed(figure) {
  figure.embedding ??= (async () => {
    const spec = structuredClone(figure.spec);
    spec.datasets = { ...spec.datasets };
    for (const name of figure.names) spec.datasets[name] = tables[name].rows(state);
    const now = signals(figure);
    for (const parameter of spec.params ?? []) if (parameter.name in now) parameter.value = now[parameter.name];
    const plot = figure.element.querySelector('.plot');
    // Errors only: a response that nobody answered has axes without an extent, which is warned about and is right.
    // The page may evaluate no text as code: Vega interprets its expressions.
    const options = {
      actions: false, ast: true, renderer: figure.renderer, defaultStyle: false, logLevel: 1, tooltip: { disableDefaultStyle: true },
    };
    const { view } = await window.vegaEmbed(plot, spec, options);
    const known = new Set((spec.params ?? []).map((parameter) => parameter.name));
    figure.signals = Object.keys(now).filter((name) => known.has(name));
    const point = (event, item) => {
      const condition = item?.datum?.condition;
      if (typeof condition === 'number') highlightSoon(condition);
    };
    view.addEventListener('pointerover', point);
    view.addEventListener('click', (event, item) => {
      point(event, item);
      const { pick_response: response, pick_other: other, pick_period: period } = item?.datum ?? {};
      if (response) set(other ? { response, other, period } : { response, period });
    });
    plot.style.minHeight = '0'; // the room kept was about right; this is exact
    figure.view = view;
    measure(figure);
    figure.element.dataset.ready = 'true';
  })();
  return figure.embedding;
}

// A figure near the screen follows at once, a drawn one when the browser is idle, because it may be printed. The others
// remember what is stale.
async function update(figure, changed) {
  for (const name of changed) figure.stale.add(name);
  if (figure.near) await refresh(figure);
  else if (figure.view && changed.some((name) => name !== 'hl')) whenIdle(() => refresh(figure));
}

// Draws a figure, or brings it up to date.
async function refresh(figure) {
  await embed(figure);
  const stale = figure.stale;
  if (stale.size === 0) return; // another call was quicker
  figure.stale = new Set();
  for (const name of figure.names) {
    if (tables[name].keys.some((key) => stale.has(key))) figure.view.data(name, tables[name].rows(state));
  }
  const now = signals(figure);
  for (const name of figure.signals) figure.view.signal(name, now[name]);
  await figure.view.resize().runAsync(); // a new table or a filter may need more room, or less
  measure(figure);
}

followers.push((changed) => figures.forEach((figure) => update(figure, changed)));

async function drawAll() {
  for (const figure of figures) figure.near = true;
  await Promise.all(figures.map(refresh));
}

function watchFigures() {
  // Room for figures that are not drawn yet, so that the page does not jump.
  for (const plot of document.querySelectorAll('.plot[data-height]')) plot.style.minHeight = `${plot.dataset.height}px`;
  const watch = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        const figure = figures.find(({ element }) => element === entry.target);
        figure.near = entry.isIntersecting;
        if (figure.near) refresh(figure);
      }
    },
    { rootMargin: '400px' },
  );
  for (const figure of figures) watch.observe(figure.element);
  document.getElementById('statistician').addEventListener('toggle', () => {
    for (const figure of figures) if (figure.view) measure(figure); // they may have been drawn while it was folded
  });
  // The figures to decide by are drawn in any case: whoever prints the page wants them.
  for (const figure of figures) if (!figure.element.closest('#statistician')) whenIdle(() => refresh(figure));
}
