// Runs a scenario in the built module: node run_module.js MODULE SCRIPT SCENARIO SEED. Prints the tables and the time.
const fs = require('node:fs');
const vm = require('node:vm');

const [compiled, script, scenario, seed] = process.argv.slice(2);
vm.runInThisContext(`${fs.readFileSync(script, 'utf8')}; globalThis.wasm_bindgen = wasm_bindgen;`);
wasm_bindgen.initSync({ module: new WebAssembly.Module(fs.readFileSync(compiled)) });
let answer;
let used;
try {
  const run = new wasm_bindgen.Run(fs.readFileSync(scenario, 'utf8'), seed);
  const began = process.cpuUsage();
  run.advance(Infinity);
  used = process.cpuUsage(began);
  answer = { tables: JSON.parse(run.finish()), performance: JSON.parse(run.performance()) };
} catch (error) {
  answer = { error: String(error.message ?? error), panic: wasm_bindgen.last_panic() };
}
const cpu = used && (used.user + used.system) / 1e6;
console.log(JSON.stringify({ ...answer, code: wasm_bindgen.code_version(), cpu }));
