// Keeps the choices for the figures in the address, and takes them from there when the page opens or the address changes.

const REMEMBERED = selects.map((select) => select.dataset.state);

const startOf = (name) => (name === 'hl' ? 0 : page.start[name]);

function inAddress() {
  const patch = {};
  for (const name of REMEMBERED) patch[name] = state[name] === startOf(name) ? '' : String(state[name]);
  for (const filter of document.querySelectorAll('[data-factor]')) {
    patch[`with.${filter.dataset.factor}.${filter.dataset.bound ?? ''}`] = filter.value;
  }
  return patch;
}

followers.push(() => address.write(inAddress()));

// Values that the page does not offer are ignored: an address may be older than the page, or mistyped.
function offers(select, value) {
  if (select.dataset.state === 'period') {
    return Object.values(page.periods).some((periods) => periods.some(([period]) => String(period) === value));
  }
  return [...select.options].some((option) => option.value === value);
}

function restore() {
  const patch = {};
  for (const select of selects) {
    const name = select.dataset.state;
    const value = address.kept.get(name);
    if (value === null || !offers(select, value)) patch[name] = startOf(name);
    else patch[name] = name === 'hl' ? Number(value) : value;
  }
  // The order matters: a response decides which periods there are.
  const wanted = [...document.querySelectorAll('[data-factor]')].map((filter) => [
    filter,
    address.kept.get(`with.${filter.dataset.factor}.${filter.dataset.bound ?? ''}`) ?? '',
  ]);
  if (patch.period !== undefined) patch.period = available(patch.response ?? state.response, patch.period);
  set(patch);
  const differs = wanted.find(([filter, value]) => filter.value !== value);
  for (const [filter, value] of wanted) filter.value = value;
  if (differs) differs[0].dispatchEvent(new Event('change'));
}
