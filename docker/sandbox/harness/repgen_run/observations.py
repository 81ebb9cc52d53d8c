"""The script's `observed` dictionary as JSON.

Values are told by the methods of builtin types, torch and numpy only: no code of the project or the script runs.
"""

import sys

_MOST_NAMES = 200
_MOST_NODES = 20_000
_MOST_ELEMENTS = 10_000
_MOST_CHARACTERS = 50_000
_MOST_DEPTH = 12
_LARGEST_INTEGER = 10**300


class _Untold(Exception):
    """Why a value cannot be told."""


def read(namespace):
    """(observed, unobservable) of a script's global names: values by name, and reasons for those left out."""
    observed, unobservable = {}, {}
    values = namespace.get("observed", {})
    if not issubclass(type(values), dict):
        return {}, {"observed": "is %s, not a dictionary" % _kind(values)}
    modules = dict(sys.modules)
    for number, (name, value) in enumerate(dict.items(values)):
        if number == _MOST_NAMES:
            unobservable["observed"] = "has more than %d names" % _MOST_NAMES
            break
        try:
            name = _key(name)
        except _Untold:
            name = _kind(name)
        try:
            observed[name] = _Telling(modules).tell(value, 0)
        except _Untold as reason:
            unobservable[name] = str(reason)
        except Exception as failure:
            unobservable[name] = "cannot be read: %s: %s" % (type(failure).__name__, str(failure)[:300])
    return observed, unobservable


class _Telling:
    def __init__(self, modules):
        self._modules = modules
        self._left = _MOST_NODES

    def tell(self, value, depth):
        self._left -= 1
        if self._left < 0:
            raise _Untold("has more than %d parts" % _MOST_NODES)
        if depth > _MOST_DEPTH:
            raise _Untold("is nested more than %d deep" % _MOST_DEPTH)
        for types, tell in _BUILTINS:
            if issubclass(type(value), types):
                return tell(self, value, depth)
        return self._foreign(value, depth)

    def _foreign(self, value, depth):
        torch, numpy = self._modules.get("torch"), self._modules.get("numpy")
        kind = type(value)
        if _is_a(kind, torch, "Tensor"):
            return self.tell(_tensor(torch, value), depth)
        if _is_a(kind, numpy, "ndarray"):
            _check_size(numpy.ndarray.size.__get__(value), "an array", numpy.ndarray.shape.__get__(value))
            return self.tell(numpy.ndarray.tolist(value), depth)
        if _is_a(kind, numpy, "generic"):
            item = numpy.generic.item(value)
            if type(item) is not kind:
                return self.tell(item, depth)
        if kind in [getattr(torch, name, None) for name in ("dtype", "device", "layout")]:
            return str(value)
        if _is_a(kind, numpy, "dtype"):
            return str(value)
        raise _Untold("is or holds " + _kind(value))

    def sequence(self, value, depth):
        base = list if issubclass(type(value), list) else tuple
        return [self.tell(item, depth + 1) for item in base.__iter__(value)]

    def unordered(self, value, depth):
        base = set if issubclass(type(value), set) else frozenset
        told = [self.tell(item, depth + 1) for item in base.__iter__(value)]
        return sorted(told, key=lambda item: (type(item).__name__, str(item)))

    def mapping(self, value, depth):
        return {_key(key): self.tell(item, depth + 1) for key, item in dict.items(value)}

    def boolean(self, value, _depth):
        return value

    def integer(self, value, _depth):
        number = int.__add__(value, 0)
        if not -_LARGEST_INTEGER < number < _LARGEST_INTEGER:
            raise _Untold("is or holds an integer of %d bits" % number.bit_length())
        return number

    def real(self, value, _depth):
        number = float.__add__(value, 0.0)
        if number != number:
            return "NaN"
        return {float("inf"): "Infinity", float("-inf"): "-Infinity"}.get(number, number)

    def complex(self, value, depth):
        return [self.real(value.real, depth), self.real(value.imag, depth)]

    def string(self, value, _depth):
        if str.__len__(value) > _MOST_CHARACTERS:
            raise _Untold("is or holds a string of %d characters" % str.__len__(value))
        return str.__str__(value)


# bool before int, of which it is a subclass.
_BUILTINS = (
    ((bool, type(None)), _Telling.boolean),
    (int, _Telling.integer),
    (float, _Telling.real),
    (str, _Telling.string),
    (complex, _Telling.complex),
    (dict, _Telling.mapping),
    ((list, tuple), _Telling.sequence),
    ((set, frozenset), _Telling.unordered),
)


def _tensor(torch, value):
    """The tensor's elements as nested lists of numbers."""
    if type(value) is not torch.Tensor:
        disabled = getattr(torch._C, "DisableTorchFunctionSubclass", None) or torch._C.DisableTorchFunction
        with disabled():
            value = torch.Tensor.as_subclass(torch.Tensor.detach(value), torch.Tensor)
    value = value.detach()
    if value.device.type == "meta":
        raise _Untold("is or holds a tensor on the device meta, which has no values")
    if value.is_quantized:
        value = value.dequantize()
    count, shape = value.numel(), tuple(value.shape)
    if count > _MOST_ELEMENTS and value.layout == torch.strided:
        finite = value.isfinite().sum().item() if not value.dtype.is_complex else count
        _check_size(count, "a tensor", shape, " (%d of them not finite)" % (count - finite))
    _check_size(count, "a tensor", shape)
    if value.layout != torch.strided:
        value = value.to_dense()
    return value.cpu().tolist()


def _check_size(count, what, shape, more=""):
    if count > _MOST_ELEMENTS:
        text = "is or holds %s of shape %s with %d elements%s; at most %d are told: observe a number made of it"
        raise _Untold(text % (what, list(shape), count, more, _MOST_ELEMENTS))


def _is_a(kind, module, name):
    base = getattr(module, name, None)
    return isinstance(base, type) and issubclass(kind, base)


def _key(key):
    kind = type(key)
    if issubclass(kind, str):
        return str.__str__(key)[:1000]
    if kind in (bool, int, float, type(None)):
        return str(key)
    if kind is tuple:
        return ", ".join(map(_key, tuple.__iter__(key)))
    raise _Untold("holds a dictionary whose keys are not strings but " + _kind(key))


def _kind(value):
    kind = type(value)
    return "an object of type %s.%s" % (kind.__module__, kind.__qualname__)
