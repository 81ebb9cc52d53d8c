import { type Logger, pino } from "pino";

/** One JSON line an event, to standard error; nothing that a report or a model wrote goes into the message itself. */
export function createLog(level: string): Logger {
  return pino({ level, base: null }, pino.destination({ fd: 2, sync: true }));
}
