/* For every text of the SVG figures on the page, and every text of the page itself: the contrast of WCAG 2 (1.4.3)
   between its colour and what lies under its middle. Answers how many were looked at, and those that fall short:
   [contrast, wanted, where, text]. */
() => {
  const parts = (colour) => {
    const numbers = colour.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
    return numbers.length === 3 ? [...numbers, 1] : numbers;
  };
  const over = (under, [red, green, blue], alpha) => [red, green, blue].map((c, i) => alpha * c + (1 - alpha) * under[i]);
  const luminance = (colour) => {
    const [r, g, b] = colour.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const visible = (style) => style.visibility !== 'hidden' && style.display !== 'none';
  const found = [];
  const judge = (colour, under, style, where, text) => {
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const alpha = colour[3] * Number(style.opacity);
    const value = contrast(over(under, colour, alpha), under);
    const wanted = large ? 3 : 4.5;
    if (value < wanted) found.push([Number(value.toFixed(2)), wanted, where, text]);
  };
  let count = 0;
  for (const svg of document.querySelectorAll('.plot svg')) {
    const shapes = [...svg.querySelectorAll('path, rect, text')].map((element) => {
      const style = getComputedStyle(element);
      const [fill, stroke] = [parts(style.fill === 'none' ? 'rgba(0,0,0,0)' : style.fill), style.stroke];
      return { element, style, fill, stroke, alpha: fill[3] * Number(style.fillOpacity) * Number(style.opacity),
               shown: visible(style), isText: element.tagName === 'text', box: element.getBoundingClientRect() };
    });
    shapes.forEach((shape, place) => {
      const { element, style, fill, box } = shape;
      if (!shape.isText || shape.stroke !== 'none') return; // a text with a stroke is the rim of the next
      if (!element.textContent.trim() || !shape.shown || shape.alpha === 0) return;
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      let under = [255, 255, 255];
      for (const other of shapes.slice(0, place)) {
        const inside = other.box.left <= x && x <= other.box.right && other.box.top <= y && y <= other.box.bottom;
        if (!inside || !other.shown) continue;
        if (other.isText) {
          // A rim of the same text.
          if (other.stroke !== 'none' && other.element.textContent === element.textContent) under = parts(other.stroke).slice(0, 3);
          continue;
        }
        if (other.alpha === 0) continue;
        const local = new DOMPoint(x, y).matrixTransform(other.element.getScreenCTM().inverse());
        if (other.element.isPointInFill(local)) under = over(under, other.fill, other.alpha);
      }
      count += 1;
      judge([...fill.slice(0, 3), shape.alpha], under, { opacity: 1, fontSize: style.fontSize, fontWeight: style.fontWeight },
            svg.closest('figure').id, element.textContent);
    });
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent.trim();
    if (!text || element.closest('svg, script, style, noscript') || element.getClientRects().length === 0) continue;
    let under = [255, 255, 255];
    const above = [];
    for (let each = element; each; each = each.parentElement) above.unshift(each);
    for (const each of above) {
      const background = parts(getComputedStyle(each).backgroundColor);
      if (background[3]) under = over(under, background, background[3]);
    }
    count += 1;
    judge(parts(getComputedStyle(element).color), under, getComputedStyle(element), element.tagName, text.slice(0, 40));
  }
  return { count, found };
}
