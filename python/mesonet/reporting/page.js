// The state of the page and what follows it. Figures do not know one another: they read the signals `hl` (condition
// that is highlighted, 0 for none), `levels` (its settings), `keep` (conditions to show) and `response_title`, and
// tables whose key columns (response, period, algorithm) select the rows to draw.

async function unpack(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text());
}

class Table {
  constructor({ keys, columns }) {
    this.keys = keys;
    this.columns = {};
    for (const [name, column] of Object.entries(columns)) {
      this.columns[name] = Array.isArray(column) ? column : column.places.map((place) => column.words[place]);
    }
    this.names = Object.keys(this.columns).filter((name) => !keys.includes(name));
    this.length = this.columns[this.names[0]].length;
    this.places = new Map();
    for (let row = 0; row < this.length; row++) {
      const key = JSON.stringify(keys.map((name) => this.columns[name][row]));
      if (!this.places.has(key)) this.places.set(key, []);
      this.places.get(key).push(row);
    }
  }

  // New objects at every call: a view marks the rows it is given as its own.
  rows(selection) {
    const places = this.places.get(JSON.stringify(this.keys.map((name) => selection[name]))) ?? [];
    return places.map((row) => Object.fromEntries(this.names.map((name) => [name, this.columns[name][row]])));
  }

  csv(selection) {
    const cell = (value) => (/[",\n]/.test(String(value ?? '')) ? `"${String(value).replaceAll('"', '""')}"` : value ?? '');
    const names = Object.keys(this.columns);
    const wanted = (row) => !selection || this.keys.every((name) => this.columns[name][row] === selection[name]);
    const lines = [names.join(',')];
    for (let row = 0; row < this.length; row++) {
      if (wanted(row)) lines.push(names.map((name) => cell(this.columns[name][row])).join(','));
    }
    return lines.join('\n') + '\n';
  }
}

const page = await unpack('page-data');
const tables = Object.fromEntries(Object.entries(page.tables).map(([name, table]) => [name, new Table(table)]));
const state = { ...page.start, hl: 0, keep: [] };
const figures = [...document.querySelectorAll('figure[data-figure]')].map((element) => {
  const { spec, tables: names, main, captions, renderer } = page.figures[element.dataset.figure];
  return { element, spec, names, main, captions, renderer, view: null, near: false, stale: new Set() };
});
const said = document.getElementById('said');

const keysOf = (figure) => new Set([...figure.names, figure.captions].flatMap((name) => tables[name].keys));
const signals = () => ({
  hl: state.hl,
  keep: state.keep,
  levels: page.signs[state.hl] ?? [],
  response_title: page.titles[state.response],
});

// Draws a figure for the first time.
async function embed(figure) {
  if (figure.embedding) return figure.embedding;
  figure.embedding = (async () => {
    const spec = structuredClone(figure.spec);
    spec.datasets = { ...spec.datasets };
    for (const name of figure.names) spec.datasets[name] = tables[name].rows(state);
    const now = signals();
    for (const parameter of spec.params ?? []) if (parameter.name in now) parameter.value = now[parameter.name];
    const plot = figure.element.querySelector('.plot');
    const options = { actions: false, renderer: figure.renderer, defaultStyle: false };
    const { view } = await window.vegaEmbed(plot, spec, options);
    const known = new Set((spec.params ?? []).map((parameter) => parameter.name));
    figure.signals = Object.keys(now).filter((name) => known.has(name));
    const point = (event, item) => {
      const condition = item?.datum?.condition;
      if (typeof condition === 'number') highlightSoon(condition);
    };
    view.addEventListener('pointerover', point);
    view.addEventListener('click', point);
    figure.view = view;
    figure.element.dataset.ready = 'true';
  })();
  return figure.embedding;
}

// Brings a figure that is near the screen up to date; the others are remembered as stale.
async function update(figure, changed) {
  for (const name of changed) figure.stale.add(name);
  if (!figure.near || figure.stale.size === 0) return;
  await embed(figure);
  const stale = figure.stale;
  figure.stale = new Set();
  for (const name of figure.names) {
    if (tables[name].keys.some((key) => stale.has(key))) figure.view.data(name, tables[name].rows(state));
  }
  const now = signals();
  for (const name of figure.signals) figure.view.signal(name, now[name]);
  await figure.view.runAsync();
}

// Text beside the figures: heading, caption and the table of its data.
function describe(figure) {
  const [row] = tables[figure.captions].rows(state);
  figure.element.querySelector('.heading').textContent = row?.heading ?? 'Not available for this selection';
  figure.element.querySelector('.caption').textContent =
    row?.text ?? 'Choose another period, or find these values in the tables of the campaign folder.';
  figure.element.setAttribute('aria-label', `${row?.heading ?? ''}. ${row?.text ?? ''}`);
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
    cell.textContent = name;
    head.append(cell);
  }
  const body = element.createTBody();
  for (const row of rows.slice(0, 200)) {
    const line = body.insertRow();
    for (const name of table.names) line.insertCell().textContent = row[name] ?? '–';
  }
  const box = figure.element.querySelector('details .scroll');
  box.replaceChildren(element);
  if (rows.length > 200) box.append(`The first 200 of ${rows.length} rows; the download has all.`);
}

function download(name, text, type) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const brief = (value) => (value === 0 ? '0' : String(Number(value.toPrecision(3))));

// What a listener, or a reader who does not see the marks, wants to know of the highlighted condition.
function conditionSentence(condition) {
  const values = (tables.responses?.rows(state) ?? []).filter((row) => row.condition === condition);
  values.sort((one, other) => other.value - one.value);
  const numbers = values.map((row) => `${row.algorithm} ${brief(row.value)}`).join(', ');
  const title = page.titles[state.response];
  return `Condition ${condition}: ${page.settings[condition]}. ` + (numbers ? `${title}: ${numbers}.` : '');
}

// The one way to change what the page shows.
function set(patch) {
  if ('response' in patch) patch = { period: available(patch.response, state.period), ...patch };
  const changed = Object.keys(patch).filter((name) => JSON.stringify(state[name]) !== JSON.stringify(patch[name]));
  if (changed.length === 0) return;
  Object.assign(state, patch);
  if (changed.includes('response')) offerPeriods();
  for (const select of document.querySelectorAll('select[data-state]')) select.value = String(state[select.dataset.state]);
  for (const row of document.querySelectorAll('tr[data-condition]')) {
    const condition = Number(row.dataset.condition);
    row.classList.toggle('highlighted', condition === state.hl);
    row.hidden = state.keep.length > 0 && !state.keep.includes(condition);
  }
  for (const figure of figures) {
    if (changed.some((name) => keysOf(figure).has(name))) describe(figure);
    update(figure, changed);
  }
  if (state.hl && changed.some((name) => name !== 'keep')) said.textContent = conditionSentence(state.hl);
  else if (changed.includes('hl')) said.textContent = '';
  said.classList.toggle('clears', state.hl !== 0);
}

// The pointer may cross many marks between two frames: the last one counts.
let crossed = null;
function highlightSoon(condition) {
  if (crossed === null) {
    requestAnimationFrame(() => {
      const hl = crossed;
      crossed = null;
      set({ hl });
    });
  }
  crossed = condition;
}

function step(by) {
  const shown = page.order.filter((condition) => state.keep.length === 0 || state.keep.includes(condition));
  if (shown.length === 0) return;
  const place = shown.indexOf(state.hl);
  set({ hl: shown[place < 0 ? (by > 0 ? 0 : shown.length - 1) : (place + by + shown.length) % shown.length] });
}

// The period to show: the wanted one, if the response was measured in it.
function available(response, wanted) {
  const periods = page.periods[response].map(([value]) => value);
  return periods.includes(wanted) ? wanted : periods[0];
}

function offerPeriods() {
  const select = document.querySelector('select[data-state="period"]');
  select.replaceChildren(...page.periods[state.response].map(([value, title]) => new Option(title, value)));
  select.value = state.period;
}

function connect() {
  offerPeriods();
  for (const select of document.querySelectorAll('select[data-state]')) {
    const name = select.dataset.state;
    select.value = String(state[name]);
    select.addEventListener('change', () => set({ [name]: name === 'hl' ? Number(select.value) : select.value }));
  }
  const filters = [...document.querySelectorAll('select[data-factor]')];
  for (const filter of filters) {
    filter.addEventListener('change', () => {
      const chosen = filters.map((select, place) => [place, Number(select.value)]).filter(([, sign]) => sign !== 0);
      const kept = page.order.filter((c) => chosen.every(([place, sign]) => page.signs[c][place] === sign));
      set({ keep: chosen.length === 0 ? [] : kept.length ? kept : [-1] });
      said.textContent = chosen.length ? `${kept.length} of ${page.order.length} conditions are shown.` : '';
    });
  }
  for (const row of document.querySelectorAll('tr[data-condition]')) {
    row.addEventListener('pointerenter', () => highlightSoon(Number(row.dataset.condition)));
  }
  for (const button of document.querySelectorAll('button[data-condition]')) {
    button.addEventListener('click', () => set({ hl: Number(button.dataset.condition) }));
    button.addEventListener('focus', () => set({ hl: Number(button.dataset.condition) }));
  }
  said.addEventListener('click', () => set({ hl: 0 }));
  document.getElementById('show-all')?.addEventListener('click', async (event) => {
    for (const figure of figures) figure.near = true;
    await Promise.all(figures.map(embed));
    event.target.disabled = true;
  });
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.closest('select, input, textarea');
    if (event.key === 'Escape') set({ hl: 0 });
    else if (typing) return;
    else if (event.key === '[') step(-1);
    else if (event.key === ']') step(1);
    else if (event.target.matches('figure') && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
      step(event.key === 'ArrowRight' ? 1 : -1);
      event.preventDefault();
    }
  });
  for (const figure of figures) {
    const name = figure.element.dataset.figure;
    figure.element.querySelector('details').addEventListener('toggle', (event) => event.target.open && showData(figure));
    figure.element.querySelector('[data-download="shown"]').addEventListener('click', () =>
      download(`${name}.csv`, tables[figure.main].csv(state), 'text/csv'));
    figure.element.querySelector('[data-download="all"]').addEventListener('click', () =>
      download(`${name}-all.csv`, tables[figure.main].csv(null), 'text/csv'));
    figure.element.querySelector('[data-download="svg"]').addEventListener('click', async () => {
      figure.near = true;
      await embed(figure);
      download(`${name}.svg`, await figure.view.toSVG(), 'image/svg+xml');
    });
    describe(figure);
  }
  const watch = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const figure = figures.find(({ element }) => element === entry.target);
      figure.near = entry.isIntersecting;
      if (!figure.near) continue;
      if (figure.view) update(figure, []);
      else embed(figure);
    }
  }, { rootMargin: '400px' });
  for (const figure of figures) watch.observe(figure.element);
}

connect();
document.documentElement.dataset.ready = 'true';
