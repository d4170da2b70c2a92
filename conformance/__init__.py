"""What is observed: implementations run on cases, judged, and identified."""
