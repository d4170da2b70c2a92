// What a reader does on the site, opened from a folder as file://; called by .ci/site.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { CHROMIUM, WORK, SCREENSHOTS } = process.env;
const require = createRequire(`${WORK}/`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const site = `${pathToFileURL(WORK)}/site/`;
const faults = [];
const check = (holds, text) => holds || faults.push(text);

// Question, what it is answered with, and what stands in the answer; derived by hand.
const ranked = "relevance=1,0,1&num_relevant=4";
const QUESTIONS = [
  [`ask=resolve&measure=AP&value=0.4167&${ranked}`, "explained", "5/12"], // (1 + 2/3) / 4
  [`ask=resolve&measure=AP@3&value=0.5556&${ranked}`, "explained", "min-relevant-cutoff"], // (1 + 2/3) / 3
  [`ask=resolve&measure=AP&value=0.99&${ranked}`, "unexplained", "5/12"],
  ["ask=resolve&measure=AP&value=0.9167&labels=1,0,1&scores=0.9,0.5,0.5", "explained", "11/12"], // (1 + 5/6) / 2
  ["ask=resolve&measure=RR&value=0.5&actual=b&predicted=a,b", "explained", "1/2"],
  [`ask=explain&measure=P@2&${ranked}`, "explained", "1/2"],
  [`ask=explain&measure=AP@3&a=default&b=kaggle&${ranked}`, "explained", "5/9"],
  ["ask=explain&measure=nDCG@2&relevance=0,1&num_relevant=1", "explained", "0.6309297536"], // 1 / log2(3)
  ["ask=witness&measure=AP&a=default&b=default[ties=grouped]", "separated", "1/2"],
  ["ask=explain&measure=XYZ&relevance=1", "fault", "XYZ"],
];
// A link, and what it leads to.
const WAYS = [
  ["index.html", "Resolver", "resolver.html"], ["index.html", "Atlas", "atlas.html"],
  ["measures/index.html", "nDCG", "measures/nDCG.html"], ["measures/AP.html", "ties", "axes/ties.html"],
  ["axes/index.html", "denominator", "axes/denominator.html"], ["axes/ties.html", "kaggle", "conventions/kaggle.html"],
  ["conventions/kaggle.html", "denominator=min-relevant-cutoff", "axes/denominator.html"],
  ["conventions/index.html", "coco", "conventions/coco.html"], ["resolver.html", "voc2007", "conventions/voc2007.html"],
  ["glossary.html", "Errata", "errata.html"],
];

// An errand: where it begins, what is clicked, ticked, chosen (by the text of the option) or typed, and what must be read then.
const ERRANDS = [
  ["queries without relevant documents, of a library", "index.html", [["type", "#q", "torchmetrics"], ["click", "torchmetrics"]], "main", /follows the textbook on nDCG.*scores a query without relevant documents 0/s],
  ["two libraries", "index.html", [["choose", "#a", "scikit-learn"], ["choose", "#b", "ranx"]], "#difference", /They differ in one rule.*treats tied documents as one group.*1\/2 = 0.5.*leaves ties in arbitrary order.*1 in input order/s],
  ["who divides by min(R, k)", "index.html", [["click", "Measures"], ["click", "AP"]], "main", /divides by min\(R, k\) \(\d+\).*recbole/s],
  ["what a value of an axis means", "index.html", [["click", "Axes"], ["click", "denominator"]], "main", /^\s*denominator.{0,300}Smallest examples.*Values.*Who is on which side/s],
  ["between which versions a library changed", "index.html", [["type", "#q", "haystack-ai"], ["click", "haystack-ai"]], "main", /3\.1\.0 to 3\.4\.0.*2\.3\.0 to 3\.0\.0.*changed/s],
  ["a number in a paper", "index.html", [["click", "which conventions give it on a ranking?"], ["click", "AP was printed as 0.598"]], "#answer[data-number]", /explained: .* conventions give it/],
  ["how to cite a convention", "index.html", [["click", "Conventions"], ["click", "kaggle"]], "main", /To cite/],
  ["an error of a document", "index.html", [["click", "Errata"], ["click", "Lecture slides: Find Average Precision for this Class"]], "main", /0\.44 is printed; 1\/2 is exact/],
  ["the formula of ERR", "index.html", [["click", "Measures"], ["click", "ERR"]], "figure.formula math", /./],
  ["how to add a library", "index.html", [], "main", /To add a library/],
  ["side by side", "atlas.html", [["type", "#q", "ranx 0.3.21 or pytrec-eval-terrier"], ["tick", "[data-differing-of=matrix]"]], "#matrix th.axis:not(.hide):has-text('ties')", /ties/],
  ["two versions", "index.html", [["choose", "#measure", "AP"], ["choose", "#a", "haystack-ai 2.2"], ["choose", "#b", "haystack-ai 3.1"]], "#difference", /haystack-ai/],
  ["a library by its adapter", "index.html", [["type", "#q", "pytrec_eval"]], "#found tr:not([hidden]) >> nth=1", /pytrec-eval-terrier.*by document id, highest first/s],
  ["a measure by another name", "index.html", [["choose", "#family", "all"], ["type", "#q", "MRR ranx"]], "#found tr:not([hidden]) >> nth=1", /RR/],
  ["an option", "index.html", [["type", "#q", "empty_target_action"]], "#found tr:not([hidden]) >> nth=1", /torchmetrics/],
  ["a rule", "index.html", [["type", "#q", "min(R, k)"]], "#found tr:not([hidden]) >> nth=1", /min\(R, k\)/],
  ["a word", "index.html", [["type", "#q", "no relevant"]], "#found tr:not([hidden]) >> nth=1", /./],
  ["where a library's call fails", "atlas.html", [["choose", "#family", "all"], ["type", "#q", "outside"]], "#matrix tr:not([hidden]) >> nth=1", /outside/],
];

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
const page = await browser.newPage();
page.on("console", (message) => ["error", "warning"].includes(message.type()) && faults.push(`console: ${message.text()}`));
page.on("pageerror", (error) => faults.push(`page: ${error.message}`));
page.on("request", (request) => /^https?:/.test(request.url()) && faults.push(`network: ${request.url()}`));

await page.goto(`${site}resolver.html`);
const times = [];
for (const [number, [question, status, text]] of QUESTIONS.entries()) {
  const from = Date.now();
  await page.evaluate((asked) => { location.hash = `#${new URLSearchParams(asked)}`; }, question);
  await page.waitForSelector(`#answer[data-number="${number + 1}"]`, { state: "attached", timeout: 300_000 });
  times.push((Date.now() - from) / 1000);
  const found = await page.$eval("#answer", (answer) => [answer.dataset.status, answer.textContent]);
  check(found[0] === status && found[1].includes(text), `${question}: ${found[0]}, without ${text}`);
}
const steps = await page.evaluate(() => performance.getEntriesByType("mark").map((mark) => `${mark.name} ${Math.round(mark.startTime)}`));
console.log(`resolver: milliseconds: ${steps.slice(0, 5).join(", ")}`);
console.log(`resolver: ready after ${await page.getAttribute("html", "data-ready")} ms; seconds an answer: ${times.join(", ")}`);
const kept = page.url();
check(kept.includes("XYZ"), `the address does not carry the question: ${kept}`);

await page.goto(`${site}measures/index.html`);
await page.fill("#q", "discounted");
const left = await page.$$eval("#listed tbody tr:not([hidden])", (rows) => rows.map((row) => row.textContent));
check(left.length > 0 && left.every((text) => /discounted/i.test(text)), `the filter leaves ${left.length} rows`);
await page.reload();
check((await page.inputValue("#q")) === "discounted", "the address does not carry the filter");
await page.goto(`${site}atlas.html`);
const choices = await page.$$eval("#family option", (options) => options.map((option) => option.value).filter(Boolean));
for (const choice of choices.slice(0, 2)) {
  await page.selectOption("#family", choice);
  const families = await page.$$eval("#matrix tbody tr:not([hidden])", (rows) => rows.map((row) => row.dataset.family));
  check(families.length > 0 && families.every((family) => family === choice), `${choice} does not filter the matrix`);
}
await page.selectOption("#family", "nDCG");
const shown = await page.$$eval("#matrix thead th.axis:not(.hide)", (heads) => heads.map((head) => head.textContent));
check(shown.includes("gain") && !shown.includes("denominator"), `axes of nDCG: ${shown.join(", ")}`);

for (const [from, words, to] of WAYS) {
  await page.goto(site + from);
  await page.getByRole("link", { name: words, exact: true }).first().click();
  check(page.url().split(/[#?]/)[0] === site + to, `${words} of ${from} leads to ${page.url()}`);
}

for (const [words, from, steps, where, expected] of ERRANDS) {
  await page.goto("about:blank");
  await page.goto(site + from);
  for (const [kind, what, text] of steps) {
    if (kind === "click") await page.getByRole("link", { name: what, exact: true }).first().click();
    if (kind === "tick") await page.check(what);
    if (kind === "type") await page.fill(what, text);
    if (kind === "choose") {
      const labels = await page.$$eval(`${what} option`, (options) => options.map((option) => option.text));
      await page.selectOption(what, { label: labels.find((label) => label.startsWith(text)) ?? text });
    }
  }
  check(steps.length <= 3, `${words} takes ${steps.length} steps`);
  await page.waitForSelector(where, { state: "attached", timeout: 300_000 });
  const read = await page.locator(where).first().textContent();
  check(expected.test(read), `${words}: ${read.replace(/\s+/g, " ").slice(0, 200)}`);
}
console.log(`errands: ${ERRANDS.length}, each in at most three steps`);

const LOOKED_AT = ["index.html", "atlas.html", "measures/index.html", "measures/AP.html", "axes/denominator.html", "conventions/kaggle.html",
  "libraries/ranx.html", "libraries/torchmetrics.html", "axes/ties.html", "measures/nDCG.html", "errata.html", "glossary.html", "resolver.html#ask=explain&measure=AP@3&a=default&b=kaggle&relevance=1,0,1&num_relevant=5"];
for (const colorScheme of ["light", "dark"]) {
  await page.emulateMedia({ colorScheme });
  for (const path of LOOKED_AT) {
    await page.goto("about:blank");
    await page.goto(site + path);
    if (path.includes("#")) await page.waitForSelector("#answer[data-number]", { state: "attached", timeout: 300_000 });
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run({ preload: false }));
    for (const { id, nodes } of violations) faults.push(`axe ${colorScheme} ${path}: ${id} (${nodes.length}) ${nodes[0].html.slice(0, 120)}`);
    for (const width of [400, 1280, 1600]) {
      await page.setViewportSize({ width, height: 1000 });
      // What is read row by row on a phone may not need scrolling there; other tables may, inside their own frame.
      const over = await page.evaluate(() => Math.max(document.documentElement.scrollWidth - innerWidth,
        ...[...document.querySelectorAll(".scroll:has(.stacked)")].map((each) => (innerWidth < 640 ? each.scrollWidth - each.clientWidth : 0))));
      check(over <= 0, `${path} is ${over} pixels too wide at ${width}`);
      const [height, most] = [await page.evaluate(() => document.documentElement.scrollHeight), width > 640 ? 6000 : 12000];
      check(height <= most, `${path} is ${height} pixels high at ${width}`);
      const name = path.split("#")[0].replace(/\W/g, "-");
      if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/${name}-${width}-${colorScheme}.png` });
    }
  }
}
await browser.close();
for (const fault of faults) console.error(`site: ${fault}`);
console.log(faults.length ? `site: ${faults.length} faults` : "site: no fault");
process.exit(faults.length ? 1 : 0);
