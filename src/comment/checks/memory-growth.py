series = observation({{observation}})
steady = series[len(series) // 2 :]
slopes = [(b - a) / (j - i) for i, a in enumerate(steady) for j, b in enumerate(steady) if j > i]
growth = statistics.median(slopes)
shows = growth >= {{atLeast}}
print(f"it grows by {growth:.0f} bytes a step; {{atLeast}} is too much")
