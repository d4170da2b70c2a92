"""Large runs: certified values of many queries at once, engines that read runs of any size, tests between runs."""
