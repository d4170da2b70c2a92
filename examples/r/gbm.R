# Lets rankspec check the ranking measures of gbm:  apt-get install r-cran-gbm r-cran-jsonlite
#   rankspec identify "jsonl:Rscript gbm.R" --measure AP
# perf.pairwise, which averages them over groups, adds random numbers to the scores first: they break ties.

source("protocol.R")

of_group <- function(measure) {
  function(call) {
    labels <- numbers(call$arguments$y_true)
    scores <- numbers(call$arguments$y_score)
    value <- measure(list(labels, scores), max.rank = if (is.null(call$k)) length(labels) + 1 else call$k)
    if (value < 0) NaN else value # "a negative value if it is undefined for the given group"
  }
}

serve(
  "gbm", "labels-scores",
  list(AP = of_group(gbm::ir.measure.map), RR = of_group(gbm::ir.measure.mrr), nDCG = of_group(gbm::ir.measure.ndcg)),
  list(RR = list(k = "optional"), nDCG = list(k = "optional"))
)
