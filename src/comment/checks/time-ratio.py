ratio = observation({{observation}})
shows = ratio >= {{atLeast}}
print(f"the ratio is {ratio}; {{atLeast}} is too much")
