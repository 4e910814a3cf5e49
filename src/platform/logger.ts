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
  return { ...identifiersOf(error), message: withoutValues(error.message), stack: framesOf(error) };
};

/** Identifiers of the program and the schema, never values. */
export interface ErrorIdentifiers {
  type: string;
  /** SQLSTATE, or a system error such as ECONNREFUSED. */
  code?: string;
  constraint?: string;
}

const IDENTIFIER = /^\w{1,63}$/;

const identifierIn = <Name extends string>(error: object, name: Name): Partial<Record<Name, string>> => {
  const value = (error as Record<string, unknown>)[name];
  return typeof value === 'string' && IDENTIFIER.test(value) ? ({ [name]: value } as Record<Name, string>) : {};
};

/** What may be stored where messages may not. */
export const identifiersOf = (error: unknown): ErrorIdentifiers => {
  if (!isNativeError(error)) return { type: 'Error' };
  // The class: the driver names all its errors "error".
  const type = IDENTIFIER.test(error.constructor.name) ? error.constructor.name : 'Error';
  return { type, ...identifierIn(error, 'code'), ...identifierIn(error, 'constraint') };
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
