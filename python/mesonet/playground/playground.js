// The page: controls start a run in the worker, rows come back while it goes on, charts and results follow.

const SLOW_PACE = 10; // simulated seconds per second
const LINES = [{ colour: '--first' }, { colour: '--second', dash: [7, 3] }]; // of the algorithms
const SEPARATE = ['fq_codel', 'dualpi2']; // disciplines with more than one queue
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
    const dumbbell = values.network === 'dumbbell';
    const changes = dumbbell && scenario.impairments.capacity; // rates over time, or null
    const each = names.map((_, place) => LINES[place]);
    const [all, rate] = [{ colour: '--ink' }, { colour: '--muted', alpha: 0.6 }];
    const windows = this.flows.map(({ algorithm }) => ({ colour: LINES[names.indexOf(algorithm)].colour, alpha: this.flows.length > 6 ? 0.6 : 1 }));
    this.separate = dumbbell && names.length > 1 && SEPARATE.includes(values.discipline);
    charts.window.reset(dumbbell ? windows : [all], end);
    charts.queue.reset(this.separate ? each.map(({ colour }) => ({ colour })) : [all], end);
    charts.throughput.reset(dumbbell ? (changes ? [...each, rate] : each) : [...each, all], end);
    charts.throughput.limit = dumbbell ? values.rate : 0;
    if (changes) this.drawRate(names.length);
    element('window-caption').textContent = dumbbell ? 'Congestion window' : 'Congestion window, mean of all flows';
    element('queue-caption').textContent = this.separate
      ? 'Queueing delay of each algorithm'
      : dumbbell ? 'Queueing delay at the bottleneck' : 'Queueing delay, mean of all flows';
    element('throughput-caption').textContent = dumbbell ? 'Throughput' : 'Throughput; of each algorithm at the end of the run';
    const legend = names.map((name, place) => [LINES[place], name]);
    if (!dumbbell) legend.push([all, 'all flows']);
    if (changes) legend.push([rate, 'rate of the line']);
    element('legend').replaceChildren(
      ...legend.flatMap(([{ colour, dash }, name]) => {
        const line = document.createElement('i');
        line.style.setProperty('border-top', `3px ${dash ? 'dashed' : 'solid'} var(${colour})`);
        return [line, name];
      }),
    );
    this.lastSum = names.map(() => ({ time: 0, delivered: 0 }));
  }

  add(tables) {
    if (this.values.network === 'dumbbell') {
      this.addFlows(tables.flow_traces);
      this.addQueue(tables.router_traces);
    } else {
      this.addSeries(tables.series);
      if (tables.groups) this.addGroups(tables.groups);
    }
  }

  // The path without a queue at a time: rate in segments/s, round trip in ms.
  pathAt(time) {
    const { capacity, delays } = this.scenario.impairments;
    return {
      speed: capacity ? valueAt(capacity, time) : this.scenario.network.speed,
      rtt: this.values.rtt + (delays ? 1000 * valueAt(delays, time) : 0),
    };
  }

  drawRate(place) {
    const { duration } = this.scenario.time;
    for (let at = 0; at <= 1000; at++) charts.throughput.add(place, (duration * at) / 1000, this.pathAt((duration * at) / 1000).speed * MBIT);
  }

  addFlows(rows) {
    const { warmup } = this.scenario.time;
    const delays = new Map(); // sum and count of round trips beyond the path, by instant and algorithm
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
      const algorithm = this.names.indexOf(flow.algorithm);
      sums.get(time)[algorithm] += rows.segments_delivered[at] ?? 0;
      if (!this.separate || !rows.rtt_ms[at]) continue;
      if (!delays.has(time)) delays.set(time, this.names.map(() => [0, 0]));
      const of = delays.get(time)[algorithm];
      [of[0], of[1]] = [of[0] + Math.max(rows.rtt_ms[at] - this.pathAt(time).rtt, 0), of[1] + 1];
    }
    for (const [time, each] of delays) each.forEach(([sum, count], place) => count && charts.queue.add(place, time, sum / count));
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
    if (this.separate) return; // the router has more queues than one
    for (let at = 0; at < (rows.time_s?.length ?? 0); at++) {
      if (rows.router[at] === 'A -> B') charts.queue.add(0, rows.time_s[at], (rows.queue[at] / this.pathAt(rows.time_s[at]).speed) * 1000);
    }
  }

  addSeries(rows) {
    const { interval } = this.scenario.measurement;
    for (let at = 0; at < (rows.time_s?.length ?? 0); at++) {
      charts.window.add(0, rows.time_s[at], rows.cwnd[at] ?? NaN);
      charts.queue.add(0, rows.time_s[at], rows.queueing_delay_ms[at] ?? NaN);
      charts.throughput.add(this.names.length, rows.time_s[at], (rows.segments_leaving[at] / interval) * MBIT);
    }
  }

  // The backbone counts the segments of each algorithm by period, at the end of the run.
  addGroups({ period, algorithm, throughput, flow_seconds }) {
    const { duration, warmup, periods } = this.scenario.time;
    const length = (duration - warmup) / periods;
    this.names.forEach((name, place) => {
      const sums = Array(periods).fill(0);
      period.forEach((each, at) => {
        if (algorithm[at] === name && Number(each) >= 1) sums[Number(each) - 1] += (throughput[at] ?? 0) * (flow_seconds[at] ?? 0);
      });
      sums.forEach((sum, at) => charts.throughput.add(place, warmup + (at + 0.5) * length, (sum / length) * MBIT));
    });
  }
}

let current = null; // the run whose rows are shown

// Simulates the settings, and returns what each algorithm got; null if the run was stopped or refused.
async function simulate() {
  const { values } = settings;
  history.replaceState(null, '', settings.address);
  report([]);
  delete document.documentElement.dataset.delivered;
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
    if (!done || current !== recorder) return null;
    const { performance: work, tables, cpu } = done;
    recorder.add(tables);
    for (const chart of Object.values(charts)) chart.draw();
    const { warmup, duration } = scenario.time;
    const dumbbell = values.network === 'dumbbell';
    element('results').replaceChildren(...(dumbbell ? flowResults(names, recorder.flows, warmup, duration) : groupResults(names, tables)));
    const count = work.data_segments_delivered.toLocaleString('en');
    element('status').textContent = `${count} segments delivered, simulated in ${plain(cpu)} s`;
    document.documentElement.dataset.delivered = String(work.data_segments_delivered);
    running(false);
    return dumbbell ? byAlgorithm(names, recorder.flows) : [];
  } catch (error) {
    running(false);
    element('status').textContent = '';
    report([error.message]);
    return null;
  }
}

// Runs a lesson once for each share of the second algorithm, and then shows all of them in one table.
async function sweep({ values, shares }) {
  const found = [];
  for (const share of shares) {
    settings.set({ ...DEFAULTS, ...values, share });
    const got = await simulate();
    if (!got) return; // another run took over
    found.push({ share, got });
    element('results').prepend(shareResults(found));
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
        if (lesson.shares) sweep(lesson);
        else simulate();
      });
      return button;
    }),
  );
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
  element('copy').addEventListener('click', async () => {
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
  if (location.hash === '') element('lessons').querySelector('button').click();
  else if (location.hash.includes('=') && element('problem').hidden) simulate();
}

start();
