import { z } from 'zod';
import { OPERATIONS } from '../../../src/api/routes.ts';
import type { Operation } from '../../../src/platform/http/operation.ts';
import { useTestApi } from '../../support/api.ts';
import { REJECTED_TEXTS } from '../../support/limits.ts';
import { callOperation, makeOwner, makerOf, nameOf, ownBody, ownerTypeOf, table, withBody } from './support.ts';

const api = useTestApi();

/** Stored as given, where a field takes free text. */
const ACCEPTED: Readonly<Record<string, string>> = {
  emoji: '👩‍👩‍👧 Ωmega 🇩🇪',
  'right to left': 'שלום \u202eمرحبا\u202c',
  combining: 'Z̷̰̽ạ̴̈́l̸̻̈́g̵̨̈́o',
  'not a number': '１２３ ٤٥٦',
};

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

type Path = (string | number)[];

const isText = ({ type }: Schema): boolean => type === 'string' || (Array.isArray(type) && type.includes('string'));

/** Where a body has text, in objects and lists of every depth. */
const textsOf = (schema: Schema, path: Path = []): Path[] => [
  ...(isText(schema) ? [path] : []),
  ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => textsOf(field, [...path, name])),
  ...(schema.items ? textsOf(schema.items, [...path, 0]) : []),
  ...[schema.anyOf, schema.oneOf, schema.allOf].flatMap((some) => (some ?? []).flatMap((one) => textsOf(one, path))),
];

const schemaOf = (schema: z.ZodType | undefined): Schema =>
  schema ? (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema) : {};

const pathsOf = (op: Operation): Path[] => {
  const found = new Map(textsOf(schemaOf(op.body)).map((path) => [path.join('.'), path]));
  return [...found.values()];
};

/** A copy of the body with the text in its place. */
const withText = (body: unknown, [name, ...rest]: Path, text: string): unknown => {
  if (name === undefined) return text;
  if (typeof name === 'number') {
    const [first, ...others] = Array.isArray(body) ? body : [];
    return [withText(first, rest, text), ...others];
  }
  const fields = typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
  return { ...fields, [name]: withText(fields[name], rest, text) };
};

interface Own {
  key: string;
  id?: string;
  body?: unknown;
}

const makeOwn = async (op: Operation): Promise<Own> => {
  if (!op.path.includes('{id}')) return { ...(await makeOwner(api, ownerTypeOf(op))), body: op.example.body };
  const own = await makerOf(op)(api);
  return { ...own, body: ownBody(op, own) };
};

test('the texts of bodies are found', () => {
  const texts = withBody.flatMap(pathsOf);
  expect(texts.length).toBeGreaterThan(80);
  expect(texts.filter((path) => path.length > 1).length).toBeGreaterThan(5);
});

describe.each(table(withBody.filter((op) => pathsOf(op).length > 0)))('%s', (_name, op) => {
  let own: Own;
  beforeAll(async () => {
    own = await makeOwn(op);
  });
  const send = (path: Path, text: string) => callOperation(api, op, { ...own, body: withText(own.body, path, text) });

  it.each(pathsOf(op).map((path) => [path.join('.'), path] as const))(
    '%s: 422 for text that cannot be stored',
    async (_path, path) => {
      for (const [kind, text] of Object.entries(REJECTED_TEXTS)) {
        const { status, error } = await send(path, text);
        expect([kind, status, error?.code]).toEqual([kind, 422, 'VALIDATION_ERROR']);
      }
    },
  );

  it.each(pathsOf(op).map((path) => [path.join('.'), path] as const))('%s: stored as given, or refused', async (name, path) => {
    for (const [kind, text] of Object.entries(ACCEPTED)) {
      const { status, data } = await send(path, text);
      expect([kind, status, [200, 201, 403, 404, 409, 422].includes(status)]).toEqual([kind, status, true]);
      const stored = status < 300 && path.length === 1 ? data?.[name] : undefined;
      if (typeof stored === 'string') expect(stored).toBe(text);
    }
  });
});

/** Made once for each operation: what is read does not change it. */
const owns = new Map<Operation, Promise<Own>>();
const ownOf = (op: Operation): Promise<Own> => {
  const made = owns.get(op) ?? makeOwn(op);
  owns.set(op, made);
  return made;
};

const PARAMETERS = OPERATIONS.flatMap((op) =>
  Object.keys(schemaOf(op.query).properties ?? {}).map((name): [string, string, Operation] => [nameOf(op), name, op]),
);

/** As they are sent: with escapes that are no UTF-8 too. */
const SENT_TEXTS = [
  'a%00b',
  '%ED%A0%80',
  '%FF',
  'x'.repeat(3_000),
  encodeURIComponent(Object.values(ACCEPTED).join(' ')),
  '%27%22%5C;--',
];

test.each(PARAMETERS)('%s %s: any text is a filter without matches, or 400', async (_name, parameter, op) => {
  const { key, id = '' } = await ownOf(op);
  for (const text of SENT_TEXTS) {
    const { status } = await api.call(op.method, `${op.path.replace('{id}', id)}?${parameter}=${text}`, {
      key,
      ...(op.body ? { body: op.example.body } : {}),
    });
    expect([text, status, [200, 201, 400, 404].includes(status)]).toEqual([text, status, true]);
  }
});
