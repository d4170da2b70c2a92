"""The pytest plugin: a test a case, from the command line or from a test file. Public names: `conformance.testing`."""
