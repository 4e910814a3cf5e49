import { isNativeError } from 'node:util/types';
import type { FastifyBaseLogger } from 'fastify';
import { pino } from 'pino';

export type Logger = FastifyBaseLogger;

const HIDDEN = new Set(['email', 'secret', 'authorization', 'apiKey', 'value', 'signingSecret', 'paypalEmail', 'bankIban']);

/**
 * One JSON line per event. Callers pass ids and counts only; redaction is the second line of defense. Errors are reduced
 * to type, message, SQLSTATE and stack, because drivers attach queries and parameters to their errors.
 */
export const createLogger = (options: { level: string; process: string }): Logger =>
  pino({
    level: options.level,
    base: { process: options.process, pid: process.pid },
    formatters: { log: (fields) => hide(fields, 1) },
    serializers: { err: plainError },
  });

/** Redacts fields here and `levels` below. pino's wildcard paths make logging three times as expensive. */
const hide = (fields: Record<string, unknown>, levels: number): Record<string, unknown> => {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (HIDDEN.has(name)) shown[name] = '[hidden]';
    else shown[name] = levels > 0 && isPlain(value) ? hide(value, levels - 1) : value;
  }
  return shown;
};

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const plainError = (error: unknown): unknown => {
  // `instanceof` fails for errors of another realm.
  if (!isNativeError(error)) return { message: 'not an error object' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { type: error.name, message: withoutValues(error.message), code, stack: framesOf(error) };
};

/** Keeps the driver's own message: the ORM puts the statement with its values before it, and details after it. */
const withoutValues = (message: string): string => {
  const line = message.split('\n').findLast((line) => !line.startsWith(' - ')) ?? '';
  return line
    .slice(line.lastIndexOf(' - ') + 1)
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
