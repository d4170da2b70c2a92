# Lets rankspec check caret's summary of precision and recall:  apt-get install r-cran-caret r-cran-mlmetrics r-cran-jsonlite
#   rankspec identify "jsonl:Rscript caret.R" --measure AP

source("protocol.R")

average_precision <- function(call) {
  classes <- c("relevant", "other")
  obs <- factor(ifelse(numbers(call$arguments$y_true) > 0, "relevant", "other"), levels = classes)
  caret::prSummary(data.frame(obs = obs, pred = obs, relevant = numbers(call$arguments$y_score)), lev = classes)[["AUC"]]
}

serve("caret", "labels-scores", list(AP = average_precision))
