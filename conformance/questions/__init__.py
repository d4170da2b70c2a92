"""What an implementation is asked: a case's input under a measure, put into the shape that it takes."""
