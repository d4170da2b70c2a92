// Lets rankspec check Mastra's context precision:  npm install @mastra/evals @mastra/core zod
//   rankspec identify "jsonl:node mastra.mjs" --measure AP
// It speaks the line protocol of docs/line-protocol.md: JSON lines on standard input and output.
// The verdicts, which a model gives otherwise, are the labels; the step that scores them is called by itself.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createInterface } from "node:readline";

const entry = fileURLToPath(import.meta.resolve("@mastra/evals/scorers/prebuilt"));
const folder = entry.slice(0, entry.indexOf("/dist/"));
const { version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));

// Its import takes seconds, which the harness does not wait for: it goes on behind the hello.
const scoring = import("@mastra/evals/scorers/prebuilt").then(({ createContextPrecisionScorer }) => {
  const scorer = createContextPrecisionScorer({ model: "none", options: { context: ["none"] } });
  return scorer.steps.find((step) => step.name === "generateScore").definition;
});

const hello = {
  type: "hello",
  protocol: 1,
  name: "@mastra/evals",
  version,
  shape: "ranking",
  convention: "default",
  measures: { AP: { arguments: ["relevance"] } },
};

async function answer({ arguments: { relevance } }) {
  const verdicts = relevance.map((label, index) => ({ context_index: index, verdict: label > 0 ? "yes" : "no" }));
  try {
    const generateScore = await scoring;
    const value = await generateScore({ results: { analyzeStepResult: { verdicts } } });
    return { outcome: "value", value: String(value) };
  } catch (error) {
    return { outcome: "errored", error: error.name, message: error.message };
  }
}

const send = (message) => process.stdout.write(JSON.stringify(message) + "\n");

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === "start") send(hello);
  if (message.type === "batch") {
    for (const call of message.calls) send({ type: "result", seq: call.seq, ...(await answer(call)) });
  }
}
