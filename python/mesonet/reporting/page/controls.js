// Selects that change the state and follow it, and the filter by factor settings.

const selects = [...document.querySelectorAll('select[data-state]')];

function offerPeriods() {
  const select = document.querySelector('select[data-state="period"]');
  select.replaceChildren(...page.periods[state.response].map(([value, title]) => new Option(title, value)));
}

function followState() {
  for (const select of selects) select.value = String(state[select.dataset.state]);
}

followers.push((changed) => {
  if (changed.includes('response')) offerPeriods();
  followState();
});

// A select wants a level, an input one bound of a range.
function passes(filter, condition) {
  const level = page.levels[condition][page.factors.indexOf(filter.dataset.factor)];
  const wanted = Number(filter.value);
  if (filter.dataset.bound === 'from') return level >= wanted;
  if (filter.dataset.bound === 'to') return level <= wanted;
  return level === wanted;
}

function connectControls() {
  offerPeriods();
  followState();
  for (const select of selects) {
    const name = select.dataset.state;
    select.addEventListener('change', () => set({ [name]: name === 'hl' ? Number(select.value) : select.value }));
  }
  const filters = [...document.querySelectorAll('[data-factor]')];
  for (const filter of filters) {
    filter.addEventListener('change', () => {
      const chosen = filters.filter((filter) => filter.value !== '');
      const kept = page.order.filter((condition) => chosen.every((filter) => passes(filter, condition)));
      set({ keep: chosen.length === 0 ? [] : kept.length ? kept : [-1] });
      said.textContent = chosen.length ? `${kept.length} of ${page.order.length} conditions are shown.` : '';
    });
  }
  document.getElementById('show-all').addEventListener('click', async (event) => {
    await drawAll();
    event.target.disabled = true;
  });
}
