def equal(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b or abs(a - b) <= tolerance
    return a == b


tolerance = {{tolerance}}
value, reference = observation({{observation}}), {{reference}}
shows = not ({{relation}})
print(f"it is {value!r} and should be {{words}} {reference!r}")
