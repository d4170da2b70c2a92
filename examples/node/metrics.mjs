// Ranking metrics as a Node package may have them. They know nothing of rankspec.

/**
 * Average precision of one ranking.
 *
 * @param {number[]} relevance labels in rank order, 1 for a relevant document, 0 for another
 * @param {number} numRelevant how many relevant documents there are, retrieved or not
 * @param {number} [k] evaluate the first k documents alone
 */
export function averagePrecision(relevance, numRelevant, k = relevance.length) {
  let hits = 0;
  let sum = 0;
  relevance.slice(0, k).forEach((label, index) => {
    if (label > 0) {
      hits += 1;
      sum += hits / (index + 1);
    }
  });
  return numRelevant > 0 ? sum / numRelevant : 0;
}

/** Precision of the first k documents; a list that is shorter is filled up with misses. */
export function precision(relevance, numRelevant, k) {
  return relevance.slice(0, k).filter((label) => label > 0).length / k;
}

/** Reciprocal rank of the first relevant document, 0 if there is none. */
export function reciprocalRank(relevance) {
  const index = relevance.findIndex((label) => label > 0);
  return index < 0 ? 0 : 1 / (index + 1);
}
