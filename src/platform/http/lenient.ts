import { z } from 'zod';
import { visibleLine } from '../visible-line.ts';

/** A member of an event that was sent and could not be used. */
export interface UnusableMember {
  /** Its path, such as `customer.email`. */
  field: string;
  /** The start of what was sent; null when it is personal data, or no text. */
  value: string | null;
}

const BLANK = /^[\s\p{Cc}\p{Cf}]*$/u;

/** Forms and templates send these for what they don't have. */
export const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && BLANK.test(value));

/** An empty object, as PHP writes it. */
export const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** A member that may be left out, as a blank one is. Any other value has to match. */
export const optionalMember = <S extends z.ZodType>(schema: S) =>
  z.preprocess((given) => (isBlank(given) ? undefined : given), schema.optional()).optional();

/** Programs send ids and codes as numbers, too. */
const toText = (value: unknown): unknown => {
  if (isBlank(value)) return undefined;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
};

const MAX_SHOWN = 100;

/** The start of a text, as one visible line. Cut before it is cleaned: the cut may leave half of a surrogate pair. */
export const shownStart = (value: unknown): string | null =>
  typeof value === 'string' ? visibleLine(value.slice(0, MAX_SHOWN)) : null;

/** What was read of a lenient member. `usable` takes it apart. */
export class LenientValue<T> {
  readonly value: T | undefined;
  /** Set when something of it could not be used. */
  readonly unusable: { value: string | null } | null;

  constructor(value: T | undefined, unusable: { value: string | null } | null = null) {
    this.value = value;
    this.unusable = unusable;
  }
}

/**
 * An optional member that never makes an event invalid. A blank one is as if left out, and one that does not match the schema is reported
 * by `usable`. `json` is what the documents show of it.
 */
export const lenient = <S extends z.ZodType>(
  schema: S,
  { json = {}, isPersonal = false }: { json?: Record<string, unknown>; isPersonal?: boolean } = {},
) =>
  z
    .preprocess(
      toText,
      z.union([
        schema.transform((value) => new LenientValue<z.output<S>>(value)),
        z
          .unknown()
          .transform((value) =>
            value === undefined
              ? undefined
              : new LenientValue<z.output<S>>(undefined, { value: isPersonal ? null : shownStart(value) }),
          ),
      ]),
    )
    .meta({ override: { anyOf: undefined, ...json } })
    .optional();

type Atom = string | number | bigint | boolean | null | undefined | Date | readonly unknown[];
type Usable<T> = T extends LenientValue<infer V> ? V | undefined : T extends Atom ? T : { [K in keyof T]: Usable<T[K]> };

const isPlain = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

const takeApart = (value: unknown, field: string, unusable: UnusableMember[]): unknown => {
  if (value instanceof LenientValue) {
    if (value.unusable) unusable.push({ field, ...value.unusable });
    return value.value;
  }
  if (!isPlain(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    takeApart(member, field === '' ? name : `${field}.${name}`, unusable),
  ]);
  return Object.fromEntries(members);
};

/** The members that can be used, and in `unusable` those that cannot. For the transform of an object with lenient members. */
export const usable = <T extends object>(given: T): Usable<T> & { unusable: readonly UnusableMember[] } => {
  const unusable: UnusableMember[] = [];
  const members = takeApart(given, '', unusable) as object;
  // The type says what each member is taken apart into.
  return { ...members, unusable } as Usable<T> & { unusable: readonly UnusableMember[] };
};
