// A ranking metric as a JavaScript package may have it. It knows nothing of rankspec.

/** Average precision of labels in rank order; numRelevant counts relevant documents, retrieved or not. */
export function averagePrecision(relevance, numRelevant, k = relevance.length) {
  let hits = 0;
  let sum = 0;
  relevance.slice(0, k).forEach((label, index) => {
    if (label > 0) sum += ++hits / (index + 1);
  });
  return numRelevant > 0 ? sum / numRelevant : 0;
}
