import { z } from 'zod';

export interface InputSchema {
  type?: string | string[];
  format?: string;
  properties?: Record<string, InputSchema>;
  additionalProperties?: boolean | InputSchema;
  items?: InputSchema;
  anyOf?: InputSchema[];
  oneOf?: InputSchema[];
  allOf?: InputSchema[];
}

/** Names, and 0 for the items of a list. */
export type InputPath = readonly (string | number)[];

export interface InputPart {
  path: InputPath;
  schema: InputSchema;
}

const partsOf = (schema: InputSchema, path: InputPath): InputPart[] => [
  { path, schema },
  ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => partsOf(field, [...path, name])),
  ...(schema.items ? partsOf(schema.items, [...path, 0]) : []),
  ...[schema.anyOf, schema.oneOf, schema.allOf].flatMap((some) => (some ?? []).flatMap((one) => partsOf(one, path))),
];

/** What a caller may send: the whole, its fields and items, and theirs, in every alternative. */
export const inputParts = (schema: z.ZodType | undefined): InputPart[] =>
  schema ? partsOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as InputSchema, []) : [];

const isText = ({ type }: InputSchema): boolean => [type].flat().includes('string');

const distinct = (paths: InputPath[]): InputPath[] => [...new Map(paths.map((path) => [path.join('.'), path])).values()];

export const textPaths = (schema: z.ZodType | undefined): InputPath[] =>
  distinct(
    inputParts(schema)
      .filter((part) => isText(part.schema))
      .map(({ path }) => path),
  );

export const timePaths = (schema: z.ZodType | undefined): InputPath[] =>
  distinct(
    inputParts(schema)
      .filter((part) => part.schema.format === 'date-time')
      .map(({ path }) => path),
  );

/** A copy with the value in its place; what is missing on the way is made. */
export const withValue = (given: unknown, [name, ...rest]: InputPath, value: unknown): unknown => {
  if (name === undefined) return value;
  if (typeof name === 'number') {
    const [first, ...others] = Array.isArray(given) ? given : [];
    return [withValue(first, rest, value), ...others];
  }
  const fields = typeof given === 'object' && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
  return { ...fields, [name]: withValue(fields[name], rest, value) };
};

export const valueAt = (given: unknown, path: InputPath): unknown =>
  path.reduce<unknown>((value, name) => (value as Readonly<Record<string | number, unknown>> | undefined)?.[name], given);
