type Predicate = (value: unknown) => boolean;

/** Whether a value is an object with these fields. Others are ignored: a newer version may send them. */
export const isObjectOf =
  <T extends object>(fields: { readonly [K in keyof T]-?: Predicate }) =>
  (value: unknown): value is T =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries<Predicate>(fields).every(([name, isField]) => isField((value as Record<string, unknown>)[name]));

export const isText: Predicate = (value) => typeof value === 'string';
export const isCount: Predicate = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
export const isFlag: Predicate = (value) => typeof value === 'boolean';
export const isTime: Predicate = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value));
export const isOneOf =
  (values: readonly unknown[]): Predicate =>
  (value) =>
    values.includes(value);
export const isNullOr =
  (isValue: Predicate): Predicate =>
  (value) =>
    value === null || isValue(value);
/** Accepts a missing field, which signals of an earlier version lack. */
export const isOptional =
  (isValue: Predicate): Predicate =>
  (value) =>
    value === undefined || isValue(value);
export const isListOf =
  (isValue: Predicate, most: number): Predicate =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.every(isValue);
