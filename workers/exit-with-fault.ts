import { Fault, StoppedFault, UsageFault } from "../src/errors.ts";

/** Ends the process: being stopped is no fault; a fault is one line for the operator, anything else a defect with its stack. */
export function exitWithFault(error: unknown): void {
  if (error instanceof StoppedFault) return;
  if (!(error instanceof Fault)) throw error;
  process.stderr.write(`repgen: ${error.message}\n`);
  process.exitCode = error instanceof UsageFault ? 2 : 1;
}
