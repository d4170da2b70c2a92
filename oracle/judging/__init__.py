"""Which ways to judge the unjudged documents of a query have its lowest and its highest value."""
