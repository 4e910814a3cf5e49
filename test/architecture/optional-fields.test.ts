import { createOpenApi } from '../../src/api/openapi.ts';
import { SAYS_DEFAULT } from '../../src/api/openapi-fields.ts';
import { INBOUND_WEBHOOKS, OPERATIONS } from '../../src/api/routes.ts';

interface Schema {
  $ref?: string;
  default?: unknown;
  description?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

interface Described {
  operationId?: string;
  parameters?: { in: string; name: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

const document = JSON.parse(JSON.stringify(createOpenApi(OPERATIONS, INBOUND_WEBHOOKS)));
const schemas: Record<string, Schema> = document.components.schemas;
/** Their fields are described by Stripe. */
const OF_STRIPE = INBOUND_WEBHOOKS.filter(({ signature }) => signature === 'stripe').map(({ id }) => id);

const resolve = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});

/** All fields that a body may leave out, also inside its fields. */
const optionalIn = (given: Schema, place: string): { place: string; field: Schema }[] => {
  const schema = resolve(given);
  const inner = [...(schema.items ? [schema.items] : []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
      ...(schema.required?.includes(name) ? [] : [{ place: `${place}.${name}`, field: { ...resolve(field), ...field } }]),
      ...optionalIn(field, `${place}.${name}`),
    ]),
    ...inner.flatMap((part) => optionalIn(part, place)),
  ];
};

const operations = (Object.values(document.paths) as Record<string, Described>[])
  .flatMap((item) => Object.values(item))
  .filter(({ operationId }) => operationId !== undefined && !OF_STRIPE.includes(operationId));

const optional = operations.flatMap(({ operationId = '', parameters = [], requestBody }) => [
  ...parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required !== true)
    .map(({ name, description, schema }) => ({
      place: `${operationId} ?${name}`,
      field: { description: description ?? '', ...schema },
    })),
  ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => optionalIn(schema, operationId)),
]);

test('every optional field and parameter has a default, or says what happens without it', () => {
  expect(optional.length).toBeGreaterThan(300);
  const silent = optional.filter(({ field }) => field.default === undefined && !SAYS_DEFAULT.test(field.description ?? ''));
  expect(silent.map(({ place, field }) => `${place}: ${field.description}`)).toEqual([]);
});

test('no field of a change promises a default of a new object', () => {
  const changes = OPERATIONS.filter(({ method }) => method === 'PATCH' || method === 'PUT').map(({ id }) => id);
  const wrong = optional.filter(
    ({ place, field }) => changes.includes(place.split('.')[0] ?? '') && !/Left out: unchanged/.test(field.description ?? ''),
  );
  expect(changes.length).toBeGreaterThan(5);
  expect(wrong.map(({ place, field }) => `${place}: ${field.description}`)).toEqual([]);
});
