# Lets rankspec check ROCR:  apt-get install r-cran-rocr r-cran-jsonlite
#   rankspec identify "jsonl:Rscript rocr.R" --measure AP

source("protocol.R")

average_precision <- function(call) {
  prediction <- ROCR::prediction(numbers(call$arguments$y_score), numbers(call$arguments$y_true))
  ROCR::performance(prediction, "aucpr")@y.values[[1]]
}

serve("ROCR", "labels-scores", list(AP = average_precision))
