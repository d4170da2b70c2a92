// Lets rankspec check metrics.mjs:  rankspec check "jsonl:node harness.mjs"
// It speaks the line protocol of docs/line-protocol.md: JSON lines on standard input and output.

import { createInterface } from "node:readline";
import { averagePrecision, precision, reciprocalRank } from "./metrics.mjs";

const measures = {
  AP: { call: averagePrecision, takes: { k: "optional" } },
  P: { call: precision, takes: { k: "required" } },
  RR: { call: reciprocalRank, takes: {} },
};

const hello = {
  type: "hello",
  protocol: 1,
  name: "metrics.mjs",
  version: "1.0.0",
  shape: "ranking",
  convention: "default",
  measures: Object.fromEntries(Object.entries(measures).map(([name, { takes }]) => [name, takes])),
};

function answer({ measure, arguments: { relevance, num_relevant }, k }) {
  if (!(measure in measures)) return { outcome: "skipped", reason: `there is no ${measure}` };
  try {
    const value = measures[measure].call(relevance, num_relevant, k);
    return { outcome: "value", value: String(value) }; // a text: JSON has no NaN and no Infinity
  } catch (error) {
    return { outcome: "errored", error: error.name, message: error.message, context: { stack: error.stack } };
  }
}

const send = (message) => process.stdout.write(JSON.stringify(message) + "\n");

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === "start") send(hello);
  if (message.type === "batch") for (const call of message.calls) send({ type: "result", seq: call.seq, ...answer(call) });
}
