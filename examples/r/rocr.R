# Lets rankspec check ROCR, a package of R:  rankspec identify "jsonl:Rscript rocr.R" --measure AP
# It speaks the line protocol of docs/line-protocol.md: JSON lines on standard input and output.

suppressPackageStartupMessages({
  library(jsonlite)
  library(ROCR)
})

say <- function(message) {
  cat(toJSON(message, auto_unbox = TRUE), "\n", sep = "")
  flush(stdout())
}

average_precision <- function(y_true, y_score) {
  performance(prediction(as.numeric(y_score), as.numeric(y_true)), "aucpr")@y.values[[1]]
}

answer <- function(call) {
  tryCatch(
    {
      value <- average_precision(call$arguments$y_true, call$arguments$y_score)
      list(type = "result", seq = call$seq, outcome = "value", value = format(value, digits = 17))
    },
    error = function(failure) {
      list(
        type = "result", seq = call$seq, outcome = "errored",
        error = class(failure)[1], message = conditionMessage(failure)
      )
    }
  )
}

hello <- list(
  type = "hello", protocol = 1, name = "ROCR", version = as.character(packageVersion("ROCR")),
  shape = "labels-scores", convention = "default",
  measures = list(AP = setNames(list(), character(0)))
)

lines <- file("stdin", "r")
while (length(line <- readLines(lines, n = 1)) > 0) {
  message <- fromJSON(line, simplifyDataFrame = FALSE)
  if (message$type == "start") say(hello)
  if (message$type == "batch") for (call in message$calls) say(answer(call))
}
