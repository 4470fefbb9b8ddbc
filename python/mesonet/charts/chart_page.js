// Draws the chart of the page. Expressions are interpreted, because the page may not evaluate text as code.
const definition = JSON.parse(document.getElementById('definition').textContent);
const tooltip = { disableDefaultStyle: true };
const { view } = await window.vegaEmbed('#chart', definition, {
  mode: 'vega-lite', actions: false, ast: true, defaultStyle: false, renderer: 'svg', tooltip,
});

for (const button of document.querySelectorAll('[data-form]')) {
  button.addEventListener('click', async () => {
    const { form } = button.dataset;
    const link = document.createElement('a');
    link.href = await view.toImageURL(form, 2);
    link.download = `${document.title}.${form}`;
    link.click();
  });
}
document.documentElement.dataset.ready = 'true';
