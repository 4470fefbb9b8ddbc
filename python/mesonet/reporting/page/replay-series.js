// The time series of one router in both runs: queue, drops, marks and utilisation, with the instant that the maps show.

const PANELS = [
  [QUEUE, 'queue, % of the buffer'],
  [DROPS, 'dropped, % of what arrived'],
  ...(scene.marks ? [[MARKS, 'marked, % of what arrived']] : []),
  [USE, 'busy, %'],
];
const SIDES = [
  { colour: '#0072b2', dash: [] },
  { colour: '#d55e00', dash: [5, 3] },
];

function niceTop(share) {
  if (share <= 0) return 0.01;
  const power = 10 ** Math.floor(Math.log10(share));
  return [1, 2, 5, 10].map((step) => step * power).find((top) => top >= share - 1e-12);
}

function drawSeries(canvas, runs, router, time) {
  const [width, height] = [canvas.clientWidth || 640, 110 * PANELS.length];
  canvas.style.height = `${height}px`;
  const context = prepared(canvas, width, height);
  const [left, right, top, gap] = [48, 12, 16, 22];
  const panel = (height - top - 24 - (PANELS.length - 1) * gap) / PANELS.length;
  const end = Math.max(...runs.map((run) => run.times.at(-1)));
  const x = (t) => left + (t / end) * (width - left - right);
  context.font = '11px "Liberation Sans", Arial, sans-serif';
  PANELS.forEach(([quantity, title], place) => {
    const base = top + place * (panel + gap) + panel;
    const shares = runs.map((run) => run.times.map((_, frame) => run.share(quantity, router, frame)));
    const most = Math.min(1, niceTop(Math.max(...shares.flat())));
    const y = (share) => base - (share / most) * panel;
    context.fillStyle = '#5c636b';
    context.textAlign = 'left';
    context.fillText(title, left, base - panel - 5);
    context.textAlign = 'right';
    context.strokeStyle = '#eef0f3';
    context.lineWidth = 1;
    context.setLineDash([]);
    for (const part of [0, 0.5, 1]) {
      context.fillText(String(Number((100 * most * part).toPrecision(3))), left - 6, y(most * part) + 4);
      context.beginPath();
      context.moveTo(left, y(most * part));
      context.lineTo(width - right, y(most * part));
      context.stroke();
    }
    runs.forEach((run, side) => {
      context.strokeStyle = SIDES[side].colour;
      context.setLineDash(SIDES[side].dash);
      context.lineWidth = 1.4;
      context.beginPath();
      run.times.forEach((t, frame) => context.lineTo(x(t), y(shares[side][frame])));
      context.stroke();
    });
  });
  context.setLineDash([]);
  context.fillStyle = '#5c636b';
  context.textAlign = 'center';
  for (let part = 0; part <= 4; part++) {
    const t = (end * part) / 4;
    context.fillText(`${Number(t.toPrecision(3))} s`, Math.min(x(t), width - 22), height - 6);
  }
  context.strokeStyle = '#e69f00';
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x(time), top);
  context.lineTo(x(time), height - 20);
  context.stroke();
}

function seriesCsv(runs, router) {
  const name = scene.routers[router].name;
  const head = ['time_s', 'router', 'run', 'queue_share_of_buffer', 'dropped_share', 'utilisation', 'marked_share'];
  const rows = runs.flatMap((run) =>
    run.times.map((t, frame) => [t, name, run.title, ...[QUEUE, DROPS, USE].map((q) => run.share(q, router, frame).toPrecision(3)), run.marked ? run.share(MARKS, router, frame).toPrecision(3) : '']),
  );
  return [head, ...rows].map((row) => row.map(csvCell).join(',')).join('\n') + '\n';
}
