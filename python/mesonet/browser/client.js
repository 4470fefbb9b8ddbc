// Starts the worker and hands scenarios to it. `unpackBytes` of the page unpacks what the page carries.

class Simulator {
  constructor() {
    this.turn = 0; // number of the last run or stop
    this.waiting = new Map();
  }

  // The code version of the module. The worker starts on first use, and anew after a panic.
  load() {
    this.loading ??= this.start();
    return this.loading;
  }

  async start() {
    const [module, script] = await Promise.all([unpackBytes('mesonet-module'), unpackBytes('mesonet-worker')]);
    const address = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
    this.worker = new Worker(address);
    this.worker.onmessage = ({ data }) => this.receive(data);
    const loaded = new Promise((resolve, reject) => {
      this.waiting.set(0, { resolve, reject });
      this.worker.onerror = (event) => this.fail(`the worker stopped: ${event.message ?? 'no reason given'}`);
    });
    this.worker.postMessage({ kind: 'load', module: module.buffer }, [module.buffer]);
    const code = await loaded;
    URL.revokeObjectURL(address);
    return code;
  }

  receive(data) {
    const request = this.waiting.get(data.id);
    if (!request) return;
    if (data.kind === 'rows') return request.rows?.(data);
    this.waiting.delete(data.id);
    if (data.kind === 'loaded') request.resolve(data.code);
    else if (data.kind === 'done') request.resolve(data);
    else if (data.kind === 'stopped') request.resolve(null);
    else {
      request.reject(new Error(data.message));
      if (data.fatal) this.fail(data.message);
    }
  }

  fail(message) {
    this.worker?.terminate();
    this.loading = undefined;
    for (const { reject } of this.waiting.values()) reject(new Error(message));
    this.waiting.clear();
  }

  // Runs a scenario; resolves with its tables, or with null if another run or `stop` ended it before.
  async run(scenario, seed, { pace = 0, rows } = {}) {
    this.stop();
    const id = this.turn;
    await this.load();
    if (id !== this.turn) return null;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, rows });
      this.worker.postMessage({ kind: 'run', id, scenario, seed: String(seed), pace });
    });
  }

  pace(pace) {
    this.worker?.postMessage({ kind: 'pace', pace });
  }

  stop() {
    this.turn += 1;
    this.worker?.postMessage({ kind: 'stop' });
  }
}
