import { StoppedFault } from "../src/errors.ts";

/** A signal to the process group comes twice: by itself, and passed on by the launcher. */
const SAME_SIGNAL_MS = 1_000;

/** Aborts at SIGINT or SIGTERM. Another one later ends the process at once: somebody will not wait for the clean end. */
export function untilStopped(): AbortSignal {
  const controller = new AbortController();
  let stoppedAtMs = 0;
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      if (!controller.signal.aborted) {
        stoppedAtMs = performance.now();
        controller.abort(new StoppedFault(`stopped by ${name}`));
      } else if (performance.now() - stoppedAtMs > SAME_SIGNAL_MS) {
        process.exit(130);
      }
    });
  }
  return controller.signal;
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
