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
