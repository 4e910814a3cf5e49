import { OPERATIONS, PERSON_OPERATIONS } from '../../src/api/routes.ts';
import { inputParts } from '../support/input-schemas.ts';

const withBody = [...OPERATIONS, ...PERSON_OPERATIONS].filter(({ body }) => body !== undefined);

const fields = withBody.flatMap(({ id, body }) =>
  inputParts(body).flatMap(({ path }) => {
    const name = path.at(-1);
    return typeof name === 'string' ? [{ operation: id, place: `${id}.${path.join('.')}`, name }] : [];
  }),
);

/** Who owns an object, what it is worth, who did what with it and when: callers do not say. */
const SERVER_OWNED =
  /^(id|(merchant|owner|user|profile|key)(Id|_id)|keyType|status|billingTier|rateLimit|version|trustTier|balance|payable|secret|isVerified)$|[a-z](At|By|Count|Hash|Secret|LastFour|Total|Earnings)$|_(at|by)$/;

/** The only operations that take a field of such a name, each of which validates and records it as an input. */
const SETTABLE: Readonly<Record<string, readonly string[]>> = {
  merchantId: ['chooseCompany', 'createStripeConnection'],
  expiresAt: ['createApiKey', 'createCoupon'],
  executedAt: ['completePayout', 'completeRunPayouts'],
  occurredAt: ['returnPayout', 'returnRunPayouts'],
  status: [
    'updateProgram',
    'updateProgramMarketplace',
    'resolveFlag',
    'createSocialPost',
    'createSwipeCopy',
    'createExternalLink',
    'createCollection',
    'createFile',
    'replayWebhookEndpoint',
  ],
};

test('every object that a request holds, at any depth, accepts no other fields than its own', () => {
  const open = [...OPERATIONS, ...PERSON_OPERATIONS].flatMap((op) =>
    (['params', 'query', 'body'] as const).flatMap((part) =>
      inputParts(op[part])
        .filter(({ schema }) => schema.properties !== undefined && schema.additionalProperties !== false)
        .map(({ path }) => `${op.id}: ${[part, ...path].join('.')}`),
    ),
  );
  expect(open).toEqual([]);
});

test('no body takes a field that only the server sets', () => {
  const wrong = fields.filter(({ name, operation }) => SERVER_OWNED.test(name) && !SETTABLE[name]?.includes(operation));
  expect(wrong.map(({ place }) => place)).toEqual([]);
});

test('every exception is needed', () => {
  const unused = Object.entries(SETTABLE).flatMap(([name, operations]) =>
    operations
      .filter((id) => !fields.some((field) => field.operation === id && field.name === name))
      .map((id) => `${id}.${name}`),
  );
  expect(unused).toEqual([]);
  expect(fields.length).toBeGreaterThan(300);
});
