import type { FaultClass } from '../../../src/contracts/faults.ts';
import type { PayoutDetails, RailStatus } from '../../../src/contracts/payouts.ts';
import type { Answer, NeverReceived, References } from '../../../src/domains/payouts/rails/answer.ts';
import type {
  ListedMovement,
  OnlineRail,
  PlannedTransfer,
  RailNotification,
  SentAttempt,
  TransferOrder,
} from '../../../src/domains/payouts/rails/rail.ts';
import type { IncomingHeaders } from '../../../src/platform/crypto/standard-webhooks.ts';
import { until } from '../until.ts';
import { startTamperingProxy, type Tamper, type TamperingProxy } from './tampering-proxy.ts';

export interface RawNotice {
  headers: IncomingHeaders;
  rawBody: Buffer;
}

/** The parts of a provider's record that must agree with the order. */
export type RecordField = 'amount' | 'currency' | 'reference' | 'receiver' | 'state';

/** The double of a provider: its own test values, and how its answers are written. */
export interface OnlineDouble {
  url: string;
  /** Opens the rail at another address, with the credentials of one of two accounts, or with wrong ones. */
  open(url: string, account: 'first' | 'second' | 'wrong'): OnlineRail;
  /** What the calls of an account carry, and those of no other. */
  credentialOf(request: { headers: NodeJS.Dict<string | string[]> }): string | undefined;
  isPayment(path: string): boolean;
  /** Where a payment begins, and what notices tell of one that comes back. Default: it is accepted, and then paid. */
  life?: { submitted: RailStatus; told: readonly (RailStatus | null)[] };
  /** Makes an order of a new payout, to a payee whom the provider pays like this. */
  order(behaviour: 'paid' | 'returned' | 'fee'): TransferOrder;
  /** An order of its own, to a payee who has to claim it. Absent: the provider cancels nothing. */
  unclaimed?(): TransferOrder;
  /** With this text as the name of the payee, and as the note where the provider is sent one. */
  withText(order: TransferOrder, text: string): TransferOrder;
  /** Whether the provider is sent texts at all. Default: true. */
  isSentTexts?: boolean;
  /** The outcome of each documented state. */
  states: Readonly<Record<string, RailStatus>>;
  /** The class of each documented error, and the answer with it. */
  errors: Readonly<Record<string, FaultClass>>;
  errorAnswer(code: string): { status: number; body: string };
  /** The answer with another value in one field of its record. */
  misstate(body: string, field: RecordField, value: unknown): string;
  /** Its records name the payee. */
  hasReceiver?: true;
  /** How long a limited order waits when the provider does not say. Default: 0. */
  limitedPauseMs?: number;
  /** Once revoked, the tokens of the first account are refused. Its calls ask for tokens at this path. */
  tokens?: { path: string; revoke(): Promise<void> };
  /** How often the provider executed it. */
  executions(order: TransferOrder): Promise<number>;
  /** The notices about an order, once there are so many. */
  notices(order: TransferOrder, count: number): Promise<RawNotice[]>;
  fee: { amountMinor: number; currency: string };
  canPay(order: PlannedTransfer): string | null;
  /** Amounts at the edges, and what stands against them. */
  edges: readonly { amountMinor: number; currency: string; refusal: string | null }[];
  /** Names of what `check` finds with wrong credentials. */
  missing: readonly string[];
  stop(): Promise<void>;
}

export const sentOf = (order: TransferOrder): SentAttempt => ({
  ...order,
  railReference: null,
  references: {},
});

const UNCLEAR_TEXTS = ['Zoë Müßig-Łęcka', '🦊 Fox', '<b>&amp;"', 'x'.repeat(256), '=1+1', '+49', '@cmd', '-2'];

const ACCEPTED_FIRST = { submitted: 'accepted', told: ['accepted', 'paid', 'returned'] } as const;

/** The 22 cases that every rail that is called passes against the double of its provider, where its facts say that they apply. */
export const railConformance = (name: string, start: () => Promise<OnlineDouble>): void => {
  let double: OnlineDouble;
  let proxy: TamperingProxy;
  let rail: OnlineRail;

  beforeAll(async () => {
    double = await start();
    proxy = await startTamperingProxy(double.url, (path) => double.isPayment(path));
    rail = double.open(proxy.url, 'first');
  });
  afterAll(async () => {
    await rail.close();
    await proxy.close();
    await double.stop();
  });

  /** Names from answers so far, which the product keeps. A rail that finds an order by its key needs none of it. */
  const named = new Map<string, References>();
  const keep = <T extends Answer | NeverReceived>({ idempotencyKey }: TransferOrder, answer: T): T => {
    if ('references' in answer) named.set(idempotencyKey, { ...named.get(idempotencyKey), ...answer.references });
    return answer;
  };
  const submit = async (order: TransferOrder) => keep(order, await rail.submit(order));
  const lookUp = async (order: TransferOrder) => {
    const references = rail.facts.isFoundByKey ? {} : named.get(order.idempotencyKey);
    return keep(order, await rail.lookUp({ ...sentOf(order), references: references ?? {} }));
  };
  const untilPaid = (order: TransferOrder, outcome: RailStatus = 'paid') =>
    until(
      `${name}: the transfer is ${outcome}`,
      () => lookUp(order),
      (found) => found.outcome === outcome,
    );
  const tampered = (order: TransferOrder, tamper: Tamper): Promise<Answer> => {
    proxy.next(tamper);
    return submit(order);
  };
  const submitted = async (): Promise<TransferOrder> => {
    const order = double.order('paid');
    await submit(order);
    return order;
  };
  /** If a record is not found by its key, the provider names it only once it is paid. */
  const recorded = async (): Promise<TransferOrder> => {
    const order = await submitted();
    if (!rail.facts.isFoundByKey) await untilPaid(order);
    return order;
  };
  const read = async (notice: RawNotice | undefined, by = rail) => {
    if (!notice) throw new Error('no notice');
    return by.readNotice(notice.headers, notice.rawBody);
  };
  const readAll = async (notices: readonly RawNotice[]) =>
    (await Promise.all(notices.map((notice) => read(notice)))).flat() as RailNotification[];

  test('1, 14: what becomes of a payment that comes back is told by notices that agree with the order', async () => {
    const { submitted: outcome, told: statuses } = double.life ?? ACCEPTED_FIRST;
    const order = double.order('returned');
    expect(await submit(order)).toMatchObject({ outcome, fault: null, problem: null });
    const told = await readAll(await double.notices(order, statuses.length));
    expect(told.map(({ status }) => status).sort()).toEqual(statuses);
    const { idempotencyKey, reference, amountMinor, currency } = order;
    for (const notice of told) expect(notice).toMatchObject({ idempotencyKey, record: { reference, amountMinor, currency } });
    expect(await untilPaid(order, 'returned')).toMatchObject({ outcome: 'returned' });
  });

  test('2: a payment is found by a look-up alone, with the ids of the provider', async () => {
    const order = await submitted();
    const found = (await untilPaid(order)) as Answer;
    expect(found.railReference).not.toBeNull();
    expect(Object.values(found.references)).toContain(found.railReference);
    expect(await double.executions(order)).toBe(1);
  });

  test('3: each documented state has its outcome, and one that nobody documented needs a person', async () => {
    const order = await recorded();
    const inState = async (state: string) => {
      proxy.next({ kind: 'rewrite', change: (body) => double.misstate(body, 'state', state) });
      return lookUp(order);
    };
    for (const [state, outcome] of Object.entries(double.states)) expect(await inState(state)).toMatchObject({ outcome, state });
    expect(await inState('state_of_tomorrow')).toMatchObject({ outcome: 'unknown', needsReview: 'status_unknown' });
  });

  test('4: each documented error blames whom its table says, and one that nobody documented blames nobody', async () => {
    for (const [code, fault] of [...Object.entries(double.errors), ['code_of_tomorrow', 'unclear'] as const]) {
      const answer = await tampered(double.order('paid'), { kind: 'answer', ...double.errorAnswer(code) });
      expect([code, answer.fault]).toEqual([code, { class: fault, code }]);
    }
  });

  test('5, 6: a lost request and a lost answer are unknown, and the same key is executed once', async () => {
    const before = double.order('paid');
    expect(await tampered(before, { kind: 'lost-before' })).toMatchObject({ outcome: 'unknown', problem: 'connection_lost' });
    expect(await lookUp(before)).toMatchObject({ outcome: 'never_received' });
    const after = double.order('paid');
    expect(await tampered(after, { kind: 'lost-after' })).toMatchObject({ outcome: 'unknown', railReference: null });
    for (const order of [before, after]) {
      await Promise.all([submit(order), submit(order)]);
      await untilPaid(order);
      expect(await double.executions(order)).toBe(1);
    }
  });

  test('7: the same key with another amount executes nothing and needs a person', async () => {
    const order = await recorded();
    const other = await rail.submit({ ...order, amountMinor: order.amountMinor + 1 });
    expect(other).toMatchObject({ outcome: 'unknown', needsReview: 'key_reused' });
    expect(await double.executions(order)).toBe(1);
  });

  test.each<[RecordField, unknown]>([
    ['amount', 1],
    ['currency', 'chf'],
    ['reference', 'of-another'],
    ['receiver', 'another@example.com'],
  ])('8: a record with another %s needs a person, where it has one', async (field, value) => {
    const order = await recorded();
    if (field === 'receiver' && !double.hasReceiver) {
      expect(JSON.stringify(await lookUp(order))).not.toContain('receiver');
      return;
    }
    proxy.next({ kind: 'rewrite', change: (body) => double.misstate(body, field, value) });
    expect(await lookUp(order)).toMatchObject({ outcome: 'unknown', needsReview: 'record_mismatch' });
  });

  test.each([
    [{}, undefined],
    [{ 'retry-after': '7' }, 7_000],
  ])('9: an order that is limited was not taken: %j', async (headers, askedMs) => {
    const retryAfterMs = askedMs ?? double.limitedPauseMs ?? 0;
    const { body } = double.errorAnswer('rate_limited');
    const answer = await tampered(double.order('paid'), { kind: 'answer', status: 429, headers, body });
    expect(answer).toMatchObject({ outcome: 'unknown', problem: 'http_429', notTaken: { retryAfterMs } });
  });

  test.each<[string, Tamper, string]>([
    ['an error of the server', { kind: 'answer', status: 503, body: '{}' }, 'http_503'],
    ['a page of a proxy', { kind: 'answer', status: 502, body: '<html>' }, 'http_502'],
    ['no JSON', { kind: 'answer', status: 200, body: 'OK' }, 'body_unreadable'],
    ['half an answer', { kind: 'rewrite', change: (body) => body.slice(0, body.length / 2) }, 'body_unreadable'],
    ['too much', { kind: 'rewrite', change: (body) => body + ' '.repeat(70_000) }, 'body_too_large'],
    ['an answer without an end', { kind: 'drip' }, 'timeout'],
  ])('10: %s leaves the outcome unknown', async (_what, tamper, problem) => {
    const answer = await tampered(double.order('paid'), tamper);
    expect(answer).toMatchObject({ outcome: 'unknown', problem, needsReview: null });
    expect(answer).not.toHaveProperty('notTaken');
  });

  test('11, 21: wrong credentials fail no payment, and `check` names what is missing', async () => {
    const wrong = double.open(proxy.url, 'wrong');
    const answer = await wrong.submit(double.order('paid'));
    expect(answer).toMatchObject({ outcome: 'unknown', problem: 'http_401' });
    expect((await wrong.check())?.findings.map((finding) => finding.name)).toEqual(double.missing);
    expect((await rail.check())?.findings).toEqual([]);
    await wrong.close();
  });

  test('11: a token that is refused is replaced once, by one call for all', async () => {
    const { tokens } = double;
    const order = await submitted();
    const asked = () => proxy.requests.filter(({ path }) => path === tokens?.path).length;
    const before = asked();
    await tokens?.revoke();
    const found = await Promise.all([lookUp(order), lookUp(order), lookUp(order)]);
    expect(found.map(({ outcome }) => outcome)).not.toContain('unknown');
    expect(asked() - before).toBe(tokens ? 1 : 0);
  });

  test('12: a notice counts only as it was signed for this account, and can be told from its repeat', async () => {
    const order = await submitted();
    const [first, second] = await double.notices(order, 2);
    const told = await readAll([second, first, first].filter((notice) => notice !== undefined));
    expect(new Set(told.map(({ externalId }) => externalId)).size).toBe(2);
    const forged = first && { ...first, rawBody: Buffer.from(String(first.rawBody).replace(order.reference, 'forged')) };
    expect(await read(forged)).toMatchObject({ unread: 'rejected' });
    const stranger = double.open(proxy.url, 'wrong');
    expect(await read(first, stranger)).toMatchObject({ unread: 'rejected' });
    await stranger.close();
  });

  test('15: a fee is told with its currency', async () => {
    const order = double.order('fee');
    await submit(order);
    const { word } = (await untilPaid(order)) as Answer;
    expect(word?.record?.fees).toContainEqual(expect.objectContaining(double.fee));
  });

  test('16: amounts at the edges are paid exactly, or refused before', async () => {
    for (const { refusal, ...money } of double.edges) {
      const order = { ...double.order('paid'), ...money };
      expect([money, double.canPay(order)]).toEqual([money, refusal]);
      if (refusal !== null) continue;
      await submit(order);
      expect(((await untilPaid(order)) as Answer).word?.record).toMatchObject(money);
    }
  });

  test.each(UNCLEAR_TEXTS)('17: the provider gets the text %s as it is, or none', async (text) => {
    const order = double.withText(double.order('paid'), text);
    await submit(order);
    const sent = proxy.requests.findLast(({ method, path }) => method === 'POST' && double.isPayment(path));
    if (double.isSentTexts === false) {
      expect([...new URLSearchParams(sent?.body).values()]).not.toContain(text);
      return;
    }
    const texts: unknown[] = [];
    JSON.parse(sent?.body ?? '', (_key, value) => {
      texts.push(value);
      return value;
    });
    expect(texts).toContain(text);
  });

  test('18: what is stored names no payee and no secret', async () => {
    const order = double.withText(double.order('paid'), 'Very Private');
    const stored = JSON.stringify([await submit(order), await lookUp(order)]);
    const { paypalEmail, bankIban }: PayoutDetails = order.details;
    for (const secret of ['Very Private', paypalEmail, bankIban]) expect(secret !== null && stored.includes(secret)).toBe(false);
    const used = proxy.requests.map((request) => double.credentialOf(request)).filter((text) => text !== undefined);
    for (const credential of new Set(used)) expect(stored).not.toContain(credential);
  });

  test('19: two accounts at once never mix their credentials', async () => {
    const second = double.open(proxy.url, 'second');
    const orders = Array.from({ length: 10 }, () => double.order('paid'));
    await Promise.all(orders.map((order, at) => (at % 2 === 0 ? rail : second).submit(order)));
    const used = orders.map((order) => {
      const request = proxy.requests.find(({ method, body }) => method === 'POST' && body.includes(order.reference));
      return request && double.credentialOf(request);
    });
    const [even, odd] = [0, 1].map((rest) => new Set(used.filter((_, at) => at % 2 === rest))) as [Set<unknown>, Set<unknown>];
    expect([even.size, odd.size]).toEqual([1, 1]);
    expect([...even]).not.toEqual([...odd]);
    await second.close();
  });

  test('20: a rail has the operations that its facts promise, and its list agrees with look-ups', async () => {
    const { can } = rail.facts;
    expect([can.list, can.cancel]).toEqual([rail.list !== undefined, rail.cancel !== undefined]);
    if (!rail.list) return;
    const orders = [await submitted(), await submitted(), await submitted()];
    const since = new Date(0);
    await Promise.all(orders.map((order) => untilPaid(order)));
    const listed: ListedMovement[] = [];
    for (let cursor: string | undefined | null; cursor !== null; ) {
      const page = await rail.list(since, new Date(Date.now() + 60_000), cursor);
      listed.push(...page.movements);
      cursor = page.next;
    }
    for (const { idempotencyKey, reference, amountMinor, currency } of orders) {
      const isOurs = (movement: ListedMovement) =>
        movement.kind === 'payment' && (movement.idempotencyKey === idempotencyKey || movement.reference === reference);
      expect(listed.filter(isOurs)).toEqual([expect.objectContaining({ status: 'paid', amountMinor, currency })]);
    }
    expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
  });

  test('22: what waits for its payee is cancelled, twice as well as once, and what is paid stays paid', async () => {
    const waiting = double.unclaimed?.();
    expect([rail.facts.can.cancel, rail.cancel !== undefined]).toEqual([waiting !== undefined, waiting !== undefined]);
    if (!waiting || !rail.cancel) return;
    const cancel = async (order: TransferOrder) =>
      rail.cancel?.({ ...sentOf(order), references: named.get(order.idempotencyKey) ?? {} });
    await submit(waiting);
    await until(
      `${name}: the transfer waits for its payee`,
      () => lookUp(waiting),
      (found) => 'state' in found && rail.facts.cancelable.includes(found.state ?? ''),
    );
    expect(await cancel(waiting)).toMatchObject({ outcome: 'failed', problem: null });
    expect(await cancel(waiting)).toMatchObject({ outcome: 'failed', problem: null });
    expect(await lookUp(waiting)).not.toMatchObject({ outcome: 'accepted' });
    const paid = await submitted();
    await untilPaid(paid);
    expect(await cancel(paid)).toMatchObject({ outcome: 'paid' });
    expect(await double.executions(waiting)).toBe(1);
  });
};
