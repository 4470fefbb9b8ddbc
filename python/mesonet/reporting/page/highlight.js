// One condition highlighted everywhere: from marks, rows of the table of conditions, keys, and said aloud with values.

const said = document.getElementById('said');

// What a listener, or a reader who does not see the marks, wants to know of the highlighted condition.
function conditionSentence(condition) {
  const values = (tables.responses?.rows(state) ?? []).filter((row) => row.condition === condition);
  values.sort((one, other) => other.value - one.value);
  const numbers = values.map((row) => `${row.algorithm} ${brief(row.value)}`).join(', ');
  const settings = page.settings[condition];
  return `Condition ${condition}${settings ? `: ${settings}` : ''}. ` + (numbers ? `${page.titles[state.response]}: ${numbers}.` : '');
}

followers.push((changed) => {
  if (changed.includes('hl') || changed.includes('keep')) {
    for (const row of document.querySelectorAll('tr[data-condition]')) {
      const condition = Number(row.dataset.condition);
      row.classList.toggle('highlighted', condition === state.hl);
      row.hidden = state.keep.length > 0 && !state.keep.includes(condition);
    }
  }
  if (state.hl && changed.some((name) => name !== 'keep')) said.textContent = conditionSentence(state.hl);
  else if (changed.includes('hl')) said.textContent = '';
  said.classList.toggle('clears', state.hl !== 0);
});

// The pointer may cross many marks between two frames: the last one counts.
let crossed = null;
function highlightSoon(condition) {
  if (crossed === null) {
    requestAnimationFrame(() => {
      const hl = crossed;
      crossed = null;
      set({ hl });
    });
  }
  crossed = condition;
}

function step(by) {
  const shown = page.order.filter((condition) => state.keep.length === 0 || state.keep.includes(condition));
  if (shown.length === 0) return;
  const place = shown.indexOf(state.hl);
  set({ hl: shown[place < 0 ? (by > 0 ? 0 : shown.length - 1) : (place + by + shown.length) % shown.length] });
}

function connectHighlight() {
  for (const row of document.querySelectorAll('tr[data-condition]')) {
    row.addEventListener('pointerenter', () => highlightSoon(Number(row.dataset.condition)));
  }
  for (const button of document.querySelectorAll('button[data-condition]')) {
    button.addEventListener('click', () => set({ hl: Number(button.dataset.condition) }));
    button.addEventListener('focus', () => set({ hl: Number(button.dataset.condition) }));
  }
  said.addEventListener('click', () => set({ hl: 0 }));
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') set({ hl: 0 });
    else if (event.target.closest('select, input, textarea')) return;
    else if (event.key === '[') step(-1);
    else if (event.key === ']') step(1);
    else if (event.target.matches('figure[data-figure]') && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
      step(event.key === 'ArrowRight' ? 1 : -1);
      event.preventDefault();
    }
  });
}
