// Line charts that grow while a run goes on. A chart thins its points, so that the longest run draws quickly.

const MOST_POINTS = 1600;

class LineChart {
  constructor(id, unit) {
    this.canvas = document.getElementById(id);
    this.unit = unit;
    this.reset([], 1);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  // `lines`: [{colour, alpha, dash}], in the order of drawing; `end`: last instant, s.
  reset(lines, end) {
    this.lines = lines.map((line) => ({ ...line, x: [], y: [], every: 1, count: 0 }));
    this.end = end;
    this.limit = null;
    this.draw();
  }

  add(place, x, y) {
    const line = this.lines[place];
    if (line.count++ % line.every) return;
    line.x.push(x);
    line.y.push(y);
    if (line.x.length > MOST_POINTS) {
      line.x = line.x.filter((_, at) => at % 2 === 0);
      line.y = line.y.filter((_, at) => at % 2 === 0);
      line.every *= 2;
    }
  }

  draw() {
    const { canvas } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width) return;
    const ratio = window.devicePixelRatio || 1;
    [canvas.width, canvas.height] = [width * ratio, height * ratio];
    const pen = canvas.getContext('2d');
    pen.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const most = Math.max(this.limit ?? 0, ...this.lines.flatMap((line) => line.y.filter(Number.isFinite)));
    const [step, top] = ticks(most || 1);
    const [left, right, bottom, above] = [58, 8, 34, 8];
    const [x, y] = [
      (value) => left + (value / this.end) * (width - left - right),
      (value) => height - bottom - (value / top) * (height - bottom - above),
    ];
    pen.font = '12px "Liberation Sans", Arial, sans-serif';
    pen.fillStyle = colour('--muted');
    pen.strokeStyle = colour('--line');
    pen.lineWidth = 1;
    pen.textAlign = 'right';
    pen.textBaseline = 'middle';
    for (let value = 0; value <= top * 1.001; value += step) {
      pen.beginPath();
      pen.moveTo(left, y(value));
      pen.lineTo(width - right, y(value));
      pen.stroke();
      pen.fillText(plain(value), left - 6, y(value));
    }
    pen.textAlign = 'center';
    pen.textBaseline = 'top';
    const [every] = ticks(this.end);
    for (let value = 0; value <= this.end * 1.001; value += every) pen.fillText(plain(value), x(value), height - bottom + 5);
    pen.fillText('time, s', (left + width) / 2, height - 15);
    pen.save();
    pen.translate(11, (height - bottom) / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText(this.unit, 0, -5);
    pen.restore();
    pen.lineWidth = 1.4;
    pen.lineJoin = 'round';
    for (const line of this.lines) {
      pen.strokeStyle = line.colour.startsWith('--') ? colour(line.colour) : line.colour;
      pen.globalAlpha = line.alpha ?? 1;
      pen.setLineDash(line.dash ?? []);
      pen.beginPath();
      let open = false;
      line.x.forEach((at, place) => {
        if (!Number.isFinite(line.y[place])) open = false;
        else if (open) pen.lineTo(x(at), y(line.y[place]));
        else {
          pen.moveTo(x(at), y(line.y[place]));
          open = true;
        }
      });
      pen.stroke();
    }
    pen.globalAlpha = 1;
    pen.setLineDash([]);
  }
}

// A step of 1, 2 or 5 times a power of ten, at most six of them, and the first multiple above `most`.
function ticks(most) {
  const power = 10 ** Math.floor(Math.log10(most / 5));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => most / each <= 5.5);
  return [step, Math.ceil(most / step) * step];
}

const plain = (value) => value.toLocaleString('en', { maximumSignificantDigits: 3 });
