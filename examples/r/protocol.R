# The line protocol of docs/line-protocol.md, for the harnesses of this folder:  apt-get install r-cran-jsonlite

suppressPackageStartupMessages(library(jsonlite))

say <- function(message) {
  cat(toJSON(message, auto_unbox = TRUE), "\n", sep = "")
  flush(stdout())
}

# Answer every call on standard input. `functions` has one function of a call for each measure,
# `measures` a list of what each takes; without it none takes anything.
serve <- function(package, shape, functions, measures = list()) {
  nothing <- setNames(list(), character(0))
  takes <- lapply(names(functions), function(name) if (is.null(measures[[name]])) nothing else measures[[name]])
  hello <- list(
    type = "hello", protocol = 1, name = package, version = as.character(packageVersion(package)),
    shape = shape, convention = "default", measures = setNames(takes, names(functions))
  )
  answer <- function(call) {
    tryCatch(
      {
        value <- as.numeric(functions[[call$measure]](call))
        text <- if (is.na(value)) "nan" else format(value, digits = 17)
        list(type = "result", seq = call$seq, outcome = "value", value = text)
      },
      error = function(failure) {
        list(
          type = "result", seq = call$seq, outcome = "errored",
          error = class(failure)[1], message = conditionMessage(failure)
        )
      }
    )
  }
  lines <- file("stdin", "r")
  while (length(line <- readLines(lines, n = 1)) > 0) {
    message <- fromJSON(line, simplifyVector = FALSE)
    if (message$type == "start") say(hello)
    if (message$type == "batch") for (call in message$calls) say(answer(call))
  }
}

numbers <- function(listed) as.numeric(unlist(listed))
texts <- function(listed) as.character(unlist(listed))
