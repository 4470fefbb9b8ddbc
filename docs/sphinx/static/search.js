// Search of the documentation. `search_pages.py` writes the sections of all pages to search-sections.js, a script and
// not a file to fetch, so that the search works from disk.

// How much a match counts, by the kind of the page.
const KINDS = { "How to": 1, Tutorial: 1, Explanation: 0.8, Reference: 0.7, Interface: 0.6, Evidence: 0.35, Record: 0.15 };
const MOST_RESULTS = 30;
const EXCERPT = 200;

function plain(text) {
  return text.toLowerCase().replace(/bbrv/g, "bbr");
}

function termsOf(query) {
  const words = plain(query).match(/[\p{L}\p{N}_]+/gu) || [];
  return [...new Set(words.map((word) => (word.length > 3 ? word.replace(/s$/, "") : word)))];
}

// Return how often words of a text begin with a term, and whether the term is a whole word of it.
function found(text, term) {
  let count = 0;
  let whole = false;
  for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + term.length)) {
    if (at > 0 && /[\p{L}\p{N}]/u.test(text[at - 1])) continue;
    count += 1;
    whole = whole || /^s?(?![\p{L}\p{N}_])/u.test(text.slice(at + term.length, at + term.length + 2));
  }
  return { count, whole };
}

// Return the value of a match of a whole word, or of its beginning.
function worth(match, whole, part) {
  return match.count ? (match.whole ? whole : part) : 0;
}

// Return the points of a page, with its section that matches best.
function judged(page, terms) {
  const title = plain(page.title);
  let points = 0;
  let matched = 0;
  const values = page.sections.map(() => 0);
  for (const term of terms) {
    const inTitle = worth(found(title, term), 40, 20);
    let inHeading = 0;
    let inText = 0;
    page.sections.forEach((section, number) => {
      // The heading of the first section is the title.
      const heading = number ? worth(found(plain(section.heading), term), 16, 8) : 0;
      const leads = heading && plain(section.heading).startsWith(term) ? 6 : 0;
      const count = found(plain(section.text), term).count;
      values[number] += heading + leads + (count ? 8 + Math.min(count, 4) : 0);
      inHeading = Math.max(inHeading, heading);
      inText += count;
    });
    points += inTitle + inHeading + Math.min(3 * Math.log2(1 + inText), 12);
    matched += Number(inTitle + inHeading + inText > 0);
  }
  const phrase = terms.join(" ");
  const headings = page.sections.slice(1).map((section) => termsOf(section.heading).join(" "));
  if (terms.length > 1) {
    if (termsOf(page.title).join(" ").includes(phrase)) points += 30;
    else if (headings.some((heading) => heading.includes(phrase))) points += 15;
  }
  // A title with few other words is about the term.
  const others = termsOf(page.title).filter((word) => !terms.some((term) => word.startsWith(term))).length;
  points += terms.every((term) => found(title, term).count) ? 12 / (1 + others) : 0;
  const best = values.indexOf(Math.max(...values));
  return { page, matched, points: points * KINDS[page.kind], section: page.sections[best] };
}

// Return the results for a query, the best first: pages with all terms, or with as many as any page has.
function ranked(pages, query) {
  const terms = termsOf(query);
  if (!terms.length) return [];
  const results = pages.map((page) => judged(page, terms)).filter((each) => each.matched);
  const most = Math.max(0, ...results.map((each) => each.matched));
  return results
    .filter((each) => each.matched === most)
    .sort((a, b) => b.points - a.points || a.page.path.localeCompare(b.page.path))
    .slice(0, MOST_RESULTS);
}

// Return parts of a text around its first match: [text, true if it is a match], ...
function excerpt(text, terms) {
  const written = terms.map((term) => term.replace(/^bbr(?=\d)/, "bbrv?"));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${written.join("|")})`, "giu");
  const first = text.search(pattern);
  const shown = Math.max(0, first);
  let from = Math.max(0, shown - EXCERPT / 3);
  if (from) from = text.indexOf(" ", from) + 1;
  const end = from + EXCERPT < text.length ? text.lastIndexOf(" ", from + EXCERPT) : text.length;
  const piece = text.slice(from, end);
  const parts = piece.split(pattern).map((part, number) => [part, number % 2 === 1]);
  return [[from ? "… " : "", false], ...parts, [end < text.length ? " …" : "", false]];
}

function element(kind, text, className) {
  const made = document.createElement(kind);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

function show(pages) {
  const query = new URLSearchParams(window.location.search).get("q") || "";
  const terms = termsOf(query);
  const results = ranked(pages, query);
  document.querySelector("#search-query").value = query;
  const count = results.length === MOST_RESULTS ? `The best ${MOST_RESULTS} pages` : `${results.length} pages`;
  const status = !terms.length ? "" : results.length ? `${count} for “${query}”` : `No page has “${query}”.`;
  document.querySelector("#search-status").textContent = status.replace(/^1 pages/, "1 page");
  const list = document.querySelector("#search-results");
  for (const { page, section } of results) {
    const item = element("li", "");
    const link = element("a", page.title);
    link.href = page.path + (section.anchor && section !== page.sections[0] ? `#${section.anchor}` : "");
    item.append(link, element("span", page.kind, "search-kind"));
    if (section !== page.sections[0]) item.append(element("p", section.heading, "search-heading"));
    const text = element("p", "");
    for (const [part, match] of excerpt(section.text, terms)) text.append(match ? element("mark", part) : part);
    item.append(text);
    list.append(item);
  }
}

if (typeof module !== "undefined") module.exports = { ranked, excerpt, termsOf };
else document.addEventListener("DOMContentLoaded", () => show(window.mesonetPages));
