// What came out, in words and in a table for each algorithm.

const MBIT = 12000 / 1e6; // of a segment

const rate = (segments) => `${plain(segments * MBIT)} Mbit/s`;
const percent = (share) => (Number.isFinite(share) ? `${plain(100 * share)} %` : '–');
const milliseconds = (time) => (Number.isFinite(time) ? `${plain(time)} ms` : '–');

function table(header, rows) {
  const cell = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
  const row = (tag, cells) => {
    const line = document.createElement('tr');
    line.append(...cells.map((text) => cell(tag, text)));
    return line;
  };
  const made = document.createElement('table');
  const [head, body] = [made.createTHead(), made.createTBody()];
  head.append(row('th', header));
  body.append(...rows.map((cells) => row('td', cells)));
  const frame = Object.assign(document.createElement('div'), { className: 'scroll' });
  // A frame that scrolls must be within reach of the keyboard.
  for (const [name, value] of [['tabindex', '0'], ['role', 'group'], ['aria-label', 'results']]) frame.setAttribute(name, value);
  frame.append(made);
  return frame;
}

function text(words) {
  return Object.assign(document.createElement('p'), { textContent: words });
}

// The value of a response over the measured time.
function response(tables, name) {
  const { period, name: names, value } = tables.responses;
  const place = names.findIndex((each, at) => each === name && (period[at] === 'measured' || period[at] === 'run'));
  return place < 0 ? NaN : value[place];
}

// What each algorithm got. `flows`: for each flow its last row of the trace, and the row at the end of the warm-up.
function byAlgorithm(names, flows) {
  return names.map((name) => {
    const own = flows.filter((flow) => flow.algorithm === name && flow.from && flow.last);
    const delivered = own.map((flow) => (flow.last.delivered - flow.from.delivered) / (flow.last.time - flow.from.time));
    const sent = own.reduce((sum, flow) => sum + flow.last.sent - flow.from.sent, 0);
    const lost = own.reduce((sum, flow) => sum + flow.last.losses - flow.from.losses, 0);
    const timed = own.filter((flow) => flow.rttCount > 0); // a flow may have had no round trip yet
    const rtt = timed.reduce((sum, flow) => sum + flow.rttSum / flow.rttCount, 0) / timed.length;
    return { name, goodput: delivered.reduce((a, b) => a + b, 0), each: delivered, lost: lost / sent, rtt };
  });
}

// Throughput of a flow of each algorithm by share of the second one: who gains, and who loses.
function shareResults(found) {
  const [first, second] = found[0].got.map(({ name }) => name);
  const mean = ({ goodput, each }) => goodput / each.length;
  const rows = found.map(({ share, got }) => {
    const [old, newer] = got;
    const lost = got.map((each) => percent(each.lost)).join(' and ');
    return [`${plain(share)} %`, rate(mean(old)), rate(mean(newer)), `${plain(mean(newer) / mean(old))} times`, lost];
  });
  return table([`share of ${second}`, `a flow of ${first}`, `a flow of ${second}`, `${second} over ${first}`, 'segments lost, of both'], rows);
}

function flowResults(names, flows, began, ended) {
  const by = byAlgorithm(names, flows);
  const all = by.flatMap(({ each }) => each);
  const jain = all.reduce((a, b) => a + b, 0) ** 2 / (all.length * all.reduce((a, b) => a + b * b, 0));
  const total = by.reduce((sum, { goodput }) => sum + goodput, 0);
  const shown = [
    table(
      ['algorithm', 'flows', 'throughput', 'share', 'a flow', 'segments lost', 'mean round trip'],
      by.map((each) => [
        each.name, String(each.each.length), rate(each.goodput), percent(each.goodput / total),
        rate(each.goodput / each.each.length), percent(each.lost), milliseconds(each.rtt),
      ]),
    ),
  ];
  if (all.length > 1) shown.push(text(`Fairness (Jain's index over ${all.length} flows): ${plain(jain)}. 1 is an equal share for each.`));
  shown.push(text(`Measured from ${plain(began)} s to ${plain(ended)} s.`));
  return shown;
}

function groupResults(names, tables) {
  const { groups } = tables;
  const rows = names.map((name) => {
    const own = groups.algorithm.map((each, at) => at).filter((at) => groups.algorithm[at] === name && groups.period[at] === 'measured');
    const flows = own.reduce((sum, at) => sum + (groups.flows[at] ?? 0), 0);
    const goodput = own.reduce((sum, at) => sum + (groups.goodput[at] ?? 0) * (groups.flows[at] ?? 0), 0) / Math.max(flows, 1);
    return [name, flows.toLocaleString('en'), rate(goodput)];
  });
  return [
    table(['algorithm', 'flows completed', 'mean goodput of a flow'], rows),
    text(`Segments lost: ${percent(response(tables, 'loss_rate'))}. Flows are Web pages, documents and larger files.`),
  ];
}
