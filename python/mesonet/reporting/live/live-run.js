// A run that the page has simulated, as the replay draws it.

class LiveRun extends Run {
  constructor(title, scenario, tables, states) {
    const traces = tables.router_traces;
    const times = [...new Set(traces.time_s)].sort((a, b) => a - b);
    super({ title, times, marked: true });
    const place = new Map(scene.routers.map(({ name }, n) => [name, n]));
    const frame = new Map(times.map((time, n) => [time, n]));
    const queues = new Map();
    const last = tables.routers.period.at(-1);
    tables.routers.router.forEach((name, row) => {
      if (tables.routers.period[row] === last) queues.set(name, { speed: tables.routers.speed[row], buffer: tables.routers.buffer[row] });
    });
    const bits = 8e-6 * scenario.transport.segment_bytes;
    const own = scene.routers.map(({ name }) => queues.get(name) ?? null);
    this.speeds = own.map((queue) => queue?.speed ?? null);
    this.buffers = own.map((queue) => queue?.buffer ?? null);
    this.rooms = own.map((queue) => queue && `${queue.buffer.toLocaleString('en')} segments`);
    this.rates = own.map((queue) => queue && `${Number((queue.speed * bits).toPrecision(4)).toLocaleString('en')} Mbit/s`);
    const size = scene.routers.length * times.length;
    const [queue, use, dropped, marked, arrived] = Array.from({ length: 5 }, () => new Float64Array(size));
    const ports = new Map();
    traces.router.forEach((name, row) => {
      const at = (ownerOf(name, place) ?? 0) * times.length + frame.get(traces.time_s[row]);
      queue[at] = Math.max(queue[at], Math.min(1, traces.queue[row] / (queues.get(name)?.buffer || Infinity)));
      use[at] = Math.max(use[at], Math.min(1, traces.utilisation[row] ?? 0));
      dropped[at] += traces.segments_dropped[row];
      marked[at] += traces.segments_marked[row];
      arrived[at] += traces.segments_dropped[row] + traces.segments_accepted[row];
      if (!place.has(name)) {
        if (!ports.has(name)) ports.set(name, new Float64Array(times.length));
        ports.get(name)[frame.get(traces.time_s[row])] = Math.min(1, traces.utilisation[row] ?? 0);
      }
    });
    const shareOf = (part) => part.map((count, at) => count / Math.max(1, arrived[at]));
    this.shares = { [QUEUE]: queue, [DROPS]: shareOf(dropped), [USE]: use, [MARKS]: shareOf(marked) };
    this.links = scene.links.map(([a, b]) => {
      const [one, other] = [scene.routers[a].name, scene.routers[b].name];
      return [ports.get(`${one} -> ${other}`), ports.get(`${other} -> ${one}`)].filter(Boolean);
    });
    const { series } = tables;
    this.flows = states.map((state) => times.map((time) => series[state][Math.max(0, series.time_s.findLastIndex((t) => t <= time + 1e-9))] ?? 0));
    this.bytes = true;
    this.loading = Promise.resolve();
  }

  share(quantity, router, frame) {
    return this.shares[quantity][router * this.times.length + frame];
  }

  linkUse(link, frame) {
    const both = this.links[link];
    return both.length ? Math.max(...both.map((use) => use[frame])) : null;
  }
}

// The router before a port, such as `A` of `A -> B`, or the router itself.
function ownerOf(queue, place) {
  const parts = queue.split(' -> ');
  for (let length = parts.length; length > 0; length--) {
    const found = place.get(parts.slice(0, length).join(' -> '));
    if (found !== undefined) return found;
  }
  return undefined;
}
