// Filters: what is typed or chosen hides the rows that do not fit; the address keeps it.
for (const search of document.querySelectorAll("[data-filters]")) {
  const table = document.getElementById(search.dataset.filters);
  const family = document.querySelector(`[data-family-of="${table.id}"]`);
  const count = document.querySelector(`[data-count-of="${table.id}"]`);
  const rows = [...table.tBodies[0].rows];
  const differing = document.querySelector(`[data-differing-of="${table.id}"]`);
  // "ranx or sklearn" is one or the other.
  const wordsOfEach = (text) => text.toLowerCase().split(/\sor\s|[;|]/).map((each) => each.split(/\s+/).filter(Boolean));

  // An axis of which no row that is left says anything is folded away, and one that is the same in all of them where
  // only what differs is wanted.
  const foldColumns = () => {
    if (!table.dataset.folds) return;
    const kept = rows.filter((row) => !row.hidden);
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (!head.classList.contains("axis")) return;
      const said = kept.map((row) => row.cells[column].textContent);
      const empty = kept.length > 0 && (said.every((each) => ["", "–", "!"].includes(each))
        || (differing?.checked && said.every((each) => each === said[0])));
      for (const row of [table.tHead.rows[0], ...rows]) row.cells[column].classList.toggle("hide", empty);
    });
  };

  const filter = () => {
    const wanted = wordsOfEach(search.value);
    let left = 0;
    for (const row of rows) {
      const text = `${row.dataset.text ?? ""} ${row.textContent}`.toLowerCase();
      const fits = wanted.some((each) => each.every((word) => text.includes(word)))
        && (!family?.value || row.dataset.family === family.value);
      row.hidden = !fits;
      left += fits;
    }
    foldColumns();
    count.textContent = `${left} of ${rows.length}`;
    const kept = new URLSearchParams();
    if (search.value) kept.set("q", search.value);
    if (differing?.checked) kept.set("differing", "1");
    if (family && family.value !== (family.dataset.first ?? "")) kept.set("measure", family.value);
    history.replaceState(null, "", `${location.pathname}${[...kept].length ? `?${kept}` : ""}${location.hash}`);
  };

  const given = new URLSearchParams(location.search);
  search.value = given.get("q") ?? "";
  if (family) family.value = given.get("measure") ?? (search.value ? "" : family.dataset.first ?? "");
  if (differing) differing.checked = given.has("differing");
  search.addEventListener("input", filter);
  differing?.addEventListener("change", filter);
  family?.addEventListener("change", filter);
  search.closest("[hidden]")?.removeAttribute("hidden");
  filter();
}
