"""Running a candidate: see run.py."""
