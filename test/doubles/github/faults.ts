/** An answer that says nothing of the state, none at all ("hang"), or a connection that breaks ("reset"). */
export type Fault = { status: number; headers?: Record<string, string>; body?: unknown } | "hang" | "reset";

export interface FaultMatch {
  /** Any where it is not given. */
  method?: string;
  /** Tried on the path without its query. */
  path: RegExp;
}

/** Faults on demand, the first asked for first. */
export interface Faults {
  /** The next `times` requests that match get the fault. */
  add(match: FaultMatch, fault: Fault, times: number): void;
  /** The fault that a request gets, which is then used up; null for none. */
  take(method: string, path: string): Fault | null;
}

export function createFaults(): Faults {
  const due: { match: FaultMatch; fault: Fault; times: number }[] = [];
  return {
    add: (match, fault, times) => due.push({ match, fault, times }),
    take(method, path) {
      const found = due.find(
        ({ match, times }) => times > 0 && (match.method ?? method) === method && match.path.test(path),
      );
      if (found === undefined) return null;
      found.times -= 1;
      return found.fault;
    },
  };
}
