"""The smallest input on which two conventions or implementations part, and the worst-case table of all axes."""
