import { prepareOperation, type Sent } from '../../../src/api/pipeline/prepare-operation.ts';
import { INBOUND_WEBHOOKS, OPERATIONS, PERSON_OPERATIONS } from '../../../src/api/routes.ts';
import type { AppError, Issue } from '../../../src/platform/errors.ts';
import type { Operation } from '../../../src/platform/http/operation.ts';
import { type InputPath, inputParts, textPaths, timePaths, valueAt, withValue } from '../../support/input-schemas.ts';
import { REJECTED_TEXTS } from '../../support/limits.ts';

/*
 * Requests of the API and calls of pages go through the same function, which checks everything before it asks for a context. So all
 * operations are tried without any service.
 */

const ALL = [...OPERATIONS, ...PERSON_OPERATIONS];
const withBody = ALL.filter(({ body }) => body !== undefined);
const ID = '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8eff';

const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');

/** What is no id. */
const NAMED: Readonly<Record<string, string>> = { period: '2025-12', rail: 'paypal' };

const paramsOf = ({ path }: Operation): Record<string, string> =>
  Object.fromEntries(namesIn(path).map((name) => [name, NAMED[name] ?? ID]));

const REQUIRED_QUERY: Readonly<Record<string, Record<string, string>>> = {
  getMyMarketingResource: { program_id: ID },
  getPersonInvite: { token: 'pin_1' },
  getSignInLink: { token: 'sgn_1' },
};

/** The documented example. */
const soundInput = (op: Operation): Sent => ({
  params: paramsOf(op),
  query: REQUIRED_QUERY[op.id] ?? {},
  body: op.example.body,
  idempotencyKey: undefined,
});

const REACHED = new Error('the operation begins');

interface Outcome {
  code: string;
  reason?: unknown;
  issues: Issue[];
}

/** `reached`, or the error and its issues. */
const outcomeOf = async (op: Operation, sent: Partial<Sent>): Promise<Outcome> => {
  const context = () => {
    throw REACHED;
  };
  try {
    await prepareOperation(op)({ ...soundInput(op), ...sent }, { context, callerId: null, requestId: 'req_test' });
    return { code: 'answered', issues: [] };
  } catch (error) {
    if (error === REACHED) return { code: 'reached', issues: [] };
    const { code = String(error), details } = error as AppError;
    return { code, reason: details?.['reason'], issues: (details?.['issues'] ?? []) as Issue[] };
  }
};

interface Case {
  op: Operation;
  /** What is tried, for the list of problems. */
  what: string;
  sent: Partial<Sent>;
}

/** The cases that do not end as expected. */
const problemsOf = async (cases: readonly Case[], isExpected: (outcome: Outcome, of: Case) => boolean): Promise<string[]> => {
  expect(cases.length).toBeGreaterThan(0);
  const problems: string[] = [];
  for (const each of cases) {
    const outcome = await outcomeOf(each.op, each.sent);
    if (!isExpected(outcome, each)) problems.push(`${each.op.id}, ${each.what}: ${JSON.stringify(outcome)}`);
  }
  return problems;
};

const isBadRequest = (path: string) => (outcome: Outcome) =>
  outcome.code === 'BAD_REQUEST' && outcome.issues.length > 0 && outcome.issues.every((issue) => issue.path === path);

/** An issue names the field, or what it is in. */
const namesField = (issues: readonly Issue[], [name]: InputPath): boolean =>
  issues.some(({ path }) => name === undefined || path === '' || path.split('.')[0] === String(name));

test('every operation begins with its example', async () => {
  expect(
    await problemsOf(
      ALL.map((op) => ({ op, what: 'its example', sent: {} })),
      ({ code }) => code === 'reached',
    ),
  ).toEqual([]);
});

test('every operation refuses an unknown parameter by name', async () => {
  const cases = ALL.map((op) => {
    const { query } = soundInput(op);
    return { op, what: 'an unknown parameter', sent: { query: { ...(query as object), surprise: '1' } } };
  });
  expect(await problemsOf(cases, isBadRequest('surprise'))).toEqual([]);
});

test('every id in a path is a UUID in any case', async () => {
  const named = OPERATIONS.flatMap((op) => namesIn(op.path).map((name) => ({ op, name })));
  const ids = named.filter(({ op, name }) => !(name in NAMED) && op.id !== 'getInvite' && op.id !== 'claimInvite');
  expect(ids.length).toBeGreaterThan(120);
  const withId = (id: string) =>
    ids.map(({ op, name }) => ({ op, what: name, sent: { params: { ...paramsOf(op), [name]: id } } }));
  expect(await problemsOf(withId(ID.toUpperCase()), ({ code }) => code === 'reached')).toEqual([]);
  for (const id of ['1', `${ID}0`, '\u0000', "'", '../', '']) {
    expect(await problemsOf(withId(id), (outcome, { what }) => isBadRequest(what)(outcome))).toEqual([]);
  }
});

test('every token, period and name of a rail in a path refuses what none contains', async () => {
  const cases = OPERATIONS.filter(({ path }) => /\{(token|period|rail)\}/.test(path)).flatMap((op) =>
    ['', '\u0000', '\ud800', 'a b', "'", 'x'.repeat(300)].map((value) => {
      const [name = ''] = namesIn(op.path);
      return { op, what: name, sent: { params: { [name]: value } } };
    }),
  );
  expect(await problemsOf(cases, (outcome, { what }) => isBadRequest(what)(outcome))).toEqual([]);
});

test('every operation without a body refuses one', async () => {
  const cases = ALL.filter(({ body }) => body === undefined).flatMap((op) =>
    [{ a: 1 }, [], null, [1], 'x'].map((body) => ({ op, what: JSON.stringify(body), sent: { body } })),
  );
  const isRefused = ({ code, reason }: Outcome) => code === 'BAD_REQUEST' && reason === 'BODY_NOT_ALLOWED';
  expect(await problemsOf(cases, isRefused)).toEqual([]);
});

/** Its rail reads the fields: test/api/payouts/connect-rail-account.test.ts. */
const FIELDS_BY_RAIL: readonly string[] = ['connectRailAccount', 'updateRailAccount'];

test('every operation with a body refuses what is no object, and an unknown field by name', async () => {
  const noObjects = withBody.flatMap((op) =>
    [null, [], 'text', 5, true].map((body) => ({ op, what: JSON.stringify(body), sent: { body } })),
  );
  expect(await problemsOf(noObjects, ({ code }) => code === 'VALIDATION_ERROR')).toEqual([]);
  const unknown = withBody
    .filter(({ id }) => !FIELDS_BY_RAIL.includes(id))
    .map((op) => {
      const body = { ...(op.example.body as object), surprise: 1 };
      return { op, what: 'an unknown field', sent: { body } };
    });
  const isNamed = ({ code, issues }: Outcome) =>
    code === 'VALIDATION_ERROR' && issues.some((issue) => issue.path === 'surprise' && issue.code === 'unrecognized_keys');
  expect(await problemsOf(unknown, isNamed)).toEqual([]);
});

/** Where a use case decides what is stored, see test/api/pipeline/texts.test.ts. */
const READ_BY_USE_CASE = [
  'createWebhookEndpoint.url',
  'updateWebhookEndpoint.url',
  'updateLink.targetUrl',
  'importPayoutResults.csv',
  'importBankStatement.content',
  'importBankStatement.gzip',
];

const texts = OPERATIONS.flatMap((op) => textPaths(op.body).map((path) => ({ op, path }))).filter(
  ({ op, path }) => !READ_BY_USE_CASE.includes(`${op.id}.${path.join('.')}`),
);

test('every text of a body, at any depth, refuses what cannot be stored', async () => {
  expect(texts.length).toBeGreaterThan(100);
  expect(texts.filter(({ path }) => path.length > 1).length).toBeGreaterThan(5);
  const cases = texts.flatMap(({ op, path }) =>
    Object.entries(REJECTED_TEXTS).flatMap(([kind, text]) =>
      [text, [text]].map((value) => ({
        op,
        path,
        what: `${path.join('.')} with ${kind}`,
        sent: { body: withValue(op.example.body, path, value) },
      })),
    ),
  );
  const isRefused = ({ code, issues }: Outcome, { path }: Case & { path?: InputPath }) =>
    code === 'VALIDATION_ERROR' && namesField(issues, path ?? []);
  expect(await problemsOf(cases, isRefused)).toEqual([]);
});

/** Copied from pages and documents: what nobody sees in them is dropped (`payout-details.test.ts`, `bank-codes.test.ts`). */
const COPIED_FIELDS = ['bankAccountHolder', 'bankReference'];

/** Stored as given, where a field takes free text. */
const UNUSUAL_TEXTS = ['👩‍👩‍👧 Ωmega 🇩🇪', 'שלום \u202eمرحبا\u202c', 'Z̷̰̽ạ̴̈́l̸̻̈́g̵̨̈́o', '１２３ ٤٥٦'];

test('every text of a body is read as given, or refused', () => {
  const changed = texts
    .filter(({ path }) => !COPIED_FIELDS.includes(path.join('.')))
    .flatMap(({ op, path }) =>
      UNUSUAL_TEXTS.filter((text) => {
        const read = op.body?.safeParse(withValue(op.example.body, path, text));
        const value = valueAt(read?.data, path);
        return read?.success && typeof value === 'string' && value.toLowerCase() !== text.toLowerCase();
      }).map((text) => `${op.id}: ${path.join('.')} changes ${text}`),
    );
  expect(changed).toEqual([]);
});

test('every parameter refuses a null character, except cursors, whose signature does not match it', async () => {
  const parameters = OPERATIONS.flatMap((op) => textPaths(op.query).map((path) => ({ op, path })));
  const cases = parameters
    .filter(({ path }) => path[0] !== 'cursor' && path[0] !== 'after')
    .map(({ op, path }) => {
      const query = withValue(soundInput(op).query, path, 'a\u0000b');
      return { op, path, what: path.join('.'), sent: { query } };
    });
  expect(cases.length).toBeGreaterThan(100);
  const isRefused = ({ code, issues }: Outcome, { path }: Case & { path?: InputPath }) =>
    code === 'BAD_REQUEST' && namesField(issues, path ?? []);
  expect(await problemsOf(cases, isRefused)).toEqual([]);
});

/** A URL parser drops some of them silently. */
const BAD_URLS = ['\u0000', '\ud800', '\udfff', '\r', '\n', '\t', ' ', '\u00a0', '\u007f'].flatMap((character) => [
  `https://example.com/a${character}b`,
  `https://exam${character}ple.com/`,
  `${character}https://example.com/`,
  `https://example.com/${character}`,
]);

test('every URL of a body refuses spaces and control characters', async () => {
  const urls = withBody
    .flatMap((op) =>
      inputParts(op.body)
        .filter(({ schema }) => schema.format === 'uri')
        .map(({ path }) => ({ op, path })),
    )
    .filter(({ op, path }) => !READ_BY_USE_CASE.includes(`${op.id}.${path.join('.')}`));
  expect(urls.length).toBeGreaterThan(8);
  const cases = urls.flatMap(({ op, path }) =>
    BAD_URLS.map((url) => ({
      op,
      path,
      what: `${path.join('.')} ${JSON.stringify(url)}`,
      sent: { body: withValue(op.example.body, path, url) },
    })),
  );
  const isRefused = ({ code, issues }: Outcome, { path }: Case & { path?: InputPath }) =>
    code === 'VALIDATION_ERROR' && namesField(issues, path ?? []);
  expect(await problemsOf(cases, isRefused)).toEqual([]);
});

const BAD_TIMES = [
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+01:00',
  '2026-01-01T00:00:00+16:00',
  '2026-01-01T00:00:00-23:59',
  '9999-12-31T23:59:59-23:59',
  '9999-12-31T23:59:59-00:01',
  '2026-02-30T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:00:60Z',
  '+010000-01-01T00:00:00Z',
];
const EDGE_TIMES = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '2026-01-01T00:00:00+15:59', '2026-01-01T00:00:00-15:59'];

test('every time refuses what cannot be stored, and takes the first and the last that can', async () => {
  const times = ALL.flatMap((op) =>
    (['query', 'body'] as const).flatMap((part) => timePaths(op[part]).map((path) => ({ op, part, path }))),
  );
  expect(times.length).toBeGreaterThan(15);
  const withTimes = (values: readonly string[]) =>
    times.flatMap(({ op, part, path }) =>
      values.map((value) => ({
        op,
        what: `${part} ${path.join('.')} ${value}`,
        sent: { [part]: withValue(soundInput(op)[part], path, value) },
      })),
    );
  expect(await problemsOf(withTimes(BAD_TIMES), ({ code }) => /^(BAD_REQUEST|VALIDATION_ERROR)$/.test(code))).toEqual([]);
  expect(await problemsOf(withTimes(EDGE_TIMES), ({ code }) => code === 'reached')).toEqual([]);
});

test('every text and time of a signed webhook refuses what cannot be stored', () => {
  const [sales] = INBOUND_WEBHOOKS.filter(({ id }) => id === 'receiveSaleEvent');
  const accepted = Object.entries(sales?.examples.bodies ?? {}).flatMap(([name, example]) => {
    const places = inputParts(sales?.body)
      .map(({ path }) => path)
      .filter((path) => typeof valueAt(example, path) === 'string');
    const isTime = (path: InputPath) => timePaths(sales?.body).some((time) => time.join() === path.join());
    return places.flatMap((path) =>
      [...Object.values(REJECTED_TEXTS), ...(isTime(path) ? BAD_TIMES : [])]
        .filter((text) => sales?.body.safeParse(withValue(example, path, text)).success)
        .map((text) => `${name}: ${path.join('.')} takes ${JSON.stringify(text).slice(0, 40)}`),
    );
  });
  expect(accepted).toEqual([]);
});
