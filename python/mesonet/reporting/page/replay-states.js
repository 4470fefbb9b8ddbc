// In what state the flows of a run are over time: areas on top of each other, with the instant that the maps show.

const STATE_COLOURS = ['#c9ced4', '#e69f00', '#56b4e9', '#0072b2'];

function drawStates(canvas, run, time, most) {
  const [width, height] = [canvas.clientWidth || 560, 170];
  const context = prepared(canvas, width, height);
  const [left, right, top, bottom] = [52, 10, 18, 22];
  const end = run.times.at(-1);
  const x = (t) => left + (t / end) * (width - left - right);
  const y = (flows) => height - bottom - (flows / most) * (height - top - bottom);
  context.font = '11px "Liberation Sans", Arial, sans-serif';
  let below = run.times.map(() => 0);
  scene.states.forEach((name, place) => {
    const above = below.map((flows, frame) => flows + run.flows[place][frame]);
    context.fillStyle = STATE_COLOURS[place];
    context.beginPath();
    run.times.forEach((t, frame) => context.lineTo(x(t), y(above[frame])));
    for (let frame = run.times.length - 1; frame >= 0; frame--) context.lineTo(x(run.times[frame]), y(below[frame]));
    context.fill();
    below = above;
  });
  context.fillStyle = '#5c636b';
  context.textAlign = 'left';
  context.fillText('flows', left, top - 6);
  context.textAlign = 'right';
  for (const part of [0, 0.5, 1]) context.fillText(Math.round(most * part).toLocaleString('en'), left - 6, y(most * part) + 4);
  context.textAlign = 'center';
  for (const part of [0, 0.5, 1]) {
    context.fillText(`${Number((end * part).toPrecision(3))} s`, Math.min(x(end * part), width - 22), height - 6);
  }
  context.strokeStyle = '#d55e00';
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x(time), top);
  context.lineTo(x(time), height - bottom);
  context.stroke();
}

const mostFlows = (run) => Math.max(1, ...run.times.map((_, frame) => run.flows.reduce((sum, flows) => sum + flows[frame], 0)));

function statesText(run, frame) {
  return scene.states.map((name, place) => `${run.flows[place][frame].toLocaleString('en')} ${name}`).join(', ');
}
