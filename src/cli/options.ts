import { CommanderError, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { KEY_PREFIXES, KEY_TYPES, type KeyType, type Preset, SCOPES, type Scope } from '../contracts/scopes.ts';
import { instant, line } from '../platform/http/schemas.ts';
import type { KeyOwner } from './operator.ts';

/** Reads the text of one option; a refusal becomes the one line on standard error. */
const as =
  <S extends z.ZodType>(schema: S, rule: string) =>
  (text: string): z.output<S> => {
    const read = schema.safeParse(text);
    if (!read.success) throw new InvalidArgumentError(`It ${rule}.`);
    return read.data;
  };

export const uuid = as(z.uuid(), 'must be a UUID');
export const email = as(z.email().max(254), 'must be an e-mail address');
export const shortLine = as(line(100), 'must be one line of 1 to 100 characters');
export const scopeList = as(
  z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(SCOPES as [Scope, ...Scope[]])).min(1)),
  'must list scopes of the API, separated by commas',
);
export const perMinute = as(
  z
    .string()
    .regex(/^[1-9]\d{0,6}$/)
    .transform(Number),
  'must be a whole number of requests a minute, 1 to 9999999',
);
export const perMinuteOrTier = (text: string): number | 'tier' => (text === 'tier' ? text : perMinute(text));
export const moment = as(
  instant.transform((text) => new Date(text)),
  'must be a time in ISO 8601 with Z or an offset',
);

/** `ak_live_` is told as `live`. */
export const TYPE_WORDS = new Map(KEY_TYPES.map((type) => [KEY_PREFIXES[type].slice(3, -1), type]));

export interface KeyOptions {
  merchant?: string;
  affiliate?: string;
  type?: string;
  preset?: Preset;
  scopes?: Scope[];
  rateLimit?: number;
  expiresAt?: Date;
  name: string;
}

const usage = (message: string): CommanderError => new CommanderError(1, 'admin.usage', `error: ${message}`);

/** Whose key it is to be, and of which type; the type follows from the owner when none is given. */
export const ownerAndType = ({ merchant, affiliate, type }: KeyOptions): { owner: KeyOwner; keyType: KeyType } => {
  if (merchant !== undefined && affiliate !== undefined) throw usage('give --merchant or --affiliate, not both');
  const id = merchant ?? affiliate;
  if (id === undefined) throw usage('give the owner of the key: --merchant <id> or --affiliate <profile id>');
  const kind = merchant === undefined ? 'affiliate' : 'merchant';
  const keyType = type === undefined ? kind : TYPE_WORDS.get(type);
  if (keyType === undefined || (keyType === 'affiliate') !== (kind === 'affiliate')) {
    throw usage(`a key of type ${type} does not belong to --${kind}: merchants have live and onb keys, affiliates aff keys`);
  }
  return { owner: { kind, id }, keyType };
};
