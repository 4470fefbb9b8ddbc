// Draws a run at one instant: routers filled by queue, ringed in red where they drop and in dashed green where they mark,
// links by what they can carry.

const SIZES = { backbone: 8, plain: 9, pop: 5.5 };
const SMALL = 4.6;
const sizeOf = (router) => SIZES[router.router_class] ?? SMALL;

function mixed(colours, share) {
  const place = Math.min(share, 1) * (colours.length - 1);
  const first = Math.min(Math.floor(place), colours.length - 2);
  const part = place - first;
  const channels = [0, 1, 2].map((c) => Math.round(colours[first][c] + part * (colours[first + 1][c] - colours[first][c])));
  return `rgb(${channels.join(' ')})`;
}

const QUEUE_COLOURS = [[241, 244, 248], [0, 114, 178], [0, 38, 61]];
const LINK_COLOURS = [[223, 227, 232], [27, 31, 36]];

// The canvas as sharp as the screen; returns its context, scaled so that the drawing has its own width.
function prepared(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const shown = canvas.clientWidth || width;
  canvas.width = Math.round(shown * ratio);
  canvas.height = Math.round(((shown * height) / width) * ratio);
  const context = canvas.getContext('2d');
  context.scale((ratio * shown) / width, (ratio * shown) / width);
  context.clearRect(0, 0, width, height);
  return context;
}

// Segments of a link cross both of its routers: it carries at most what the one that forwards less does. A port is one link.
function linkUse(run, n, frame) {
  const known = run.linkUse(n, frame);
  if (known !== null) return known;
  const [a, b] = scene.links[n];
  const [one, other] = [run.speeds[a], run.speeds[b]];
  if (!one || !other) return 0;
  return Math.min(one * run.share(USE, a, frame), other * run.share(USE, b, frame)) / Math.min(one, other);
}

function drawMap(canvas, run, frame, chosen) {
  const context = prepared(canvas, scene.width, scene.height);
  scene.links.forEach((link, place) => {
    const [one, other] = link.map((n) => scene.routers[n]);
    const use = linkUse(run, place, frame);
    context.strokeStyle = mixed(LINK_COLOURS, use);
    context.lineWidth = (one.head && other.head ? 1.6 : 0.7) + 1.8 * use;
    context.beginPath();
    context.moveTo(one.x, one.y);
    context.lineTo(other.x, other.y);
    context.stroke();
  });
  scene.routers.forEach((router, n) => {
    const size = sizeOf(router);
    const dropping = run.share(DROPS, n, frame);
    if (dropping > 0) {
      context.strokeStyle = '#d55e00';
      context.lineWidth = 1.2 + 4 * Math.sqrt(dropping);
      context.beginPath();
      context.arc(router.x, router.y, size + context.lineWidth / 2 + 0.6, 0, 7);
      context.stroke();
    }
    const marking = run.share(MARKS, n, frame);
    if (marking > 0) {
      context.strokeStyle = '#009e73';
      context.lineWidth = 1.2 + 4 * Math.sqrt(marking);
      context.setLineDash([3, 2]);
      const inner = dropping > 0 ? 1.2 + 4 * Math.sqrt(dropping) : 0;
      context.beginPath();
      context.arc(router.x, router.y, size + inner + context.lineWidth / 2 + 1.2, 0, 7);
      context.stroke();
      context.setLineDash([]);
    }
    context.fillStyle = mixed(QUEUE_COLOURS, run.share(QUEUE, n, frame));
    context.strokeStyle = '#5c636b';
    context.lineWidth = 0.8;
    context.beginPath();
    context.arc(router.x, router.y, size, 0, 7);
    context.fill();
    context.stroke();
    if (n === chosen) {
      context.strokeStyle = '#e69f00';
      context.lineWidth = 2.2;
      context.beginPath();
      context.arc(router.x, router.y, size + 7, 0, 7);
      context.stroke();
    }
  });
  // On a narrow screen there is room for letters that can be read, but not for names.
  const narrow = canvas.clientWidth < 0.75 * scene.width;
  context.font = `${narrow ? 18 : 11}px "Liberation Sans", Arial, sans-serif`;
  context.lineJoin = 'round';
  for (const router of scene.routers.filter(({ head }) => head)) {
    const [x, y] = [router.x + router.name_at[0], router.y + router.name_at[1]];
    context.textAlign = router.name_at[2];
    context.lineWidth = 3;
    context.strokeStyle = '#fff';
    const text = narrow ? router.name : router.label;
    context.strokeText(text, x, y);
    context.fillStyle = '#1b1f24';
    context.fillText(text, x, y);
  }
}

// The router under the pointer, or -1.
function routerAt(canvas, event) {
  const box = canvas.getBoundingClientRect();
  const scale = scene.width / box.width;
  const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  let best = -1;
  let nearest = Infinity;
  scene.routers.forEach((router, n) => {
    const distance = Math.hypot(router.x - x, router.y - y) - sizeOf(router);
    if (distance < nearest && distance < 5) [best, nearest] = [n, distance];
  });
  return best;
}

function routerText(run, n, frame) {
  const router = scene.routers[n];
  const queue = run.share(QUEUE, n, frame);
  const wait = run.buffers[n] && run.speeds[n] ? `, ${Number(((1000 * queue * run.buffers[n]) / run.speeds[n]).toPrecision(2))} ms` : '';
  const ports = run.rooms[n] ? '' : 'fullest port: ';
  const lines = [
    `${router.label}, ${router.router_class}`,
    `${ports}queue ${inPercent(queue)}${run.rooms[n] ? ` of ${run.rooms[n]}` : ''}${wait}`,
    `dropped ${inPercent(run.share(DROPS, n, frame))} of what arrived`,
  ];
  if (scene.marks) lines.push(run.marked ? `marked ${inPercent(run.share(MARKS, n, frame))} of what arrived` : 'marks not recorded');
  lines.push(`${run.rates[n] ? '' : 'busiest port: '}busy ${inPercent(run.share(USE, n, frame))}${run.rates[n] ? ` of ${run.rates[n]}` : ''}`);
  return lines.join('\n');
}
