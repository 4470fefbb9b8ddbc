// The canonical scenario of the settings: a scenario that the package made, with the values of the controls.

const BITS_PER_SEGMENT = 12000; // 1,500 bytes, as in the scenarios

function scenarioOf(values, data) {
  const scenario = structuredClone(data.scenarios[values.network]);
  const names = [values.first, ...(values.second === 'none' || values.second === values.first ? [] : [values.second])];
  const constants = Object.fromEntries(data.algorithms.map(({ name, parameters }) => [name, parameters]));
  scenario.algorithms = names.map((name) => ({ name, parameters: constants[name], share: 1 / names.length }));
  scenario.network.speed = (values.rate * 1e6) / BITS_PER_SEGMENT; // of the line, or of backbone routers
  scenario.network.buffer = { rule: 'bdp', factor: values.buffer };
  scenario.aqm.discipline = values.discipline;
  scenario.aqm.ecn = values.discipline !== 'drop_tail';
  scenario.connection.ecn = scenario.aqm.ecn;
  scenario.time = { ...scenario.time, duration: values.duration, warmup: values.duration / 4, periods: 1 };
  if (values.network === 'dumbbell') {
    scenario.network.delay_multiplier = values.rtt;
    const flow = scenario.flows[0];
    const fastest = Math.max(flow.interface, 2 * scenario.network.speed);
    // The flows take turns: senders that begin at one instant would lose together. All begin in the first quarter.
    const count = values.flows * names.length;
    const gap = Math.min(0.5, values.duration / 4 / count);
    scenario.flows = Array.from({ length: count }, (_, place) => ({
      ...flow, interface: fastest, algorithm: names[place % names.length], start: place * gap,
    }));
    scenario.trace.flows = scenario.flows.map((_, place) => place + 1);
    scenario.trace.routers = ['A'];
    scenario.trace.every = Math.max(values.duration / 1500, 0.01);
    scenario.measurement.interval = Math.min(1, values.duration / 20);
    scenario.time.warmup = Math.max(scenario.time.warmup, count * gap + 1);
  } else {
    scenario.users.base_sources = values.users;
    scenario.measurement.interval = values.duration / 100;
  }
  return { scenario, names };
}
