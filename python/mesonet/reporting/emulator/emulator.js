// Evaluates the emulators of the page: the equations of `mesonet/emulation/surface.py`, and the line over one factor.

const emulator = document.getElementById('emulator');
const emulated = await unpack('emulator-data');
const pick = (name) => emulator.querySelector(`[name=${name}]`);
const sliders = [...emulator.querySelectorAll('input[type=range]')];

// Covariance of the smooth part: Matern 5/2 with a length for each input, and a constant.
function covariance({ lengths, signal }, a, b) {
  let squares = 0;
  for (let i = 0; i < lengths.length; i += 1) squares += ((a[i] - b[i]) / lengths[i]) ** 2;
  const apart = Math.sqrt(5 * squares);
  return emulated.level + signal * (1 + apart + (apart * apart) / 3) * Math.exp(-apart);
}

function forward(lower, right) {
  const found = new Float64Array(right.length);
  for (let i = 0; i < right.length; i += 1) {
    let sum = right[i];
    for (let j = 0; j < i; j += 1) sum -= lower[i][j] * found[j];
    found[i] = sum / lower[i][i];
  }
  return found;
}

// The lower Cholesky factor of the covariance of the means, and the means behind it.
function solved(surface) {
  if (surface.lower) return surface;
  const { points, noise, nugget, values } = surface;
  surface.lower = points.map(() => new Float64Array(points.length));
  for (let i = 0; i < points.length; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      let sum = covariance(surface, points[i], points[j]) + (i === j ? noise[i] + nugget : 0);
      for (let k = 0; k < j; k += 1) sum -= surface.lower[i][k] * surface.lower[j][k];
      surface.lower[i][j] = i === j ? Math.sqrt(sum) : sum / surface.lower[j][j];
    }
  }
  surface.behind = forward(surface.lower, values);
  return surface;
}

function at(surface, point) {
  const { lower, behind, points, centre, scale, signal } = solved(surface);
  const explained = forward(lower, points.map((each) => covariance(surface, each, point)));
  let [mean, variance] = [0, emulated.level + signal];
  explained.forEach((each, i) => {
    mean += each * behind[i];
    variance -= each * each;
  });
  return { mean: centre + scale * mean, variance: scale * scale * Math.max(variance, 0) };
}

// The prediction of a linear model at coded places, with the band for the mean of some new runs.
function byEffects({ model, runs: usual }, point, runs) {
  const { terms, coefficients, inverse, variance, t } = model;
  const row = [1, ...terms.map((places) => places.reduce((product, place) => product * point[place], 1))];
  const mean = row.reduce((sum, each, i) => sum + each * coefficients[i], 0);
  const spread = row.reduce((sum, a, i) => sum + row.reduce((inner, b, j) => inner + a * b * inverse[i][j], 0), 0);
  const half = t * Math.sqrt(variance * (spread + usual / runs));
  return { mean, low: mean - half, high: mean + half };
}

// The prediction at coordinates, with the band for the mean of some new runs.
function predicted(about, point, runs = about.runs) {
  if (about.model) return byEffects(about, point, runs);
  const { surface, noise } = about;
  const { mean, variance } = at(surface, point);
  const log = noise.surface ? at(noise.surface, point).mean : noise.level;
  const own = log === null ? 0 : Math.exp(log) / runs;
  const half = emulated.z * about.widened * Math.sqrt(variance + surface.scale ** 2 * surface.nugget + own);
  const back = about.log ? Math.exp : (value) => value;
  return { mean: back(mean), low: back(mean - half), high: back(mean + half) };
}

const coordinates = (steps) => emulated.factors.flatMap(({ at: places }, place) => places[steps[place]]);
const chosen = () => emulated.emulators.find(({ response, algorithm }) => response === pick('response').value && algorithm === pick('algorithm').value);
const short = (value, about) => `${Number(value.toPrecision(4)).toLocaleString('en', { maximumSignificantDigits: 4 })}${about.unit ? ` ${about.unit}` : ''}`;
let moved = 0; // the factor of the line
let simulatedHere = null; // the last run of these very settings

const node = (name, attributes, text = '') => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
  made.textContent = text;
  return made;
};

// The line over the factor that was moved last; all others stay where they are.
function drawLine(about, steps) {
  const factor = emulated.factors[moved];
  const line = factor.texts.map((_, step) => predicted(about, coordinates(steps.with(moved, step))));
  const values = [...line.flatMap(({ low, high }) => [low, high]), ...(simulatedHere === null ? [] : [simulatedHere])];
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const x = (step) => 84 + (540 * step) / Math.max(1, line.length - 1);
  const y = (value) => 252 - (232 * (value - least)) / (most - least || 1);
  const path = (points) => points.map(([a, b]) => `${a.toFixed(1)},${b.toFixed(1)}`).join(' L');
  const upper = line.map(({ high }, step) => [x(step), y(high)]);
  const lower = line.map(({ low }, step) => [x(step), y(low)]).reverse();
  const here = line[steps[moved]];
  const svg = emulator.querySelector('svg');
  svg.replaceChildren(
    node('path', { class: 'band', d: `M${path([...upper, ...lower])}Z` }),
    node('line', { class: 'axis', x1: 84, x2: 624, y1: 252, y2: 252 }),
    node('line', { class: 'axis', x1: 84, x2: 84, y1: 20, y2: 252 }),
    node('path', { class: 'mean', d: `M${path(line.map(({ mean }, step) => [x(step), y(mean)]))}` }),
    node('line', { class: 'here', x1: x(steps[moved]), x2: x(steps[moved]), y1: 20, y2: 252 }),
    node('circle', { class: 'dot', cx: x(steps[moved]), cy: y(here.mean), r: 5 }),
    ...(simulatedHere === null ? [] : [node('circle', { class: 'run', cx: x(steps[moved]), cy: y(simulatedHere), r: 7 })]),
    ...[least, (least + most) / 2, most].map((value) => node('text', { x: 78, y: y(value) + 4, 'text-anchor': 'end' }, Number(value.toPrecision(3)).toLocaleString('en', { maximumSignificantDigits: 3 }))),
    node('text', { x: 84, y: 272 }, factor.texts[0]),
    node('text', { x: 624, y: 272, 'text-anchor': 'end' }, factor.texts.at(-1)),
    node('text', { x: 354, y: 292, 'text-anchor': 'middle' }, `${factor.id}${factor.log ? ' (logarithmic)' : ''}`),
  );
  svg.setAttribute('aria-label', `${about.title} over ${factor.id}, from ${short(line[0].mean, about)} at ${factor.texts[0]} to ${short(line.at(-1).mean, about)} at ${factor.texts.at(-1)}, with its band.`);
}

function showEmulated() {
  const steps = sliders.map(({ value }) => Number(value));
  sliders.forEach((slider, place) => {
    const text = emulated.factors[place].texts[steps[place]];
    slider.previousElementSibling.textContent = text;
    slider.setAttribute('aria-valuetext', text);
  });
  const about = chosen();
  const [said, svg] = [emulator.querySelector('.emulated'), emulator.querySelector('svg')];
  svg.style.display = about ? '' : 'none';
  if (!about) {
    said.textContent = 'No emulator of this response with this algorithm.';
    return;
  }
  const { mean, low, high } = predicted(about, coordinates(steps));
  const bold = Object.assign(document.createElement('b'), { textContent: short(mean, about) });
  said.replaceChildren(`${about.title}: `, bold, ` (95 %: ${short(low, about)} to ${short(high, about)})`);
  emulator.querySelector('#emulator-check').textContent = about.sentence;
  drawLine(about, steps);
}

const simulatorHere = Simulator && emulated.simulated ? new Simulator() : null;

// One run of the settings, by the simulator itself.
async function simulateSettings() {
  const [button, now] = ['#emulator-run', '#emulator-now'].map((each) => emulator.querySelector(each));
  const about = chosen();
  if (!about) return;
  const steps = sliders.map(({ value }) => Number(value));
  const { scenarios, paths, values, period, seed } = emulated.simulated;
  const scenario = structuredClone(scenarios[about.algorithm]);
  paths.forEach((path, place) => {
    path.slice(0, -1).reduce((there, key) => there[key], scenario)[path.at(-1)] = values[place][steps[place]];
  });
  button.disabled = true;
  try {
    const { duration } = scenario.time;
    const rows = ({ time }) => (now.textContent = `${time.toPrecision(3)} of ${duration} s simulated`);
    const done = await simulatorHere.run(scenario, seed, { rows });
    if (!done) return;
    const { responses } = done.tables;
    const place = responses.name.findIndex((name, i) => name === about.response && responses.period[i] === period);
    const value = place < 0 ? null : responses.value[place];
    const { low, high } = predicted(about, coordinates(steps), 1);
    const inside = value >= low && value <= high ? 'in' : 'outside of';
    now.textContent = value === null ? 'This run has no value of the response.' : `One run: ${short(value, about)}, ${inside} the band of one run, ${short(low, about)} to ${short(high, about)}.`;
    simulatedHere = value;
    showEmulated();
  } catch (error) {
    now.textContent = error.message;
  } finally {
    button.disabled = false;
  }
}

sliders.forEach((slider, place) => slider.addEventListener('input', () => {
  [moved, simulatedHere] = [place, null];
  showEmulated();
}));
['response', 'algorithm'].forEach((name) => pick(name).addEventListener('change', () => {
  simulatedHere = null;
  showEmulated();
}));
emulator.querySelector('#emulator-run')?.addEventListener('click', simulateSettings);
showEmulated();
emulator.dataset.ready = 'true';
