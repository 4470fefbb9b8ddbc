// Two runs side by side with one time: slider, play, and the router that is looked at.

const FRAMES_PER_SECOND = 12;

const runs = scene.runs.map((about) => new Run(about));
const section = document.getElementById('replay');
const find = (selector) => section.querySelector(selector);
const slider = find('#replay-time');
const play = find('#replay-play');
const routerSelect = find('#replay-router');
const tip = find('#replay-tip');
const seriesBox = find('#replay-series');
const sides = [...section.querySelectorAll('[data-side]')].map((element, side) => ({
  element,
  select: element.querySelector('select'),
  canvas: element.querySelector('.map'),
  states: element.querySelector('.states'),
  caption: element.querySelector('figcaption'),
  run: runs[scene.start[side]],
}));
const now = { frame: 0, router: -1, playing: false };
const alsoDraw = []; // called with the time after the maps, by later scripts

// The run that ends last; of runs that end together, the one with more rows.
const longest = () => {
  const [left, right] = sides.map(({ run }) => run);
  return (left.times.at(-1) - right.times.at(-1) || left.times.length - right.times.length) >= 0 ? left : right;
};
const time = () => longest().times[Math.min(now.frame, longest().times.length - 1)];

function sentence(run, frame) {
  const parts = [
    ['fullest queue', QUEUE],
    ['most dropped', DROPS],
    ...(scene.marks ? [['most marked', MARKS]] : []),
    ['busiest', USE],
  ].map(([title, quantity]) => {
    const found = run.largest(quantity, frame);
    return found ? `${title}: ${scene.routers[found.router].label} ${inPercent(found.share)}` : `${title}: none`;
  });
  const text = parts.join('; ');
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

function draw() {
  if (!sides.every(({ run }) => run.bytes)) return; // show() draws once both are unpacked
  const at = time();
  slider.value = String(now.frame);
  slider.setAttribute('aria-valuetext', `${at} seconds`);
  find('#replay-now').textContent = `${at.toFixed(at < 100 ? 1 : 0)} s`;
  for (const side of sides) {
    const frame = side.run.frameAt(at);
    drawMap(side.canvas, side.run, frame, now.router);
    side.caption.textContent = sentence(side.run, frame);
    drawStates(side.states, side.run, at, Math.max(...sides.map(({ run }) => mostFlows(run))));
    side.states.setAttribute('aria-label', `Flows of ${side.run.title} at ${at} seconds: ${statesText(side.run, frame)}`);
    side.canvas.setAttribute('aria-label', `${scene.kind} of ${side.run.title} at ${at} seconds. ${side.caption.textContent}`);
  }
  if (!tip.hidden) writeTip();
  for (const more of alsoDraw) more(at);
  seriesBox.hidden = now.router < 0;
  if (now.router >= 0) {
    const both = sides.map(({ run }) => run);
    const router = scene.routers[now.router];
    seriesBox.querySelector('h3').textContent = `${router.label}, ${router.router_class}`;
    seriesBox.querySelector('.caption').textContent = `Solid blue: ${both[0].title}; dashed red: ${both[1].title}.`;
    const canvas = seriesBox.querySelector('canvas');
    drawSeries(canvas, both, now.router, at);
    canvas.setAttribute('aria-label', `${router.label}: ${routerText(both[0], now.router, both[0].frameAt(at)).replaceAll('\n', ', ')}`);
  }
}

const pointed = { side: null, router: -1 }; // shown in the tip
function writeTip() {
  const { run } = pointed.side;
  tip.textContent = routerText(run, pointed.router, run.frameAt(time()));
}

let asked = false;
function drawSoon() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    draw();
  });
}

async function show() {
  await Promise.all(sides.map(({ run }) => run.load()));
  slider.max = String(longest().times.length - 1);
  now.frame = Math.min(now.frame, longest().times.length - 1);
  draw();
}

let started = 0;
let startedAt = 0;
function advance(clock) {
  if (!now.playing) return;
  const speed = Number(find('#replay-speed').value) * FRAMES_PER_SECOND;
  const passed = Math.max(0, clock - started); // the clock of a frame may be before the click
  const frame = startedAt + Math.floor((passed / 1000) * speed);
  if (frame >= longest().times.length) return setPlaying(false);
  if (frame !== now.frame) {
    now.frame = frame;
    draw();
  }
  requestAnimationFrame(advance);
}

function setPlaying(playing) {
  now.playing = playing;
  play.textContent = playing ? 'Pause' : 'Play';
  play.setAttribute('aria-pressed', String(playing));
  if (!playing) return;
  if (now.frame >= longest().times.length - 1) now.frame = 0;
  [started, startedAt] = [performance.now(), now.frame];
  requestAnimationFrame(advance);
}

function choose(router) {
  now.router = router;
  routerSelect.value = String(router);
  drawSoon();
}

function connect() {
  play.addEventListener('click', () => setPlaying(!now.playing));
  slider.addEventListener('input', () => {
    setPlaying(false);
    now.frame = Number(slider.value);
    drawSoon();
  });
  find('#replay-speed').addEventListener('change', () => now.playing && setPlaying(true));
  routerSelect.addEventListener('change', () => choose(Number(routerSelect.value)));
  for (const side of sides) {
    side.select.value = String(runs.indexOf(side.run));
    side.select.addEventListener('change', () => {
      side.run = runs[Number(side.select.value)];
      show();
    });
    side.canvas.addEventListener('click', (event) => choose(routerAt(side.canvas, event)));
    side.canvas.addEventListener('pointermove', (event) => {
      const router = routerAt(side.canvas, event);
      tip.hidden = router < 0 || !side.run.bytes;
      if (tip.hidden) return;
      Object.assign(pointed, { side, router });
      writeTip();
      tip.style.left = `${Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8)}px`;
      tip.style.top = `${event.clientY + 16}px`;
    });
    side.canvas.addEventListener('pointerleave', () => (tip.hidden = true));
    new ResizeObserver(drawSoon).observe(side.canvas);
  }
  seriesBox.querySelector('button').addEventListener('click', async () => {
    const both = sides.map(({ run }) => run);
    await Promise.all(both.map((run) => run.load())); // one may have been chosen just now
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([seriesCsv(both, now.router)], { type: 'text/csv' }));
    link.download = `replay-${scene.routers[now.router].name}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  });
}

// Nothing is unpacked before the section comes near the screen.
new IntersectionObserver(
  async (entries, watch) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    watch.disconnect();
    connect();
    await show();
    section.dataset.ready = 'true';
  },
  { rootMargin: '600px' },
).observe(section);
