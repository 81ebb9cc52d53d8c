def numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for each in value for number in numbers(each)]
    return [value] if isinstance(value, (int, float)) else []


found = numbers(observation({{observation}}))
wrong = [number for number in found if not math.isfinite(number)]
shows = len(wrong) > 0
print(f"{len(wrong)} of {len(found)} numbers are not finite")
