import { z } from 'zod';
import { INBOUND_WEBHOOKS, OPERATIONS, PUBLIC_ROUTES } from '../../src/api/routes.ts';
import { filesAt, readText } from './project.ts';

interface Check {
  _zod: { def: { check: string; format?: string; pattern?: RegExp; maximum?: number; length?: number } };
}

interface Def {
  type: string;
  checks?: readonly Check[];
  format?: string;
  pattern?: RegExp;
  shape?: Record<string, Schema>;
  [part: string]: unknown;
}

interface Schema {
  _zod: { def: Def };
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && '_zod' in value;

/** Anchored, and repeats nothing without a limit. */
const isBoundedPattern = (pattern: RegExp | undefined): boolean => {
  const source = pattern?.source.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/g, 'x') ?? '';
  return source.startsWith('^') && source.endsWith('$') && !/[*+]|\{\d+,\}/.test(source);
};

const isBounded = ({ checks = [], format, pattern }: Def): boolean =>
  format === 'uuid' ||
  isBoundedPattern(pattern) ||
  checks.some(
    ({ _zod: { def } }) => def.check === 'max_length' || def.check === 'length_equals' || isBoundedPattern(def.pattern),
  );

/** The paths of all texts of a schema without a length. The text of a pipe is what it takes; a union of texts is all of them. */
const unboundedIn = (schema: Schema, path: string, seen = new Set<Schema>()): string[] => {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const { def } = schema._zod;
  if (def.type === 'string') return isBounded(def) ? [] : [path];
  if (def.type === 'pipe' && isSchema(def['in']) && def['in']._zod.def.type !== 'transform')
    return unboundedIn(def['in'], path, seen);
  const shape = Object.entries(def.shape ?? {}).flatMap(([name, field]) => unboundedIn(field, `${path}.${name}`, seen));
  const parts = Object.entries(def).filter(([name]) => name !== 'shape' && name !== 'checks');
  const inner = parts.flatMap(([, part]) => [part].flat().filter(isSchema)).flatMap((part) => unboundedIn(part, path, seen));
  return [...shape, ...inner];
};

const unbounded = (schema: z.ZodType | undefined, path: string): string[] =>
  schema === undefined ? [] : unboundedIn(schema as unknown as Schema, path);

test('NS1: every text of a request has a length', () => {
  const found = OPERATIONS.flatMap(({ id, params, query, body }) => [
    ...unbounded(params, `${id} params`),
    ...unbounded(query, `${id} query`),
    ...unbounded(body, `${id} body`),
  ]);
  expect(found).toEqual([]);
});

test('NS1: every text of a request without a key has a length', () => {
  const found = PUBLIC_ROUTES.flatMap(({ id, params, query, body }) => [
    ...unbounded(params, `${id} params`),
    ...unbounded(query, `${id} query`),
    ...unbounded(body, `${id} body`),
  ]);
  expect(found).toEqual([]);
});

test('NS1: every text of a signed event has a length, also of what only its reader knows', () => {
  const found = INBOUND_WEBHOOKS.flatMap(({ id, body, parts = [] }) =>
    [body, ...parts].flatMap((schema, at) => unbounded(schema, `${id} ${at}`)),
  );
  expect(found).toEqual([]);
  const ofStripe = INBOUND_WEBHOOKS.find(({ id }) => id === 'receiveStripeEvent');
  expect(ofStripe?.parts?.length).toBeGreaterThan(5);
});

test('NS1: a text without a length is found wherever it stands', () => {
  const schema = z.object({
    plain: z.string(),
    list: z.array(z.string().trim()).max(3),
    either: z.union([z.int(), z.object({ text: z.string().min(1) })]).nullish(),
    map: z.record(z.string().max(3), z.string()),
    changed: z.string().transform(String),
    email: z.email(),
    open: z.string().regex(/^a+$/),
    ...{ bounded: z.string().max(3), code: z.string().regex(/^[a-z+*]{1,9}$/), id: z.uuid(), length: z.string().length(3) },
  });
  expect(unbounded(schema, '$')).toEqual(['$.plain', '$.list', '$.either.text', '$.map', '$.changed', '$.email', '$.open']);
});

/** Where schemas of messages of providers are, apart from the wire files. */
const OF_PROVIDERS = [
  'src/domains/conversions/stripe/*.ts',
  'src/domains/billing/*.ts',
  'src/domains/payouts/rails/*.ts',
  'src/platform/stripe/*.ts',
];

test('NS1: no schema of a message of a provider has a text without a length', () => {
  const files = filesAt(...OF_PROVIDERS).filter((path) => !path.endsWith('.wire.ts'));
  const texts = files.flatMap((path) =>
    [...readText(path).matchAll(/z\s*\.(?:string|email|url)\(\)((?:\s*\.\w+\([^()]*\))*)/g)].map(([whole, checks = '']) => ({
      path,
      whole,
      checks,
    })),
  );
  expect(texts.length).toBeGreaterThan(5);
  const settings = /_(URL|KEY|SECRET)\b/;
  const wrong = texts.filter(({ path, whole, checks }) => {
    const line =
      readText(path)
        .split('\n')
        .find((text) => text.includes(whole.split('\n')[0] ?? '')) ?? '';
    return !/\.(max|length|regex)\(/.test(checks) && !settings.test(line);
  });
  expect(wrong.map(({ path, whole }) => `${path}: ${whole}`)).toEqual([]);
});
