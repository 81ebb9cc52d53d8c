"""What is wrong with a script."""

from collections import namedtuple

# kind: one of the kinds of check.py; message: a sentence for the script's author.
Problem = namedtuple("Problem", "kind line message")
