// The canonical scenario of the settings: a scenario that the package made, with the values of the controls.

const BITS_PER_SEGMENT = 12000; // 1,500 bytes, as in the scenarios
const PERIODS = 20; // of the backbone's measured time
const SLOW_PART = 1 / 4; // of the rate, while a path is slow

// Impairments of the dumbbell whose path changes, in the units of a canonical scenario.
function pathOf({ path, duration, rtt }, speed) {
  const capacity = (period, ...points) => ({ capacity: { kind: 'rates', period, points } });
  const third = duration / 3;
  return {
    constant: {},
    step: capacity(null, [0, speed], [third, speed * SLOW_PART], [2 * third, speed]),
    swing: capacity(10, [0, speed], [5, speed * SLOW_PART]),
    detour: { delays: { period: null, points: [[0, 0], [duration / 2, rtt / 2000]] } },
    outage: { outage_start: 9, outage_length: 1, outage_period: 10 },
    loss: { loss: 0.01 },
  }[path];
}

// The value at a time of points of a canonical scenario, which may have a period.
function valueAt({ points, period }, time) {
  const within = period ? time % period : time;
  return points.findLast(([from]) => from <= within)[1];
}

function scenarioOf(values, data) {
  const scenario = structuredClone(data.scenarios[values.network]);
  const names = [values.first, ...(values.second === 'none' || values.second === values.first ? [] : [values.second])];
  const constants = Object.fromEntries(data.algorithms.map(({ name, parameters }) => [name, parameters]));
  scenario.algorithms = names.map((name) => ({ name, parameters: constants[name], share: 1 }));
  if (names.length > 1) names.forEach((_, place) => (scenario.algorithms[place].share = place ? values.share / 100 : 1 - values.share / 100));
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
    const seconds = names.length > 1 ? flowsOfSecond(values) : 0;
    const second = (place) => Math.floor(((place + 1) * seconds) / count) > Math.floor((place * seconds) / count);
    const gap = Math.min(0.5, values.duration / 4 / count);
    scenario.flows = Array.from({ length: count }, (_, place) => ({
      ...flow, interface: fastest, algorithm: names[Number(second(place))], start: place * gap,
    }));
    scenario.trace.flows = scenario.flows.map((_, place) => place + 1);
    scenario.trace.routers = ['A'];
    scenario.trace.every = Math.max((values.duration / 1500) * Math.max(1, count / 40), 0.01);
    Object.assign(scenario.impairments, pathOf(values, scenario.network.speed));
    scenario.measurement.interval = Math.min(1, values.duration / 20);
    scenario.time.warmup = Math.max(scenario.time.warmup, count * gap + 1);
  } else {
    scenario.users.base_sources = values.users;
    scenario.measurement.interval = values.duration / 100;
    scenario.time.periods = PERIODS; // throughput of each algorithm over time
  }
  return { scenario, names };
}
