// Two libraries beside each other, from data that stands in which-data.js: what differs, and the smallest input.
const { rows, shown, phrases, axes } = globalThis.rankspecRows;
const form = document.getElementById("which");
const answer = document.getElementById("difference");
const { measure, a, b } = form.elements;

function element(name, text, children = []) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

// What stands between backticks is code.
function coded(text) {
  return text.split(/`([^`]+)`/).map((part, place) => (place % 2 ? element("code", part) : part));
}

function input(given) {
  return Object.entries(given).map(([name, value]) => `${name} ${JSON.stringify(value)}`).join("; ");
}

function link(row) {
  const made = element("a", row.name);
  made.href = row.href;
  return made;
}

// The axes on which two rows have no value in common, of those that both show.
function differing(one, other) {
  return Object.keys(one.axes).filter((axis) => other.axes[axis]
    && !one.axes[axis].some((value) => other.axes[axis].includes(value)));
}

function hidden(one, other) {
  const known = Object.keys(other.axes).filter((axis) => one.hidden.includes(axis));
  return known.length ? [element("p", `How ${one.name} is called can't show: ${known.map((axis) => axis.replaceAll("_", " ")).join(", ")}.`)] : [];
}

// One rule: both in words with their values, and the smallest input on which they show.
function rule(axis, one, other) {
  // Where ties have no order, the example has one of its values: that of the order of input.
  const shownAs = (row, value) => (row.axes[axis][0] === "in no fixed order" ? `${value} in input order` : value);
  const cell = (row, value) => element("td", "", [...coded(phrases[`${axis}|${row.axes[axis][0]}`]), ...(value ? [element("p", shownAs(row, value))] : [])]);
  const name = element("th", axis.replaceAll("_", " "));
  name.scope = "row";
  name.title = axes[axis];
  const found = (own, rival) => shown[`${own.measured}|${own.under}|${axis}|${rival.axes[axis][0]}`];
  const own = found(one, other) ? one : other;
  const [given, ...values] = found(own, own === one ? other : one) ?? [];
  const [first, second] = own === one ? values : values.reverse();
  const ranking = given ? [element("code", input(given)), element("p", `all other rules are ${own.library}'s`)] : [];
  return element("tr", "", [name, cell(one, first), cell(other, second), element("td", "", ranking)]);
}

function table(parts, one, other) {
  const headings = ["rule", one.name, other.name, "the smallest ranking that shows it"].map((text) => {
    const made = element("th", text);
    made.scope = "col";
    return made;
  });
  const made = element("table", "", [element("thead", "", [element("tr", "", headings)]),
    element("tbody", "", parts.map((axis) => rule(axis, one, other)))]);
  const scroll = element("div", "", [made]);
  scroll.className = "scroll";
  scroll.tabIndex = 0;
  return scroll;
}

function compare() {
  const [one, other] = [a, b].map((field) => rows[field.value]);
  answer.replaceChildren();
  if (!one || !other) return;
  const both = [one, other].map((row) => element("p", "", [link(row), ...coded(`: ${row.asked} ${row.words}.`)]));
  if (!one.under || !other.under) {
    const without = one.under ? other : one;
    answer.append(element("h2", "One of them follows no rule that was found"), ...both);
    if (without.smallest) {
      const [given, got, exact] = without.smallest;
      answer.append(element("p", "", [`${without.name} returns ${got} for `, element("code", input(given)), `; the nearest rule has ${exact}.`]));
    }
    answer.append(element("p", "", ["Ask both: ", element("code", `rankspec witness ${one.spec} ${other.spec} --measure ${one.asked}`)]));
    return;
  }
  const parts = differing(one, other);
  const alone = (row, rival) => row.deviations.filter((each) => !rival.deviations.includes(each));
  const besides = [...alone(one, other), ...alone(other, one)].length > 0;
  const rules = parts.length === 1 ? "They differ in one rule" : `They differ in ${parts.length} rules`;
  const head = one === other ? "They are the same"
    : parts.length > 0 ? rules + (besides ? ", and in what no rule says" : "")
    : besides ? "They differ in what no rule says" : "No difference in what both calls can show";
  answer.append(element("h2", head), ...both);
  if (parts.length) answer.append(table(parts, one, other));
  answer.append(...hidden(one, other), ...hidden(other, one));
}

function fill() {
  for (const field of [a, b]) {
    const before = field.value;
    field.replaceChildren(new Option("choose", ""));
    rows.forEach((row, place) => row.measure === measure.value && field.add(new Option(row.name, place)));
    const known = [...field.options].find((option) => option.text.split(" ")[0] === rows[before]?.library);
    field.value = known ? known.value : "";
  }
}

function keep() {
  const names = [a, b].map((field) => rows[field.value]?.name ?? "");
  history.replaceState(null, "", `${location.pathname}${location.search}#${new URLSearchParams({ measure: measure.value, a: names[0], b: names[1] })}`);
}

for (const each of new Set(rows.map((row) => row.measure))) measure.add(new Option(each, each));
const given = new URLSearchParams(location.hash.slice(1));
measure.value = given.get("measure") ?? "AP";
fill();
for (const [name, field] of [["a", a], ["b", b]]) {
  const place = rows.findIndex((row) => row.measure === measure.value && row.name === given.get(name));
  if (place >= 0) field.value = place;
}
measure.addEventListener("change", () => { fill(); compare(); keep(); });
for (const field of [a, b]) field.addEventListener("change", () => { compare(); keep(); });
form.hidden = false;
compare();
