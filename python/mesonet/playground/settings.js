// The controls, their ranges, and the address: `#network=dumbbell&rate=20&...`. A value of the address that is not allowed is
// refused with a message, and the default stands.

const NETWORKS = { dumbbell: 'One bottleneck', abilene: 'Abilene backbone' };
const PATHS = {
  constant: 'constant', step: 'a quarter of the rate in the middle third', swing: 'full rate and a quarter, 5 s each',
  detour: 'half a round trip more from the middle on', outage: 'nothing arrives, 1 s in every 10 s', loss: '1 % lost at random',
};
const STEPS = {
  flows: [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50],
  share: [1, 5, 10, 25, 50, 75, 90, 99],
  users: [1, 2, 5, 10, 15, 20, 30, 50, 100],
  rate: [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000],
  rtt: [1, 2, 5, 10, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500],
  buffer: [0.05, 0.1, 0.2, 0.5, 1, 2, 4, 8],
  duration: [5, 10, 20, 30, 60, 120, 300, 600],
};
const UNITS = {
  flows: (value) => `${value}`,
  share: (value, { network, flows, second, first }) => {
    if (second === 'none' || second === first) return 'there is none';
    return network === 'dumbbell' ? `${flowsOfSecond({ flows, share: value })} of ${2 * flows}` : `${value} %`;
  },
  users: (value) => `${value}`,
  rate: (value) => (value < 1000 ? `${value} Mbit/s` : `${value / 1000} Gbit/s`),
  rtt: (value) => `${value} ms`,
  buffer: (value) => `${value} × rate × round trip`,
  duration: (value) => `${value} s`,
};
const DEFAULTS = {
  network: 'dumbbell', first: 'cubic', second: 'none', flows: 1, share: 50, users: 10, rate: 20, rtt: 80, buffer: 1,
  discipline: 'drop_tail', path: 'constant', duration: 60, seed: 1,
};
const LARGEST_SEED = 2 ** 32 - 1;

// Flows of the second algorithm on the dumbbell, of two for each step of `flows`: each algorithm has at least one.
const flowsOfSecond = ({ flows, share }) => Math.min(Math.max(Math.round((2 * flows * share) / 100), 1), 2 * flows - 1);

const element = (id) => document.getElementById(id);

class Settings {
  constructor({ algorithms, disciplines }) {
    this.choices = {
      network: NETWORKS,
      first: Object.fromEntries(algorithms.map(({ name, title }) => [name, title])),
      second: { none: 'none', ...Object.fromEntries(algorithms.map(({ name, title }) => [name, title])) },
      discipline: disciplines,
      path: PATHS,
    };
    for (const [id, options] of Object.entries(this.choices)) {
      element(id).replaceChildren(...Object.entries(options).map(([value, text]) => new Option(text, value)));
    }
    for (const [id, steps] of Object.entries(STEPS)) Object.assign(element(id), { min: 0, max: steps.length - 1, step: 1 });
    Object.assign(element('seed'), { min: 0, max: LARGEST_SEED, step: 1 });
    element('controls').addEventListener('input', () => this.show());
    this.set(DEFAULTS);
  }

  // The values of the controls.
  get values() {
    const chosen = Object.fromEntries(Object.keys(this.choices).map((id) => [id, element(id).value]));
    for (const [id, steps] of Object.entries(STEPS)) chosen[id] = steps[Number(element(id).value)];
    return { ...chosen, seed: Number(element('seed').value) };
  }

  set(values) {
    for (const [id, value] of Object.entries(values)) {
      element(id).value = id in STEPS ? String(STEPS[id].indexOf(value)) : String(value);
    }
    this.show();
  }

  show() {
    const { values } = this;
    for (const id of Object.keys(STEPS)) {
      const control = element(id);
      const text = UNITS[id](values[id], values);
      control.setAttribute('aria-valuetext', text);
      control.closest('label').querySelector('output').textContent = text;
    }
    for (const label of document.querySelectorAll('[data-of]')) label.hidden = label.dataset.of !== values.network;
  }

  // The fragment of the address: every value that the network uses and that is no default.
  get address() {
    const differs = Object.entries(this.values).filter(([id, value]) => value !== DEFAULTS[id]);
    return `#${new URLSearchParams(differs)}`;
  }

  // Sets the values of an address; returns what is wrong with it.
  read(fragment) {
    const found = { ...DEFAULTS };
    const problems = [];
    for (const [id, text] of new URLSearchParams(fragment.replace(/^#/, ''))) {
      const shown = `${id.slice(0, 40)} = "${text.slice(0, 40)}"`;
      if (!Object.hasOwn(DEFAULTS, id)) problems.push(`${shown}: unknown setting. Allowed: ${Object.keys(DEFAULTS).join(', ')}`);
      else if (id in this.choices) {
        if (Object.hasOwn(this.choices[id], text)) found[id] = text;
        else problems.push(`${shown}: unknown. Allowed: ${Object.keys(this.choices[id]).join(', ')}`);
      } else if (id in STEPS) {
        if (STEPS[id].includes(Number(text)) && text.trim()) found[id] = Number(text);
        else problems.push(`${shown}: not a step of the control. Allowed: ${STEPS[id].join(', ')}`);
      } else if (/^\d+$/.test(text) && Number(text) <= LARGEST_SEED) found[id] = Number(text);
      else problems.push(`${shown}: no seed. Allowed: a whole number from 0 to ${LARGEST_SEED}`);
    }
    this.set(found);
    return problems;
  }
}
