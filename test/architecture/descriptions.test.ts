import { GUIDES } from '../../src/api/guides.ts';
import { createOpenApi } from '../../src/api/openapi.ts';
import { INBOUND_WEBHOOKS, OPERATIONS, PUBLIC_ROUTES } from '../../src/api/routes.ts';
import { ERRORS } from '../../src/contracts/error-codes.ts';
import { line } from '../../src/platform/http/schemas.ts';
import { filesAt, readText } from './project.ts';

interface Node {
  name?: string;
  operationId?: string;
  description?: string;
  properties?: Record<string, Node>;
  parameters?: Node[];
  [other: string]: unknown;
}

const document = JSON.parse(JSON.stringify(createOpenApi(OPERATIONS, INBOUND_WEBHOOKS)));

/** Every field and parameter with its place, wherever it is in the document. Examples are no schemas. */
const describedParts = (node: Node, place: string): { place: string; name: string; description: string }[] => {
  const parts = Object.entries(node.properties ?? {}).map(([name, field]) => ({ name, field }));
  const parameters = (node.parameters ?? []).map((field) => ({ name: field.name ?? '', field }));
  const own = [...parts, ...parameters].map(({ name, field }) => ({ place, name, description: field.description ?? '' }));
  const inner = Object.entries(node).flatMap(([key, child]) =>
    key === 'example' || key === 'examples' || typeof child !== 'object' || child === null
      ? []
      : describedParts(child as Node, `${place}/${(child as Node).operationId ?? key}`),
  );
  return [...own, ...inner];
};

const UNIT_ONLY = /^(UUID|Days|ISO \d+, [a-zA-Z ]+|ISO 8601 with offset or Z|Integer minor units \(cents\))$/;

const parts = describedParts(document, '');
const operations = Object.entries(document.paths as Record<string, Record<string, Node>>).flatMap(([path, item]) =>
  Object.values(item)
    .filter(({ operationId }) => operationId !== undefined)
    .map((operation) => ({ path, operation })),
);
const wordsOf = (text: string): string =>
  (text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [])
    .map((word) => word.toLowerCase())
    .filter((word) => !['a', 'an', 'the', 'of', 'its', 'this'].includes(word))
    .sort()
    .join(' ');

test('N5: every field and parameter is described, with more than its own name', () => {
  expect(parts.length).toBeGreaterThan(300);
  const wrong = parts.filter(
    ({ name, description }) => description.length < 5 || wordsOf(description) === wordsOf(name) || UNIT_ONLY.test(description),
  );
  expect(wrong.map(({ place, name, description }) => `${place}: ${name} "${description}"`)).toEqual([]);
});

test('N5: fields with amounts and times state their unit', () => {
  const schemas = Object.values(document.components.schemas as Record<string, Node>);
  const fields = schemas.flatMap((schema) => Object.entries(schema.properties ?? {}));
  const times = fields.filter(([, field]) => field['format'] === 'date-time');
  const amounts = fields.filter(([name]) => /[aA]mount$|[tT]hreshold$|^commission$/.test(name));
  expect(times.filter(([, { description = '' }]) => !description.includes('ISO 8601')).map(([name]) => name)).toEqual([]);
  expect(amounts.filter(([, { description = '' }]) => !description.includes('minor units')).map(([name]) => name)).toEqual(
    amounts.filter(([, { type }]) => type === 'boolean').map(([name]) => name),
  );
});

interface Schema extends Node {
  type?: string | string[];
  anyOf?: Schema[];
  items?: Schema;
}

/** A schema and those inside it, each with the description that applies to it. */
const withInner = (schema: Schema, place: string, outer = ''): { place: string; schema: Schema; description: string }[] => {
  const description = schema.description ?? outer;
  return [
    { place, schema, description },
    ...(schema.anyOf ?? []).flatMap((part) => withInner(part, place, description)),
    ...(schema.items ? withInner(schema.items, `${place}[]`, description) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) => withInner(part, `${place}.${name}`)),
  ];
};

const WITHIN = /\d+ to [\d,]+ |at most \d/;
const isBounded = (limit: unknown): boolean => limit !== undefined && Math.abs(Number(limit)) !== Number.MAX_SAFE_INTEGER;
const isClosed = (schema: Schema): boolean => ['enum', 'const', 'format'].some((keyword) => schema[keyword] !== undefined);

/** The limit is a keyword of the schema; that of a pattern, or one that depends on other fields, is in the description. */
const statesLimit = (schema: Schema, description: string): boolean => {
  const types = [schema.type].flat();
  if (types.includes('array')) return isBounded(schema['maxItems']);
  if (types.includes('integer') || types.includes('number')) {
    const ends = isBounded(schema['minimum'] ?? schema['exclusiveMinimum']) && isBounded(schema['maximum']);
    return ends || schema['const'] !== undefined || WITHIN.test(description);
  }
  return !types.includes('string') || isClosed(schema) || isBounded(schema['maxLength']) || WITHIN.test(description);
};

test('every number, text and list in a request states its limits', () => {
  const own = operations.filter(({ path }) => document.paths[path].servers === undefined);
  const inputs = own.flatMap(({ operation }) => {
    const { operationId = '', parameters = [] } = operation;
    const body = (operation['requestBody'] as { content: Record<string, { schema: Schema }> } | undefined)?.content;
    return [
      ...parameters.flatMap(({ name, description, schema }) =>
        withInner(schema as Schema, `${operationId} ${name}`, description ?? ''),
      ),
      ...(body ? withInner(body['application/json']?.schema ?? {}, operationId) : []),
    ];
  });
  expect(inputs.length).toBeGreaterThan(500);
  const unlimited = inputs.filter(({ schema, description }) => !statesLimit(schema, description));
  expect(unlimited.map(({ place, description }) => `${place}: ${description}`)).toEqual([]);
});

test('N5: every operation is described, with more than its summary', () => {
  const missing = OPERATIONS.filter(({ description = '' }) => description === '');
  expect(missing.map(({ id }) => id)).toEqual([]);
});

test('N5: every group is described, and the guides open the document', () => {
  const tags = document.tags as Node[];
  expect(tags.filter(({ description = '' }) => description.length < 10)).toEqual([]);
  expect(document.info).toMatchObject({
    title: 'Tributary API reference',
    description: expect.stringMatching(/^# Start here\n\n## Overview\n/),
  });
  expect(filesAt('docs/guides/*.md')).toEqual(expect.arrayContaining(GUIDES.map((guide) => `docs/guides/${guide}.md`)));
  expect(document.info.description).not.toMatch(/\]\([a-z-]+\.md\)/);
});

test('N8: affiliateId is the membership everywhere, and the description of /me says that its own is the profile', () => {
  const ids = parts.filter(({ name }) => name === 'affiliateId');
  expect(ids.length).toBeGreaterThan(8);
  const others = ids.filter(({ description }) => !/membership/.test(description));
  expect(others).toEqual([]);
  expect(ids.filter(({ place }) => place.endsWith('/AffiliateOwner')).map(({ description }) => description)).toEqual([
    expect.stringMatching(/^The profile of the person/),
  ]);
});

test('N8: each kind of pending amount says what it counts', () => {
  const ofMoney = parts.filter(({ name, place }) => /pending/i.test(name) && !place.includes('/WebhookEndpointHealth'));
  const pending = new Set(ofMoney.map(({ description }) => description));
  expect([...pending].filter((text) => !/hold period|pending or processing/.test(text))).toEqual([]);
  expect(pending.size).toBe(4);
});

test('N5: the container image contains the guides, which the API reads when it starts', () => {
  expect(readText('Dockerfile')).toContain('COPY docs/guides ./docs/guides');
  const ignored = filesAt('.dockerignore').map(readText);
  expect(
    ignored.filter((text) => text.startsWith('*') || text.includes('\n*\n')).every((text) => text.includes('!docs/guides')),
  ).toBe(true);
});

/** Each provider of a merchant's account signs in its own way. */
const SIGNATURE_HEADERS = {
  standard: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  stripe: ['stripe-signature'],
  own: [],
} as const;

test('N3: the signed endpoints are documented on the origin of the server', () => {
  expect(operations.length).toBe(OPERATIONS.length + INBOUND_WEBHOOKS.length + PUBLIC_ROUTES.length + 1);
  for (const { path, id, signature } of INBOUND_WEBHOOKS) {
    const { servers, post } = document.paths[path];
    expect({ id: post.operationId, servers }).toEqual({ id, servers: [{ url: '/' }] });
    const headers = (post.parameters as Node[]).filter((parameter) => parameter['in'] === 'header');
    expect(headers.map(({ name }) => name)).toEqual(SIGNATURE_HEADERS[signature ?? 'standard']);
  }
  expect(document.paths['/openapi.json'].get.responses[200]).toBeDefined();
});

test('N3: the examples of the signed endpoints match their schemas', () => {
  const wrong = INBOUND_WEBHOOKS.flatMap(({ id, body, reply, examples }) => [
    ...Object.entries(examples.bodies).map(([name, value]) => [`${id} ${name}`, body.safeParse(value).success] as const),
    [`${id} reply`, reply.safeParse(examples.data).success] as const,
  ]).filter(([, matches]) => !matches);
  expect(wrong).toEqual([]);
});

test('public routes are documented on the origin of the server, and their examples match their schemas', () => {
  for (const { path, id, method, body, exampleBody, responses } of PUBLIC_ROUTES) {
    const item = document.paths[path];
    expect({ id: item[method.toLowerCase()].operationId, servers: item.servers }).toEqual({ id, servers: [{ url: '/' }] });
    expect(body?.safeParse(exampleBody).success ?? true).toBe(true);
    expect(responses[200]?.schema?.safeParse(responses[200].example).success ?? true).toBe(true);
  }
});

test('H14: error codes, the idempotency key, scopes or preset, currencies and pagination are documented as enforced', () => {
  for (const { operation } of operations) {
    const codes = operation['x-error-codes'] as (keyof typeof ERRORS)[];
    const statuses = Object.keys(operation['responses'] as object);
    expect(codes.map((code) => String(ERRORS[code].status)).filter((status) => !statuses.includes(status))).toEqual([]);
  }
  const parameter = (path: string, method: string, name: string) =>
    document.paths[path][method].parameters.find((one: Node) => one.name === name);
  expect(parameter('/payouts', 'post', 'Idempotency-Key').schema.pattern).toBe('^[\\x21-\\x7e]{0,255}$');
  const bodyOf = (path: string, method: string) => document.paths[path][method].requestBody.content['application/json'].schema;
  expect(bodyOf('/auth/keys', 'post').oneOf).toEqual([{ required: ['scopes'] }, { required: ['preset'] }]);
  expect(bodyOf('/programs', 'post').properties.currency.enum).toEqual(expect.arrayContaining(['usd', 'eur', 'jpy']));
  expect(bodyOf('/merchant', 'patch').properties.timezone.pattern).toBeDefined();
  const name = new RegExp(bodyOf('/programs', 'post').properties.name.pattern, 'u');
  const texts = ['Acme', ' Zoë & Söhne ', ' ', 'a\nb', 'a\u0000', '\u0085', '東京'];
  expect(texts.filter((text) => name.test(text))).toEqual(texts.filter((text) => line(100).safeParse(text).success));
  for (const name of ['cursor', 'page', 'pageSize', 'offset']) {
    expect(parameter('/payouts', 'get', name).description).toContain('Cannot be combined with');
  }
});
