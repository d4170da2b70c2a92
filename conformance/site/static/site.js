// Filters: what is typed or chosen hides the rows that do not fit; the address keeps it.
for (const search of document.querySelectorAll("[data-filters]")) {
  const table = document.getElementById(search.dataset.filters);
  const family = document.querySelector(`[data-family-of="${table.id}"]`);
  const count = document.querySelector(`[data-count-of="${table.id}"]`);
  const rows = [...table.tBodies[0].rows];
  const words = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

  // An axis of which no row that is left says anything is folded away.
  const foldColumns = () => {
    if (!table.dataset.folds) return;
    const kept = rows.filter((row) => !row.hidden);
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (!head.classList.contains("axis")) return;
      const empty = kept.length > 0 && kept.every((row) => ["", "–", "!"].includes(row.cells[column].textContent));
      for (const row of [table.tHead.rows[0], ...rows]) row.cells[column].classList.toggle("hide", empty);
    });
  };

  const filter = () => {
    const wanted = words(search.value);
    let left = 0;
    for (const row of rows) {
      const text = (row.dataset.text ?? row.textContent).toLowerCase();
      const fits = wanted.every((word) => text.includes(word))
        && (!family?.value || row.dataset.family === family.value);
      row.hidden = !fits;
      left += fits;
    }
    foldColumns();
    count.textContent = `${left} of ${rows.length}`;
    const kept = new URLSearchParams();
    if (search.value) kept.set("q", search.value);
    if (family && family.value !== (family.dataset.first ?? "")) kept.set("measure", family.value);
    history.replaceState(null, "", `${location.pathname}${[...kept].length ? `?${kept}` : ""}${location.hash}`);
  };

  const given = new URLSearchParams(location.search);
  search.value = given.get("q") ?? "";
  if (family) family.value = given.get("measure") ?? (search.value ? "" : family.dataset.first ?? "");
  search.addEventListener("input", filter);
  family?.addEventListener("change", filter);
  search.closest("[hidden]")?.removeAttribute("hidden");
  filter();
}
