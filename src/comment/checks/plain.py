def plain(value):
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


def observation(name):
    if name not in observed:
        print(f"cannot tell: there is no observation {name}")
        sys.exit(2)
    return plain(observed[name])
