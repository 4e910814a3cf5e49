import { z } from 'zod';
import { REFERRAL_CODE } from '../../contracts/affiliates.ts';
import { CURRENCY_CODES } from '../../contracts/currencies.ts';
import { MAX_TRACKING_PARAMETERS, TRACKING_PARAMETER } from '../../contracts/tracking.ts';
import { parseEmail } from '../email.ts';
import { isCurrency, MAX_AMOUNT_MINOR } from '../money.ts';
import { withoutFormat } from '../visible-line.ts';
import { mapOf } from './map-of.ts';

/** A text of its own, not only the unit of its kind. */
const hasText = ({ description }: z.ZodType): boolean =>
  description !== undefined && !/^(UUID|Days|ISO (4217|8601)|Integer minor units)/.test(description);

/** Sent by a caller. Accepts any case and converts to lower case: ids are compared as text. */
export const uuid = z.uuid().toLowerCase().describe('UUID');

/*
 * Most values in responses are ids and times that Postgres or `Date` wrote, so only their form is checked: patterns took four fifths of
 * the time for checking a list.
 */
const hasFormOfUuid = (text: string): boolean =>
  text.length === 36 && text[8] === '-' && text[13] === '-' && text[18] === '-' && text[23] === '-';
const hasFormOfTimestamp = (text: string): boolean => text.length === 24 && text[10] === 'T' && text[23] === 'Z';

/** Used in responses. */
export const storedUuid = z
  .string()
  .refine(hasFormOfUuid)
  .meta({
    format: 'uuid',
    description: 'UUID',
    override: { pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' },
  });
/** Used in responses: with milliseconds. */
export const timestamp = z
  .string()
  .refine(hasFormOfTimestamp)
  .meta({
    format: 'date-time',
    description: 'ISO 8601, UTC',
    'x-unit': 'ISO 8601, UTC',
    override: { pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' },
  });

const FIRST_INSTANT_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_INSTANT_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Whether Postgres accepts it and every client can read it back. The format check handles text that is not a time. */
const isStorable = (text: string): boolean => {
  const ms = Date.parse(text);
  if (Number.isNaN(ms) || !/^\d{4}-/.test(text)) return true;
  const offsetHours = Number(/[+-](\d\d):\d\d$/.exec(text)?.[1] ?? 0);
  return offsetHours < 16 && ms >= FIRST_INSTANT_MS && ms <= LAST_INSTANT_MS;
};

/** Documents `isStorable` next to the pattern of the format, except for years that only the offset makes 0000 or 10000. */
const STORABLE_PATTERN = '^(?!0000).*(Z|[+-](0\\d|1[0-5]):\\d\\d)$';

/** Nanoseconds and an offset. Postgres rejects longer fractions. */
const MAX_INSTANT_LENGTH = 35;

/** A point in time sent by a caller: any offset, stored as UTC. */
export const instant = z.iso
  .datetime({ offset: true })
  .max(MAX_INSTANT_LENGTH)
  .refine(isStorable, 'must be in the years 0001 to 9999 in UTC, with an offset of less than 16 hours')
  .meta({
    description: 'ISO 8601 with offset or Z',
    'x-unit': 'ISO 8601 with offset or Z',
    override: { allOf: [{ pattern: STORABLE_PATTERN }] },
  });

const day = z.iso
  .date()
  .refine((text) => !text.startsWith('0000'), 'must be in the years 0001 to 9999')
  .meta({ override: { allOf: [{ pattern: '^(?!0000)' }] } });

/** A day that stands for all of it in the merchant's time zone, or a point in time. */
export const dayOrInstant = z.union([day, instant], 'must be an ISO 8601 date, or a date and time with Z or an offset');

export const MINOR_UNITS = { description: 'Integer minor units (cents)', 'x-unit': 'integer minor units, such as cents' };
export const amountMinor = z.int().meta(MINOR_UNITS);
export const positiveAmount = z.int().min(1).max(MAX_AMOUNT_MINOR).meta(MINOR_UNITS);

export const stringOrNull = z.string().nullable();
export const timestampOrNull = timestamp.nullable();

/** The fields of a request, each with the text that the field of this name has in the resource, unless it has its own. */
export const withTextsOf = <Fields extends Record<string, z.ZodType>>(resource: z.ZodObject, fields: Fields): Fields => {
  const described = Object.entries(fields).map(([name, field]) => {
    const text = (resource.shape[name] as z.ZodType | undefined)?.description;
    return [name, hasText(field) || text === undefined ? field : field.describe(text)];
  });
  return Object.fromEntries(described) as Fields;
};
/** zod's `multipleOf` tolerates the rounding of floating-point division, so the decimals are counted in the number's text. */
export const percent = z
  .number()
  .min(1)
  .max(100)
  .refine((value) => /^\d+(\.\d{1,2})?$/.test(String(value)), 'must have at most two decimals')
  .meta({ multipleOf: 0.01 });

export const currency = z
  .string()
  .length(3)
  .transform((text) => text.toLowerCase())
  .refine(isCurrency, 'must be an ISO 4217 currency code')
  .meta({ override: { type: 'string', enum: [...CURRENCY_CODES] } });

const MAX_CURRENCIES = 20;

/** Minor units by currency, in any case. */
export const amountsByCurrency = mapOf(z.record(currency, positiveAmount), {
  max: MAX_CURRENCIES,
  problem: `must name at most ${MAX_CURRENCIES} currencies`,
  documented: {
    propertyNames: { type: 'string', enum: [...CURRENCY_CODES] },
    additionalProperties: { type: 'integer', minimum: 1, maximum: MAX_AMOUNT_MINOR },
  },
});

/** Additional names of the query parameter that carries a referral code. */
export const trackingParameters = z
  .array(z.string().regex(TRACKING_PARAMETER, 'must be 1 to 32 characters from a-z, 0-9, _ and -'))
  .max(MAX_TRACKING_PARAMETERS);

const regions = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
/** Assigned codes that are no country: unknown, organizations and tests. */
const NO_COUNTRY = new Set(['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ']);
const isCountry = (code: string): boolean => /^[A-Z]{2}$/.test(code) && !NO_COUNTRY.has(code) && regions.of(code) !== undefined;

/** Accepts any case and converts to upper case. */
export const country = z
  .string()
  .length(2)
  .transform((text) => text.toUpperCase())
  .refine(isCountry, 'must be an ISO 3166-1 country code of two letters')
  .meta({ override: { type: 'string', pattern: '^[A-Za-z]{2}$' } });

/** Accepts any case and converts to lower case. */
export const referralCode = z
  .string()
  .toLowerCase()
  .regex(REFERRAL_CODE, 'must be 3 to 50 characters from A-Z, a-z, 0-9, _ and -')
  .meta({ override: { pattern: '^[A-Za-z0-9_-]{3,50}$' } });

const hasControlCharacter = /\p{Cc}/u;
const loneSurrogate = /\p{Cs}/u;
/** Used in the docs: no control characters, and not only spaces. */
const LINE_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\s\\u0000-\\u001f\\u007f-\\u009f][^\\u0000-\\u001f\\u007f-\\u009f]*$';

const lineOf = (text: z.ZodString, max: number) =>
  text
    .trim()
    .min(1)
    .max(max)
    .refine((text) => !hasControlCharacter.test(text) && !loneSurrogate.test(text), 'must be one line of plain text')
    .meta({ override: { pattern: LINE_PATTERN } });

/** One line of text, kept as it was sent: trimmed, no control characters, valid Unicode. */
export const line = (max: number) => lineOf(z.string(), max);

/** Has no quotes, in which a space could stand. */
const ADDRESS = /^[^\s@"]+(?: [^\s@"]+)*@[^\s@]*$/;

/** Like `line`, for addresses in a query, where a `+` that is not escaped stands for a space: `?email=ada+news@blog.example`. */
export const queryAddress = (max: number) =>
  lineOf(
    z.string().overwrite((text) => (ADDRESS.test(text) ? text.replaceAll(' ', '+') : text)),
    max,
  );

/** Like `line`, for what people write and read: computers write some characters in one part, some in two. */
export const nameLine = (max: number) => lineOf(z.string().normalize('NFC'), max);

/** Like `nameLine`, for what a bank compares: copied text brings invisible characters along. */
export const bankLine = (max: number) => lineOf(z.string().normalize('NFC').overwrite(withoutFormat), max);

/** Null characters are rejected: Postgres cannot store them. */
const plainText = (text: z.ZodString) =>
  text
    .refine((value) => !value.includes('\u0000') && !loneSurrogate.test(value), 'must be plain text')
    .meta({ override: { pattern: '^[^\\u0000]*$' } });

/** Several lines of text for people. */
export const paragraph = (max: number) => plainText(z.string().trim().max(max));

/** The content of a file, as it was sent: blanks at its ends may be cells. */
export const fileText = (max: number) => plainText(z.string().min(1).max(max));

/** Length as typed or pasted; the address itself is shorter. */
const MAX_TYPED_EMAIL = 320;

/** An address that this server writes to or pays to, with its domain in ASCII: see `parseEmail`. Its case is kept. */
export const emailAddress = z
  .string()
  .max(MAX_TYPED_EMAIL, { abort: true })
  .superRefine((text, { addIssue }) => {
    if (parseEmail(text) === null) addIssue({ code: 'invalid_format', format: 'email' });
  })
  .transform((text) => parseEmail(text) ?? text)
  .meta({ override: { type: 'string', format: 'email', maxLength: 254 } });

export const idParams = z.strictObject({ id: uuid.describe('Id of this object') });
/** Parameters of an affiliate's operations about one program. */
export const joinedProgramParams = z.strictObject({ id: uuid.describe('Program that you joined') });

/** Query strings carry text: "20" is 20; "", " 5" and "1e3" are rejected. */
export const queryInteger = (min: number, max: number) => {
  const message = `must be an integer between ${min} and ${max}`;
  return z
    .string()
    .regex(/^(0|[1-9]\d{0,9})$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
    .meta({ override: { type: 'integer', minimum: min, maximum: max } });
};
/** Like `queryInteger`, with up to this many decimals; from 0. */
export const queryDecimal = (max: number, decimals: number) =>
  z
    .string()
    .regex(new RegExp(`^(0|[1-9]\\d{0,9})(\\.\\d{1,${decimals}})?$`), `must be a number with at most ${decimals} decimals`)
    .transform(Number)
    .refine((value) => value <= max, `must be at most ${max}`)
    .meta({ override: { type: 'number', minimum: 0, maximum: max, multipleOf: 10 ** -decimals } });
export const queryBoolean = z.enum(['true', 'false']).transform((text) => text === 'true');

export const MAX_METADATA_KEYS = 20;
export const MAX_METADATA_BYTES = 2048;
const MAX_METADATA_KEY_CHARS = 100;

const metadataRecord = z
  .record(line(MAX_METADATA_KEY_CHARS), paragraph(MAX_METADATA_BYTES))
  .refine((data) => Buffer.byteLength(JSON.stringify(data)) <= MAX_METADATA_BYTES, 'must be at most 2 KB as JSON');
/** Data of a caller's own. */
export const ownMetadata = mapOf(metadataRecord, {
  max: MAX_METADATA_KEYS,
  problem: `must have at most ${MAX_METADATA_KEYS} keys`,
  documented: {
    propertyNames: { type: 'string', minLength: 1, maxLength: MAX_METADATA_KEY_CHARS, pattern: LINE_PATTERN },
    additionalProperties: { type: 'string' },
  },
});
