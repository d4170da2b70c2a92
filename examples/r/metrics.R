# Lets rankspec check Metrics:  apt-get install r-cran-metrics r-cran-jsonlite
#   rankspec identify "jsonl:Rscript metrics.R" --measure AP@3

source("protocol.R")

mean_average_precision <- function(call) {
  Metrics::mapk(call$k, lapply(call$arguments$actual, texts), lapply(call$arguments$predicted, texts))
}

serve("Metrics", "lists-of-lists", list(AP = mean_average_precision), list(AP = list(k = "required")))
