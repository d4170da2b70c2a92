"""An interview: the probes that an implementation is asked, its answers, and the conventions that fit them."""
