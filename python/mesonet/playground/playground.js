// The page: controls start a run in the worker, rows come back while it goes on, charts and results follow.

const SLOW_PACE = 10; // simulated seconds per second
const COLOURS = ['--first', '--second'];
const simulator = new Simulator();
const charts = {
  window: new LineChart('window', 'segments'),
  queue: new LineChart('queue', 'ms'),
  throughput: new LineChart('throughput', 'Mbit/s'),
};

function report(problems) {
  const place = element('problem');
  place.hidden = problems.length === 0;
  place.textContent = problems.join('\n');
}

function running(is) {
  element('stop').disabled = !is;
  document.documentElement.toggleAttribute('data-running', is);
}

// The state of the charts of one run.
class Recorder {
  constructor(values, scenario, names) {
    Object.assign(this, { values, scenario, names });
    this.flows = scenario.trace.flows.map((_, place) => ({ algorithm: scenario.flows[place].algorithm, rttSum: 0, rttCount: 0 }));
    this.lineOf = new Map(this.flows.map((_, place) => [`flow ${place + 1}`, place]));
    const end = scenario.time.duration;
    const colour = (name) => COLOURS[names.indexOf(name)];
    const dumbbell = values.network === 'dumbbell';
    const alpha = this.flows.length > 6 ? 0.6 : 1;
    charts.window.reset(dumbbell ? this.flows.map((flow) => ({ colour: colour(flow.algorithm), alpha })) : [{ colour: '--first' }], end);
    charts.queue.reset([{ colour: '--ink' }], end);
    charts.throughput.reset(dumbbell ? names.map((name) => ({ colour: colour(name) })) : [{ colour: '--ink' }], end);
    charts.throughput.limit = dumbbell ? values.rate : 0;
    element('queue-caption').textContent = dumbbell ? 'Queueing delay at the bottleneck' : 'Mean queueing delay of all flows';
    const legend = dumbbell ? names.map((name) => [colour(name), name]) : [[COLOURS[0], 'mean of all flows']];
    element('legend').replaceChildren(
      ...legend.flatMap(([variable, name]) => {
        const line = document.createElement('i');
        line.style.setProperty('background', `var(${variable})`);
        return [line, name];
      }),
    );
    this.lastSum = names.map(() => ({ time: 0, delivered: 0 }));
  }

  add(tables) {
    if (this.values.network === 'dumbbell') {
      this.addFlows(tables.flow_traces);
      this.addQueue(tables.router_traces);
    } else this.addSeries(tables.series);
  }

  addFlows(rows) {
    const { warmup } = this.scenario.time;
    const sums = new Map(); // segments delivered, by instant and algorithm; all rows of an instant come together
    for (let at = 0; at < (rows.time_s?.length ?? 0); at++) {
      const place = this.lineOf.get(rows.flow[at]);
      const flow = this.flows[place];
      const time = rows.time_s[at];
      charts.window.add(place, time, rows.cwnd[at] ?? NaN);
      const row = { time, delivered: rows.segments_delivered[at], sent: rows.segments_sent[at], losses: rows.losses[at] };
      if (time >= warmup) {
        flow.from ??= row;
        flow.last = row;
        if (rows.rtt_ms[at]) [flow.rttSum, flow.rttCount] = [flow.rttSum + rows.rtt_ms[at], flow.rttCount + 1];
      }
      if (!sums.has(time)) sums.set(time, this.names.map(() => 0));
      sums.get(time)[this.names.indexOf(flow.algorithm)] += rows.segments_delivered[at] ?? 0;
    }
    for (const [time, delivered] of sums) this.addThroughput(time, delivered);
  }

  // Throughput over a hundredth of the run, at least five samples.
  addThroughput(time, delivered) {
    const span = Math.max(this.scenario.time.duration / 100, 5 * this.scenario.trace.every);
    delivered.forEach((count, place) => {
      const last = this.lastSum[place];
      if (time - last.time < span) return;
      charts.throughput.add(place, time, ((count - last.delivered) / (time - last.time)) * MBIT);
      this.lastSum[place] = { time, delivered: count };
    });
  }

  addQueue(rows) {
    const { speed } = this.scenario.network;
    for (let at = 0; at < (rows.time_s?.length ?? 0); at++) {
      if (rows.router[at] === 'A -> B') charts.queue.add(0, rows.time_s[at], (rows.queue[at] / speed) * 1000);
    }
  }

  addSeries(rows) {
    const { interval } = this.scenario.measurement;
    for (let at = 0; at < (rows.time_s?.length ?? 0); at++) {
      charts.window.add(0, rows.time_s[at], rows.cwnd[at] ?? NaN);
      charts.queue.add(0, rows.time_s[at], rows.queueing_delay_ms[at] ?? NaN);
      charts.throughput.add(0, rows.time_s[at], (rows.segments_leaving[at] / interval) * MBIT);
    }
  }
}

let current = null; // the run whose rows are shown

async function simulate() {
  const { values } = settings;
  history.replaceState(null, '', settings.address);
  report([]);
  const { scenario, names } = scenarioOf(values, data);
  const recorder = new Recorder(values, scenario, names);
  current = recorder;
  element('results').replaceChildren();
  element('status').textContent = 'loading the simulator';
  running(true);
  const rows = ({ time, tables }) => {
    if (current !== recorder) return; // sent before the stop arrived
    recorder.add(tables);
    for (const chart of Object.values(charts)) chart.draw();
    element('status').textContent = `simulated ${plain(time)} of ${plain(scenario.time.duration)} s`;
  };
  try {
    const pace = element('slow').checked ? SLOW_PACE : 0;
    const done = await simulator.run(scenario, values.seed, { pace, rows });
    if (!done || current !== recorder) return;
    const { performance: work, tables, cpu } = done;
    recorder.add(tables);
    for (const chart of Object.values(charts)) chart.draw();
    const made = values.network === 'dumbbell'
      ? flowResults(names, recorder.flows, scenario.time.warmup, scenario.time.duration)
      : groupResults(names, tables);
    element('results').replaceChildren(...made);
    const count = work.data_segments_delivered.toLocaleString('en');
    element('status').textContent = `${count} segments delivered, simulated in ${plain(cpu)} s`;
    document.documentElement.dataset.delivered = String(work.data_segments_delivered);
    running(false);
  } catch (error) {
    running(false);
    element('status').textContent = '';
    report([error.message]);
  }
}

function showLessons(lessons) {
  const nav = document.createElement('nav');
  const body = document.createElement('div');
  nav.append(
    ...lessons.map((lesson) => {
      const button = Object.assign(document.createElement('button'), { type: 'button', textContent: lesson.title });
      button.setAttribute('aria-pressed', 'false');
      button.addEventListener('click', () => {
        for (const each of nav.children) each.setAttribute('aria-pressed', String(each === button));
        body.replaceChildren(text(lesson.text), text(lesson.look));
        settings.set({ ...DEFAULTS, ...lesson.values });
        simulate();
      });
      return button;
    }),
  );
  body.append(text('Eight lessons, half a minute each. Every one sets the controls and simulates; change them then as you like.'));
  element('lessons').replaceChildren(nav, body);
}

let data;
let settings;

// A fragment without "=" names a part of the page, such as #controls.
function readAddress() {
  if (location.hash === '' || location.hash.includes('=')) report(settings.read(location.hash));
}

async function start() {
  data = await unpack('playground-data');
  settings = new Settings(data);
  showLessons(data.lessons);
  readAddress();
  element('controls').addEventListener('submit', (event) => {
    event.preventDefault();
    simulate();
  });
  element('stop').addEventListener('click', () => {
    simulator.stop();
    current = null;
    running(false);
    element('status').textContent = 'stopped';
  });
  element('slow').addEventListener('change', (event) => simulator.pace(event.target.checked ? SLOW_PACE : 0));
  element('share').addEventListener('click', async () => {
    history.replaceState(null, '', settings.address);
    try {
      await navigator.clipboard.writeText(location.href);
      element('copied').textContent = 'copied';
    } catch {
      element('copied').textContent = 'the address of this page has the settings now';
    }
  });
  window.addEventListener('hashchange', readAddress);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => Object.values(charts).forEach((chart) => chart.draw()));
  document.documentElement.dataset.ready = '';
  if (location.hash.includes('=') && element('problem').hidden) simulate();
}

start();
