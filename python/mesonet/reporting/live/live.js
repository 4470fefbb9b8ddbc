// Simulates runs of the campaign again, compares them with the table, and draws the difference of two runs.

const live = document.getElementById('live');
const liveData = await unpack('live-data');
const simulator = new Simulator();
const control = (name) => live.querySelector(`[name=${name}]`);
const [liveBar, liveNow, liveEqual, liveTable] = ['progress', '#live-now', '#live-equal', '#live-table'].map((each) => live.querySelector(each));
const runOf = (condition, algorithm) => liveData.runs.find((run) => run.condition === condition && run.algorithm === algorithm);

// The scenario of the controls; null if it is the one of the campaign. A refusal names control, value and what is allowed.
function changed(about) {
  const scenario = structuredClone(about.scenario);
  const number = (name, label, least, most) => {
    const value = Number(control(name).value);
    if (control(name).value !== '' && Number.isFinite(value) && value >= least && value <= most) return value;
    throw new Error(`${label} = "${control(name).value}": not allowed. Allowed: ${least} to ${most}`);
  };
  const factor = number('buffer', 'Buffers', 0.01, 100);
  const { buffer } = scenario.network;
  if (factor !== 1 && typeof buffer.factor !== 'number') throw new Error('Buffers: the condition has no rule that can be multiplied');
  if (factor !== 1) buffer.factor *= factor;
  if (control('discipline').value) scenario.aqm.discipline = control('discipline').value;
  const share = control('share'); // text that is no number has an empty value, too
  if (share.value !== '' || share.validity.badInput) setShare(scenario, about, number('share', 'Share', 0, 100) / 100);
  return JSON.stringify(scenario) === JSON.stringify(about.scenario) ? null : scenario;
}

function setShare(scenario, about, share) {
  const mine = scenario.algorithms.find(({ name }) => name === about.algorithm) ?? scenario.algorithms.at(-1);
  let others = scenario.algorithms.filter((each) => each !== mine);
  if (!others.length) {
    const entry = runOf(about.condition, liveData.incumbent)?.scenario.algorithms.find(({ name }) => name === liveData.incumbent);
    if (!entry || entry.name === mine.name) throw new Error(`Share = "${100 * share}": there is no other algorithm to mix ${mine.name} with`);
    others = [{ ...structuredClone(entry), share: 1 }];
  }
  const sum = others.reduce((total, each) => total + each.share, 0);
  mine.share = share;
  others.forEach((each) => (each.share = ((sum > 0 ? each.share / sum : 1 / others.length)) * (1 - share)));
  scenario.algorithms = [...others, mine].filter((each) => each.share > 0);
}

async function digestOf(values) {
  const view = new DataView(new ArrayBuffer(8));
  const bits = (value) => {
    if (value === null || value === undefined) return 'null';
    view.setFloat64(0, value);
    return view.getBigUint64(0).toString(16).padStart(16, '0');
  };
  const text = liveData.keys.map((key) => `${key}\t${bits(values.get(key))}\n`).join('');
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('').slice(0, 32);
}

async function equality(about, isChanged, values, code) {
  if (isChanged) return ['changed', 'Changed: the table has no numbers of this run.'];
  if (!about.digest) return ['none', 'The campaign has no results of this run yet.'];
  if (code !== liveData.code) return ['version', 'The simulator of this page is of another version than the campaign: its numbers may differ.'];
  // Browsers have no digests on a page from plain http.
  if (!crypto.subtle) return ['unknown', 'The browser compares with the table only from a file or over https.'];
  const same = (await digestOf(values)) === about.digest;
  return same ? ['yes', `Equals the table: yes, all ${liveData.keys.length.toLocaleString('en')} numbers, bit for bit.`] : ['no', 'Equals the table: no. The page or the campaign is damaged.'];
}

function say(kind, text) {
  liveEqual.hidden = false;
  liveEqual.dataset.equal = kind;
  liveEqual.textContent = text;
}

function showTable(about, values) {
  const cell = (name, text) => Object.assign(document.createElement(name), { textContent: text });
  const row = (name, texts) => {
    const made = document.createElement('tr');
    made.append(...texts.map((text, place) => cell(name === 'th' || place === 0 ? 'th' : 'td', text)));
    return made;
  };
  const shown = (value) => (value === null || value === undefined ? '' : Number(value.toPrecision(6)).toLocaleString('en', { maximumFractionDigits: 9 }));
  liveTable.tHead.replaceChildren(row('th', ['Response', 'Unit', 'Simulated here', 'Table, unchanged run']));
  liveTable.tBodies[0].replaceChildren(
    ...liveData.shown.map(({ key, label, unit }, place) => row('td', [label, unit === '1' ? '' : unit, shown(values.get(key)), shown(about.values?.[place])])),
  );
  liveTable.hidden = liveData.shown.length === 0;
}

// The new run is on the right, the recorded run of the incumbent in the same condition on the left.
async function compare(run, about) {
  runs.push(run);
  const value = String(runs.length - 1);
  sides.forEach(({ select }) => select.append(new Option(run.title, value)));
  const wanted = `${liveData.incumbent}, condition ${about.condition}`;
  const isWanted = ({ title }) => title === wanted || title === `${wanted} (simulated here)`;
  const incumbent = runs.find((each) => isWanted(each) || (!(each instanceof LiveRun) && each.title.startsWith(`${wanted},`)));
  if (incumbent) [sides[0].run, sides[0].select.value] = [incumbent, String(runs.indexOf(incumbent))];
  [sides[1].run, sides[1].select.value] = [run, value];
  await show();
}

function titleOfChange(about) {
  const parts = [`${about.algorithm}, condition ${about.condition}`];
  if (Number(control('buffer').value) !== 1) parts.push(`buffers x ${control('buffer').value}`);
  if (control('discipline').value) parts.push(control('discipline').selectedOptions[0].textContent);
  if (control('share').value !== '') parts.push(`share ${control('share').value} %`);
  return `${parts.join(', ')} (simulated here)`;
}

async function simulateHere() {
  const about = runOf(Number(control('condition').value), control('algorithm').value);
  const busy = (is) => ([live.querySelector('#live-run').disabled, live.querySelector('#live-stop').disabled] = [is, !is]);
  if (!about) return say('refused', 'The campaign has no such run.');
  try {
    const other = changed(about);
    const title = titleOfChange(about); // the reader may move the controls during the run
    const scenario = other ?? structuredClone(about.scenario);
    Object.assign(scenario.trace, { every: about.every, flows: [], routers: ['all'], sources: [], packets: false });
    const { duration } = scenario.time;
    busy(true);
    liveEqual.hidden = true;
    const parts = { router_traces: {}, series: {} };
    const add = (tables) => Object.entries(parts).forEach(([name, columns]) =>
      Object.entries(tables[name]).forEach(([column, more]) => { for (const value of more) (columns[column] ??= []).push(value); }));
    const began = performance.now();
    const code = await simulator.load();
    const rows = ({ time, tables }) => {
      add(tables);
      liveBar.value = time / duration;
      const rest = ((performance.now() - began) / 1000) * (duration / time - 1);
      liveNow.textContent = `${time.toPrecision(3)} of ${duration} s simulated, about ${Math.ceil(rest)} s left`;
    };
    const done = await simulator.run(scenario, about.seed, { rows });
    if (!done) return say('stopped', 'Stopped.');
    add(done.tables);
    liveNow.textContent = `${duration} s simulated in ${done.cpu.toPrecision(3)} s${about.cpu_s ? `; the campaign took ${about.cpu_s.toPrecision(3)} s` : ''}`;
    const { period, name, value } = done.tables.responses;
    const values = new Map(value.map((each, place) => [`${period[place]}\t${name[place]}`, each]));
    showTable(about, values);
    await compare(new LiveRun(title, scenario, { ...parts, routers: done.tables.routers }, liveData.states), about);
    say(...(await equality(about, Boolean(other), values, code)));
  } catch (error) {
    say('refused', error.message);
  } finally {
    busy(false);
  }
}

const difference = document.getElementById('difference');
const differenceOf = difference.querySelector('select');

// Blue: the right run has less; red: it has more. Small differences keep a colour: the scale is of roots.
function drawDifference(at) {
  const quantity = Number(differenceOf.value);
  const [left, right] = sides.map(({ run }) => run);
  const [before, after] = [left.frameAt(at), right.frameAt(at)];
  const canvas = difference.querySelector('canvas');
  const context = prepared(canvas, scene.width, scene.height);
  context.strokeStyle = '#c9ced4';
  for (const [a, b] of scene.links) {
    context.beginPath();
    context.moveTo(scene.routers[a].x, scene.routers[a].y);
    context.lineTo(scene.routers[b].x, scene.routers[b].y);
    context.stroke();
  }
  let [most, least] = [null, null];
  scene.routers.forEach((router, n) => {
    const change = right.share(quantity, n, after) - left.share(quantity, n, before);
    if (change > (most?.change ?? 0)) most = { router, change };
    if (change < (least?.change ?? 0)) least = { router, change };
    const colours = change > 0 ? [[244, 245, 247], [213, 94, 0]] : [[244, 245, 247], [0, 114, 178]];
    context.fillStyle = mixed(colours, Math.sqrt(Math.abs(change)));
    context.strokeStyle = '#5c636b';
    context.lineWidth = 0.8;
    context.beginPath();
    context.arc(router.x, router.y, sizeOf(router) + 1, 0, 7);
    context.fill();
    context.stroke();
    if (!router.head) return;
    context.font = '11px "Liberation Sans", Arial, sans-serif';
    context.textAlign = router.name_at[2];
    context.fillStyle = '#1b1f24';
    context.fillText(router.label, router.x + router.name_at[0], router.y + router.name_at[1]);
  });
  const part = (found, word) => (found ? `${word}: ${found.router.label} by ${inPercent(Math.abs(found.change))}` : `${word}: none`);
  difference.querySelector('figcaption').textContent = `${right.title} minus ${left.title}. ${part(most, 'Red, most above')}; ${part(least, 'blue, most below')}.`;
  canvas.setAttribute('aria-label', difference.querySelector('figcaption').textContent);
}

alsoDraw.push(drawDifference);
differenceOf.addEventListener('change', drawSoon);
live.querySelector('#live-run').addEventListener('click', simulateHere);
live.querySelector('#live-stop').addEventListener('click', () => simulator.stop());
live.dataset.ready = 'true';
