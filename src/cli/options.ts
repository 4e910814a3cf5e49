import { CommanderError, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { KEY_PREFIXES, KEY_TYPES, type Preset, SCOPES, type Scope } from '../contracts/scopes.ts';
import { emailAddress, instant, nameLine } from '../platform/http/schemas.ts';

/** Parses the text of one option; an invalid one is reported on one line of standard error. */
const option =
  <S extends z.ZodType>(schema: S, rule: string) =>
  (text: string): z.output<S> => {
    const parsed = schema.safeParse(text);
    if (!parsed.success) throw new InvalidArgumentError(`It ${rule}.`);
    return parsed.data;
  };

export const uuid = option(z.uuid(), 'must be a UUID');
export const email = option(emailAddress, 'must be an email address');
/** The address of the person to look for: what customers entered may not be a valid address. */
export const anyEmail = option(z.string().trim().min(1).max(320), 'must be an email address');
export const shortLine = option(nameLine(100), 'must be one line of 1 to 100 characters');
export const scopeList = option(
  z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(SCOPES as [Scope, ...Scope[]])).min(1)),
  `must be a comma-separated list of scopes: ${SCOPES.join(', ')}`,
);
export const requestsPerMinute = option(
  z
    .string()
    .regex(/^[1-9]\d{0,6}$/)
    .transform(Number),
  'must be a number of requests per minute, 1 to 9999999',
);
export const requestsPerMinuteOrTier = (text: string): number | 'tier' => (text === 'tier' ? text : requestsPerMinute(text));
export const sequenceNumber = option(z.string().regex(/^[1-9]\d{0,17}$/), 'must be the number of a row');
export const rowLimit = option(
  z
    .string()
    .regex(/^[1-9]\d{0,3}$/)
    .transform(Number),
  'must be a number of rows, 1 to 9999',
);
export const tcpPort = option(z.coerce.number().int().min(0).max(65_535), 'must be a port, 0 to 65535');
export const webOrigin = option(
  z.url({ protocol: /^https?$/ }).refine((text) => URL.canParse(text) && new URL(text).origin === text, { abort: true }),
  'must be an origin such as https://temporal.example.com, without a path',
);
export const percentage = option(
  z
    .string()
    .regex(/^(\d|[1-9]\d|100)$/)
    .transform(Number),
  'must be a whole number, 0 to 100',
);
export const waitSeconds = option(
  z
    .string()
    .regex(/^\d{1,3}$/)
    .transform(Number),
  'must be a number of seconds, 0 to 999',
);
export const stripeSecret = option(
  z.string().regex(/^whsec_[\x21-\x7e]{16,200}$/),
  'must be a signing secret of Stripe: whsec_…',
);
export const timestamp = option(
  instant.transform((text) => new Date(text)),
  'must be an ISO 8601 timestamp with Z or an offset',
);

export const dayOrMonth = (schema: z.ZodType<string>) =>
  option(schema, 'must be a day such as 2026-03-31 or a month such as 2026-03');
export const calendarMonth = option(z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/), 'must be a month such as 2026-03');

/** Key types by the word in their prefix: `live` stands for `ak_live_`. */
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

export const usage = (message: string): CommanderError => new CommanderError(1, 'admin.usage', `error: ${message}`);

/** The owner of the key, and its type; without `--type` it follows from the owner. */
export const ownerAndType = ({ merchant, affiliate, type }: KeyOptions) => {
  if (merchant !== undefined && affiliate !== undefined) throw usage('pass --merchant or --affiliate, not both');
  const ownerId = merchant ?? affiliate;
  if (ownerId === undefined) throw usage('pass the owner of the key: --merchant <id> or --affiliate <profile id>');
  const ownerKind = merchant === undefined ? 'affiliate' : 'merchant';
  const keyType = type === undefined ? ownerKind : TYPE_WORDS.get(type);
  if (keyType === undefined || (keyType === 'affiliate') !== (ownerKind === 'affiliate')) {
    throw usage(`--${ownerKind} cannot own a key of type ${type}: merchants own live and onb keys, affiliates own aff keys`);
  }
  return { ownerKind, ownerId, keyType } as const;
};
