// Holds metrics.mjs to the cases that `rankspec fixtures export --out DIR` wrote:  node run.mjs DIR
// Exit status 0 if every case conforms, 1 if one does not, 2 if DIR can't be read.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { averagePrecision } from "./metrics.mjs";

const SUPPORTED_SCHEMA = "rankspec/export/1";

/** What this library has, and how each measure is called with a case's arguments in the shape `ranking`. */
const measures = {
  AP: ({ relevance, num_relevant }, k) => averagePrecision(relevance, num_relevant, k),
};

/** The convention that this library follows: a case counts if all of its axes agree with it. */
const follows = {
  aggregate: "mean",
  denominator: "relevant",
  depth: "none",
  interpolation: "step",
  no_hits: "zero",
  no_relevant: "zero",
  ties: "input-order",
  unjudged: "nonrelevant",
};

function readCases(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
  if (manifest.schema !== SUPPORTED_SCHEMA) throw new Error(`${manifest.schema}: this runner reads ${SUPPORTED_SCHEMA}`);
  const text = readFileSync(join(folder, "cases.jsonl"));
  const hash = createHash("sha256").update(text).digest("hex");
  if (hash !== manifest.files["cases.jsonl"].sha256) throw new Error("cases.jsonl is not the file of the manifest");
  return text.toString("utf8").trim().split("\n").map((line) => JSON.parse(line));
}

/** Say why a case can't be asked here, or null. */
function leftOut({ measure, convention, calls }) {
  if (!(measure.name in measures)) return "another measure";
  if (measure.rel !== undefined || measure.parameters !== undefined) return "parameters";
  if (!("ranking" in calls)) return "not expressible";
  const other = Object.keys(follows).find((axis) => axis in convention.axes && convention.axes[axis] !== follows[axis]);
  return other ? "another convention" : null;
}

/** Say what is wrong with an answer, or null. */
function fault(answer, expected) {
  if (expected.kind === "error") return answer instanceof Error ? null : `${answer} where a failure is demanded`;
  if (answer instanceof Error) return `fails: ${answer.message}`;
  if (expected.kind === "nan") return Number.isNaN(answer) ? null : `${answer} where there is no value`;
  const close = Math.abs(answer - expected.double) <= expected.bound.float64;
  return close ? null : `${answer} where the exact value is ${expected.exact} = ${expected.double}`;
}

function main(folder) {
  const reasons = new Map();
  let asked = 0;
  let failed = 0;
  for (const each of readCases(folder)) {
    const reason = leftOut(each);
    if (reason !== null) {
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      continue;
    }
    asked += 1;
    let answer;
    try {
      answer = measures[each.measure.name](each.calls.ranking, each.measure.k);
    } catch (error) {
      answer = error;
    }
    const wrong = fault(answer, each.expected);
    if (wrong === null) continue;
    failed += 1;
    console.log(`${each.id} (${each.measure.expression} under ${each.convention.text}): ${wrong}`);
  }
  console.log(`${asked} cases asked, ${failed} failed; left out: ${[...reasons].map((pair) => pair.join(" ")).join(", ")}`);
  return asked > 0 && failed === 0 ? 0 : 1;
}

try {
  process.exitCode = main(process.argv[2] ?? ".");
} catch (error) {
  console.error(`run.mjs: ${error.message}`);
  process.exitCode = 2;
}
