import { isNativeError } from 'node:util/types';
import type { FastifyBaseLogger } from 'fastify';
import { pino } from 'pino';

export type Logger = FastifyBaseLogger;

const HIDDEN = new Set(['email', 'secret', 'authorization', 'apiKey', 'value', 'signingSecret', 'paypalEmail', 'bankIban']);

/**
 * One JSON line per event. Callers pass ids and counts; the redaction list is the second fence, not the first.
 * Errors are cut to type, message, SQLSTATE and stack: drivers hang queries and parameters on their errors.
 */
export const createLogger = (options: { level: string; process: string }): Logger =>
  pino({
    level: options.level,
    base: { process: options.process, pid: process.pid },
    formatters: { log: (facts) => hide(facts, 1) },
    serializers: { err: plainError },
  });

/** Of these facts and of those one level below. The library's own way, paths with wildcards, costs three lines a line. */
const hide = (facts: Record<string, unknown>, levels: number): Record<string, unknown> => {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(facts)) {
    if (HIDDEN.has(name)) shown[name] = '[hidden]';
    else shown[name] = levels > 0 && isPlain(value) ? hide(value, levels - 1) : value;
  }
  return shown;
};

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const plainError = (error: unknown): unknown => {
  // Not `instanceof`: an error may come from another realm.
  if (!isNativeError(error)) return { message: 'not an error object' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { type: error.name, message: withoutValues(error.message), code, stack: framesOf(error) };
};

/** The ORM puts the statement with its values before the driver's words, and details behind them: only the words stay. */
const withoutValues = (message: string): string => {
  const said = message.split('\n').findLast((line) => !line.startsWith(' - ')) ?? '';
  const words = said.slice(said.lastIndexOf(' - ') + 1);
  return words
    .replace(/: ".*"/g, ': "…"')
    .replace(/\(([^()]*)\)=\(.*\)/g, '($1)=(…)')
    .slice(0, 300);
};

const framesOf = (error: Error): string | undefined =>
  error.stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, 12)
    .join('\n');
