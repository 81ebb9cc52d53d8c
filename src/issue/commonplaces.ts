/** Names that nearly every script has, so that they say nothing of the project. */
const commonplaceNames = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if
  import in is lambda nonlocal not or pass raise return try while with yield match case self cls super
  abs all any bool bytes callable dict dir enumerate eval exec filter float format frozenset getattr globals hasattr hash
  id input int isinstance issubclass iter len list locals map max min next object open ord pow print property range repr
  reversed round set setattr slice sorted staticmethod classmethod str sum tuple type vars zip
  args kwargs main init name file path data values items keys index append extend join split strip copy deepcopy update
  torch nn functional np numpy pd pandas plt matplotlib tf tensorflow keras jax jnp os sys re math random time json
  typing logging warnings copy functools itertools collections pathlib argparse datetime pickle
  Tensor Module Parameter Linear Conv1d Conv2d Conv3d BatchNorm2d LayerNorm ReLU GELU Dropout Embedding Sequential
  ModuleList CrossEntropyLoss MSELoss DataLoader Dataset TensorDataset Optional Union List Dict Tuple Any Callable Path
  Traceback Error Exception RuntimeError ValueError TypeError KeyError IndexError AttributeError NameError ImportError
  AssertionError NotImplementedError ModuleNotFoundError UserWarning DeprecationWarning FutureWarning KeyboardInterrupt
  forward backward step zero_grad parameters state_dict load_state_dict named_parameters train eval cuda cpu gpu to
  device dtype shape size view reshape item detach requires_grad no_grad manual_seed seed randn rand randint zeros ones
  tensor arange cat stack float32 float16 bfloat16 int64 float64 long half optim optimizer Adam AdamW SGD lr loss model
  batch batch_size epoch epochs inputs outputs output target targets labels logits img image images dim x y z i j k n b
  a c d e f g h m q r s t u v w result results test tests example true false none null error bug nan NaN NaNs inf weight weights bias module layer layers
  GitHub README PyTorch TensorFlow NumPy CUDA NVIDIA Linux Ubuntu Windows MacOS macOS JSON YAML Colab Jupyter OpenAI`.split(
    /\s+/,
  ),
);

/** Libraries whose names are looked up nowhere but in themselves. */
const foreignRoots = new Set(
  "torch nn F np numpy pd pandas plt matplotlib tf os sys re math random time json typing logging warnings copy functools itertools collections pathlib argparse datetime pickle builtins".split(
    " ",
  ),
);

/** Is the name, or each part of a dotted one, too common to lead to the project's code. */
export function isCommonplace(name: string): boolean {
  const parts = name.split(".");
  if (foreignRoots.has(parts[0] ?? "")) return true;
  return parts.every((part) => part.length < 2 || commonplaceNames.has(part) || /^__\w+__$/.test(part));
}
