// The address of the page holds what the reader chose, after #, as NAME=VALUE pairs. Whoever gets the address sees the same.

const chosen = () => new URLSearchParams(location.hash.includes('=') ? location.hash.slice(1) : '');
const kept = chosen();
let waiting = null;
let printing = false;
const root = document.documentElement;
const folded = [...document.querySelectorAll('details')];
const nameOf = (details) => details.id || `details-${folded.indexOf(details)}`;

function write(patch) {
  for (const [name, value] of Object.entries(patch)) {
    if (value === '' || value === null) kept.delete(name);
    else kept.set(name, value);
  }
  // Browsers limit how often a page may change its address, and a pointer crosses many marks.
  waiting ??= setTimeout(() => {
    waiting = null;
    const text = kept.toString();
    history.replaceState(null, '', text ? `#${text}` : location.pathname + location.search);
  }, 200);
}

// Opens what encloses an element, and brings the element into sight.
function reveal(id) {
  const element = document.getElementById(id);
  if (!element) return;
  for (let around = element.closest('details'); around; around = around.parentElement.closest('details')) around.open = true;
  element.scrollIntoView();
}

function revealPlace() {
  if (kept.has('at')) reveal(kept.get('at'));
}

globalThis.address = { kept, write, revealPlace };

const system = matchMedia('(prefers-color-scheme: dark)');
const button = document.getElementById('theme');
const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : system.matches);

function nameTheme() {
  button.textContent = isDark() ? 'Light colours' : 'Dark colours';
}

function restoreTheme() {
  if (['dark', 'light'].includes(kept.get('theme'))) root.dataset.theme = kept.get('theme');
  else delete root.dataset.theme;
  nameTheme();
}

system.addEventListener('change', nameTheme);
button.hidden = false;
button.addEventListener('click', () => {
  root.dataset.theme = isDark() ? 'light' : 'dark';
  write({ theme: root.dataset.theme });
  nameTheme();
});
restoreTheme();

function unfold() {
  const opened = new Set((kept.get('open') ?? '').split(','));
  for (const details of folded) details.open = opened.has(nameOf(details));
}

unfold();
for (const details of folded) {
  details.addEventListener('toggle', () => {
    if (printing) return;
    write({ open: folded.filter(({ open }) => open).map(nameOf).join(',') });
  });
}

// Print shows what is folded. The part for the statistician prints only if the reader opened it: it may have 100 pages.
let closed = [];
addEventListener('beforeprint', () => {
  printing = true;
  closed = folded.filter((details) => !details.open && details.id !== 'statistician' && !details.closest('#statistician:not([open]), .controls, figcaption'));
  for (const details of closed) details.open = true;
});
addEventListener('afterprint', () => {
  for (const details of closed) details.open = false;
  setTimeout(() => { printing = false; });
});

function follow() {
  const id = decodeURIComponent(location.hash.slice(1));
  if (id === '' || id.includes('=')) return;
  reveal(id);
  write({ at: id });
}

// Another address was opened in this tab, or the reader went back to one.
addEventListener('hashchange', () => {
  if (location.hash !== '' && !location.hash.includes('=')) return follow();
  for (const name of [...kept.keys()]) kept.delete(name);
  for (const [name, value] of chosen()) kept.set(name, value);
  restoreTheme();
  unfold();
  revealPlace();
});
if (kept.has('at')) revealPlace();
else follow();
