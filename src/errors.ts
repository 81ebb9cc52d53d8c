/**
 * Faults: what is thrown. Everything else a run can meet is a value (an outcome) or goes back to the model (feedback).
 */

/**
 * Base of all faults. `retryable`: may the same call succeed later, with nothing changed. `retryAfterMs`: when whoever
 * refused it says to come again; null without a word of that.
 */
export abstract class Fault extends Error {
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;

  constructor(message: string, options: { retryable: boolean; retryAfterMs?: number | null; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = new.target.name;
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** The sandbox itself cannot run (no engine, no image, no bubblewrap). A script that fails is not a fault. */
export class SandboxFault extends Fault {}

/** The model endpoint gave no usable answer after its retries. `status` is the HTTP status, null without one. */
export class LanguageModelFault extends Fault {
  readonly status: number | null;

  constructor(message: string, options: { retryable: boolean; status: number | null; cause?: unknown }) {
    super(message, options);
    this.status = options.status;
  }
}

/** The issue cannot be read: it does not exist, access is refused, or the file is not one. */
export class IssueFault extends Fault {}

/** The repository or the ref cannot be had. */
export class RepositoryFault extends Fault {}

/** The harness in the sandbox broke its contract: no result, or one that does not parse. */
export class HarnessFault extends Fault {}

/** A prompt template and its variables do not fit, or a recording does not hold the call. A mistake of ours. */
export class DefectFault extends Fault {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, { retryable: false, cause: options.cause });
  }
}

/** Wrong usage of the command line: what is wrong and what to write. */
export class UsageFault extends Fault {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, { retryable: false, cause: options.cause });
  }
}

/** The environment for candidates cannot be built; `reason` is the installer's own words in one sentence. Ends a run as `unsupported-environment`. */
export class EnvironmentFault extends Fault {
  readonly reason: string;
  readonly log: string;

  constructor(message: string, options: { reason: string; log: string; cause?: unknown }) {
    super(message, { retryable: false, cause: options.cause });
    this.reason = options.reason;
    this.log = options.log;
  }
}

/** Tokens, attempts or time ran out. Ends a run as `budget-exhausted`, with the best so far. */
export class BudgetFault extends Fault {
  constructor(message: string) {
    super(message, { retryable: false });
  }
}

/** Redis does not answer. */
export class RedisFault extends Fault {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, { retryable: true, cause: options.cause });
  }
}

/** Another process is at the same thing; it will be done with it. */
export class BusyFault extends Fault {
  constructor(message: string, options: { retryAfterMs?: number } = {}) {
    super(message, { retryable: true, ...options });
  }
}

/** GitHub did not do what was asked. `status` is the HTTP status, null without an answer. */
export class ForgeFault extends Fault {
  readonly status: number | null;

  constructor(
    message: string,
    options: { retryable: boolean; status: number | null; retryAfterMs?: number | null; cause?: unknown },
  ) {
    super(message, options);
    this.status = options.status;
  }
}

/** A limit is used up; from some time on it is not. */
export class LimitFault extends Fault {
  constructor(message: string, options: { retryAfterMs: number }) {
    super(message, { retryable: true, ...options });
  }
}

/** A run ended by a fault that can pass; it is taken up again. */
export class WorkerFault extends Fault {
  constructor(message: string) {
    super(message, { retryable: true });
  }
}

/** Whoever started the process wants it to end. */
export class StoppedFault extends Fault {
  constructor(message: string) {
    super(message, { retryable: false });
  }
}
