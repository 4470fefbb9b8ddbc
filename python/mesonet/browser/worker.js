// The worker: runs one simulation at a time, in slices, and posts rows as they come.
//
// Messages to the worker: {kind: 'load', module}, {kind: 'run', id, scenario, seed, pace}, {kind: 'pace', pace},
// {kind: 'stop'}. `pace` is simulated seconds per second; 0: as fast as possible.
// Messages from the worker have the `id` of the request: {kind: 'loaded', code}, {kind: 'rows', time, tables},
// {kind: 'done', tables, performance, cpu}, {kind: 'stopped'}, {kind: 'error', message, fatal}.

const SLICE_MS = 40; // time between two looks at the messages
const LEAST_SHARE = 1 / 20000; // of the run in one slice
let current = null;

// The message of the simulator: its refusal, or the message of the panic that ended the module.
function messageOf(error) {
  if (!(error instanceof WebAssembly.RuntimeError)) return { message: String(error?.message ?? error), fatal: false };
  let panic = '';
  try {
    panic = wasm_bindgen.last_panic();
  } catch {
    // The module is beyond use.
  }
  return { message: `the simulator stopped: ${panic || error.message}`, fatal: true };
}

function guarded(id, act) {
  try {
    act();
  } catch (error) {
    current = null;
    self.postMessage({ kind: 'error', id, ...messageOf(error) });
  }
}

// Lets messages in between two slices; a timer would wait for 4 ms each time.
const channel = new MessageChannel();
channel.port1.onmessage = ({ data }) => slice(data);
const soon = (id, wait) => (wait > 0 ? setTimeout(slice, wait, id) : channel.port2.postMessage(id));

function begin({ id, scenario, seed, pace }) {
  current?.run.free();
  current = null;
  guarded(id, () => {
    const { duration } = scenario.time;
    const run = new wasm_bindgen.Run(JSON.stringify(scenario), String(seed));
    const now = performance.now();
    current = { id, run, duration, pace, step: duration * LEAST_SHARE, cpu: 0, from: now, fromTime: 0 };
    soon(id, 0);
  });
}

// The next piece of the run: as much as fits into a slice, and no more than the pace allows.
function slice(id) {
  if (current?.id !== id) return;
  const state = current;
  guarded(state.id, () => {
    const began = performance.now();
    const whole = Math.min(state.run.time() + state.step, state.duration);
    let until = whole;
    if (state.pace > 0) {
      const allowed = state.fromTime + ((began - state.from) / 1000) * state.pace;
      until = Math.min(until, allowed);
      if (until <= state.run.time()) return soon(id, 10);
    }
    state.run.advance(until);
    const took = performance.now() - began;
    state.cpu += took;
    const most = until < whole ? 1 : 2; // how long a slice takes that the pace cut short is no reason for longer ones
    const grown = state.step * Math.min(most, Math.max(0.5, SLICE_MS / Math.max(took, 0.01)));
    state.step = Math.max(grown, state.duration * LEAST_SHARE);
    self.postMessage({ kind: 'rows', id: state.id, time: until, tables: JSON.parse(state.run.take()) });
    if (!state.run.finished() && until < state.duration) return soon(id, state.pace > 0 ? 15 : 0);
    const [tables, work] = [JSON.parse(state.run.finish()), JSON.parse(state.run.performance())];
    state.run.free();
    current = null;
    self.postMessage({ kind: 'done', id: state.id, tables, performance: work, cpu: state.cpu / 1000 });
  });
}

self.onmessage = ({ data }) => {
  if (data.kind === 'load') {
    guarded(0, () => {
      wasm_bindgen.initSync({ module: new WebAssembly.Module(data.module) });
      self.postMessage({ kind: 'loaded', id: 0, code: wasm_bindgen.code_version() });
    });
  } else if (data.kind === 'run') {
    begin(data);
  } else if (data.kind === 'pace' && current) {
    [current.pace, current.from, current.fromTime] = [data.pace, performance.now(), current.run.time()];
  } else if (data.kind === 'stop') {
    const id = current?.id;
    current?.run.free();
    current = null;
    if (id !== undefined) self.postMessage({ kind: 'stopped', id });
  }
};
