"""Reading a candidate without running it: see check.py."""
