// The gallery as thumbnails, with filters by topic. Without JavaScript the page is the whole list.

document.addEventListener("DOMContentLoaded", () => {
  const gallery = document.querySelector("section#gallery");
  if (!gallery) return;
  const groups = [...gallery.querySelectorAll(":scope > section")];
  const entries = [...gallery.querySelectorAll(":scope > section > section")].map((section) => {
    const heading = section.querySelector("h3");
    const topics = [...section.querySelectorAll(":scope > p")].find((each) => each.textContent.startsWith("Topics: "));
    topics.classList.add("gallery-topics");
    return {
      section,
      title: heading.firstChild.textContent,
      picture: section.querySelector("img").getAttribute("src"),
      topics: topics.textContent.replace("Topics: ", "").replace(/\.$/, "").split(", "),
    };
  });

  const filters = document.createElement("div");
  filters.className = "gallery-filters";
  filters.setAttribute("role", "group");
  filters.setAttribute("aria-label", "Topic");
  const thumbnails = document.createElement("ul");
  thumbnails.className = "gallery-thumbnails";
  for (const entry of entries) {
    const link = document.createElement("a");
    link.href = `#${entry.section.id}`;
    const picture = document.createElement("img");
    picture.src = entry.picture;
    picture.alt = "";
    link.append(picture, entry.title);
    entry.item = document.createElement("li");
    entry.item.append(link);
    thumbnails.append(entry.item);
  }

  const count = (topic) => entries.filter((entry) => topic === "" || entry.topics.includes(topic)).length;
  const choose = (topic) => {
    for (const button of filters.children) button.setAttribute("aria-pressed", String(button.dataset.topic === topic));
    for (const entry of entries) {
      const hidden = topic !== "" && !entry.topics.includes(topic);
      entry.item.hidden = hidden;
      entry.section.hidden = hidden;
    }
    for (const group of groups) group.hidden = entries.every((each) => each.section.parentElement !== group || each.section.hidden);
  };
  const topics = [...new Set(entries.flatMap((entry) => entry.topics))].sort((a, b) => count(b) - count(a));
  for (const topic of ["", ...topics]) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.topic = topic;
    button.textContent = `${topic || "all"} (${count(topic)})`;
    button.addEventListener("click", () => choose(topic));
    filters.append(button);
  }
  gallery.insertBefore(thumbnails, groups[0]);
  gallery.insertBefore(filters, thumbnails);
  // A link to an entry that a filter hides shows it.
  const follow = () => {
    const target = entries.find((entry) => `#${entry.section.id}` === decodeURIComponent(window.location.hash));
    if (target && target.section.hidden) choose("");
    if (target) target.section.scrollIntoView();
  };
  choose("");
  window.addEventListener("hashchange", follow);
  follow();
});
