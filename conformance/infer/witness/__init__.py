"""The smallest input on which two conventions or implementations part."""
