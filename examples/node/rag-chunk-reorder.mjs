// Lets rankspec check the retrieval metrics of rag-chunk-reorder:  npm install rag-chunk-reorder
//   rankspec identify "jsonl:node rag-chunk-reorder.mjs" --measure nDCG
// It speaks the line protocol of docs/line-protocol.md: JSON lines on standard input and output.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const { ndcg, retrievalRecallAtK } = createRequire(import.meta.url)("rag-chunk-reorder");
const { version } = JSON.parse(readFileSync(new URL("node_modules/rag-chunk-reorder/package.json", import.meta.url)));

const measures = {
  nDCG: { takes: { arguments: ["relevance"] }, call: ({ relevance }) => ndcg(relevance) },
  R: {
    takes: { shape: "actual-predicted", k: "optional" },
    call: ({ actual, predicted }, k) => retrievalRecallAtK(predicted, actual, k),
  },
};

const hello = {
  type: "hello",
  protocol: 1,
  name: "rag-chunk-reorder",
  version,
  shape: "ranking",
  convention: "default",
  measures: Object.fromEntries(Object.entries(measures).map(([name, { takes }]) => [name, takes])),
};

const send = (message) => process.stdout.write(JSON.stringify(message) + "\n");

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === "start") send(hello);
  for (const call of message.calls ?? []) {
    const value = measures[call.measure].call(call.arguments, call.k);
    send({ type: "result", seq: call.seq, outcome: "value", value: String(value) });
  }
}
