"""What people have, read: objects, frames, dictionaries, lists and files as qrels and runs. No sentences, no click."""
