series = observation({{observation}})
if len(series) < 8:
    print("cannot tell: fewer than eight steps")
    sys.exit(2)
quarter = max(2, len(series) // 4)
first, last = sum(series[:quarter]) / quarter, sum(series[-quarter:]) / quarter
finite, size = all(map(math.isfinite, series)), max(abs(first), sys.float_info.epsilon)
shows = {{trend}}
print(f"it goes from {first:.4g} to {last:.4g} over {len(series)} steps")
