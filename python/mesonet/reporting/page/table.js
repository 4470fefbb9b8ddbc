// Tables of the page: columns, with key columns that say for which selection a row is.

class Table {
  constructor({ keys, columns }) {
    this.keys = keys;
    this.packed = columns;
    this.names = Object.keys(columns).filter((name) => !keys.includes(name));
  }

  // Columns and the rows of each selection are made when they are first asked for: most tables never are.
  get columns() {
    this.unpacked ??= Object.fromEntries(
      Object.entries(this.packed).map(([name, column]) => [
        name,
        Array.isArray(column) ? column : column.places.map((place) => column.words[place]),
      ]),
    );
    return this.unpacked;
  }

  get places() {
    if (!this.found) {
      this.found = new Map();
      const columns = this.keys.map((name) => this.columns[name]);
      const length = this.columns[this.names[0]].length;
      for (let row = 0; row < length; row++) {
        const key = columns.map((column) => column[row]).join('\n');
        if (!this.found.has(key)) this.found.set(key, []);
        this.found.get(key).push(row);
      }
    }
    return this.found;
  }

  // New objects at every call: a view marks the rows it is given as its own.
  rows(selection) {
    const places = this.places.get(this.keys.map((name) => selection[name]).join('\n')) ?? [];
    return places.map((row) => Object.fromEntries(this.names.map((name) => [name, this.columns[name][row]])));
  }

  csv(selection) {
    if (selection) return csvOf(this.names, this.rows(selection).map((row) => this.names.map((name) => row[name])));
    const names = Object.keys(this.columns);
    const length = this.columns[names[0]].length;
    return csvOf(names, Array.from({ length }, (_, row) => names.map((name) => this.columns[name][row])));
  }
}

function csvOf(names, rows) {
  return [names, ...rows].map((row) => row.map(csvCell).join(',')).join('\n') + '\n';
}
