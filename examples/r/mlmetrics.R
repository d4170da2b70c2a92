# Lets rankspec check MLmetrics:  apt-get install r-cran-mlmetrics r-cran-jsonlite
#   rankspec identify "jsonl:Rscript mlmetrics.R" --measure AP

source("protocol.R")

average_precision <- function(call) {
  MLmetrics::PRAUC(y_pred = numbers(call$arguments$y_score), y_true = numbers(call$arguments$y_true))
}

serve("MLmetrics", "labels-scores", list(AP = average_precision))
