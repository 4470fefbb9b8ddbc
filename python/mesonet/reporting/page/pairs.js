// Tables made from others when they are asked for: one response against another, by condition and algorithm.

class Pairs {
  constructor({ keys }) {
    this.keys = keys;
    this.names = ['condition', 'algorithm', 'x', 'y'];
  }

  rows({ response, other, period }) {
    const key = (row) => `${row.condition}\n${row.algorithm}`;
    const across = new Map(tables.responses.rows({ response: other, period }).map((row) => [key(row), row.value]));
    return tables.responses
      .rows({ response, period })
      .filter((row) => across.has(key(row)))
      .map((row) => ({ condition: row.condition, algorithm: row.algorithm, x: across.get(key(row)), y: row.value }));
  }

  // All pairs would be more than anybody wants: what is shown, with the names of the responses.
  csv(selection) {
    const { response, other } = selection ?? state;
    return csvOf(
      ['condition', 'algorithm', other, response],
      this.rows(selection ?? state).map((row) => [row.condition, row.algorithm, row.x, row.y]),
    );
  }
}

class PairCaptions {
  constructor({ keys }) {
    this.keys = keys;
    this.names = ['heading', 'text'];
  }

  rows({ response, other, period }) {
    const count = tables.pairs.rows({ response, other, period }).length;
    if (count === 0) return [];
    const known = tables.correlations
      ?.rows({})
      .find(
        (row) =>
          row.r !== null &&
          [row.pick_response, row.pick_period, row.pick_other, row.other_period].join() === [response, period, other, period].join(),
      );
    const title = page.periods[response].find(([value]) => value === period)?.[1] ?? period;
    return [
      {
        heading: `${page.titles[response]} (up) against ${page.titles[other]} (across), ${title}`,
        text:
          (count === 1 ? `1 combination of condition and ${page.noun} has both.` : `${count} combinations of condition and ${page.noun} have both.`) +
          (known ? ` They correlate with r = ${String(Math.trunc(known.r * 1e4) / 1e4).replace('-', '−')}.` : ''),
      },
    ];
  }
}

const makers = { pairs: Pairs, pairCaptions: PairCaptions };
