import type { Frame } from "../types.ts";

const library =
  /(?:site|dist)-packages[/\\](?:torch|numpy|scipy|pandas|tensorflow|keras|jax|jaxlib|IPython|ipykernel|tqdm|click|typer|fire|hydra|pytest|_pytest|pluggy|joblib|sklearn|PIL|einops|accelerate|lightning|pytorch_lightning|lightning_fabric|deepspeed)(?:[/\\.]|$)/;
const standardLibrary = /[/\\](?:lib[/\\]python3\.\d+|Lib)[/\\](?!(?:site|dist)-packages)|^<(?:frozen|string|__array)/;

/** Frames that are neither of the standard library nor of the libraries that nearly every project stands on. */
export function ownFrames(frames: Frame[]): Frame[] {
  return frames.filter(({ file }) => !library.test(file) && !standardLibrary.test(file));
}

/** Is the file part of an installed package. */
export function isInstalled(file: string): boolean {
  return /[/\\](?:site|dist)-packages[/\\]/.test(file);
}
