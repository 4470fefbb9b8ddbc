// What the page carries is compressed; the browser can undo that by itself.

if (!globalThis.DecompressionStream) {
  const place = document.getElementById('said') ?? document.getElementById('problem'); // of a report, of the playground
  place.hidden = false;
  place.textContent = 'This page needs a newer browser: this one cannot unpack compressed data (DecompressionStream).';
}

async function unpacked(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')));
}

const unpack = async (id) => (await unpacked(id)).json();
const unpackBytes = async (id) => new Uint8Array(await (await unpacked(id)).arrayBuffer());

// A cell of CSV. Spreadsheets would take some texts for formulas: as in `mesonet/files/csv_tables.py`.
function csvCell(value) {
  const formula = /^[=+\-@\t\r\n]/.test(value) && !/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value);
  const text = `${typeof value === 'string' && formula ? "'" : ''}${value ?? ''}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
