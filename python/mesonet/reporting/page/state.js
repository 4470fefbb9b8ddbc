// The state of the page and what follows it. Figures do not know one another: they read the signals below, and tables
// whose key columns (response, period, algorithm, ...) select the rows to draw.

const page = await unpack('page-data');
const tables = Object.fromEntries(
  Object.entries(page.tables).map(([name, table]) => [name, table.maker ? new makers[table.maker](table) : new Table(table)]),
);
const state = { ...page.start, hl: 0, keep: [] };
const followers = []; // called with the names of what has changed

const brief = (value) => (value === 0 ? '0' : String(Number(value.toPrecision(3))));

// What charts may read: the highlighted condition (0: none), its settings, the conditions to show (empty: all), titles
// of the responses, and the number of the chosen factor.
const signals = (figure) => ({
  hl: state.hl,
  keep: state.keep,
  levels: page.levels[state.hl] ?? [],
  response_title: figure.axis.replace('{}', page.titles[state.response]),
  other_title: page.titles[state.other] ?? '',
  same_unit: page.units[state.response] === page.units[state.other],
  factor_place: page.factors.indexOf(state.factor) + 1,
});

// The period to show: the wanted one, if the response was measured in it.
function available(response, wanted) {
  const periods = page.periods[response].map(([value]) => value);
  return periods.includes(wanted) ? wanted : periods[0];
}

// The one way to change what the page shows.
function set(patch) {
  if ('response' in patch) patch = { period: available(patch.response, state.period), ...patch };
  const changed = Object.keys(patch).filter((name) => JSON.stringify(state[name]) !== JSON.stringify(patch[name]));
  if (changed.length === 0) return;
  Object.assign(state, patch);
  for (const follow of followers) follow(changed);
}
