import { OPERATIONS } from '../../src/api/routes.ts';
import {
  COUNT_MAX,
  MAX_ENDPOINTS_PER_MERCHANT,
  MAX_LINK_CODES_PER_AFFILIATE,
  MAX_OPEN_INVITES_PER_PROGRAM,
  MAX_RESOURCES_PER_PROGRAM,
} from '../../src/contracts/limits.ts';
import { MAX_RUN_AFFILIATES, MAX_RUN_ITEMS } from '../../src/contracts/payout-runs.ts';
import type { Operation } from '../../src/platform/http/operation.ts';
import { ownerTypeOf, table } from '../api/pipeline/support.ts';
import { type TestResponse, useOwnApi } from '../support/api.ts';
import { makeAffiliate, makeAffiliateKey, makeMerchant, makeProgram } from '../support/factories.ts';
import { combinedFilters, type OwnRows, type Query, singleFilters } from '../support/list-queries.ts';
import { addManyRows } from '../support/many-rows.ts';
import { planOf, rowsReadBy, tablesLargerThan, tablesScannedBy } from '../support/plans.ts';
import { recordStatementsWithValues, type SentStatement } from '../support/statements.ts';

/** Rows that an item takes, including what it is joined with. */
const ROWS_PER_ITEM = 10;
/** Smaller tables may be read as a whole, and are not counted. */
const LARGE = 1_000;
const DEEP_OFFSET = 200;
/** Lists without pages, or whose filters are not part of an index: a limit keeps what they read small. */
const MAX_READ: Readonly<Record<string, number>> = {
  // Events of other types than the filter has.
  listEvents: 1_000,
  listInvites: MAX_OPEN_INVITES_PER_PROGRAM,
  listAffiliateLinks: MAX_LINK_CODES_PER_AFFILIATE,
  listLinks: MAX_LINK_CODES_PER_AFFILIATE,
  listMarketingResources: MAX_RESOURCES_PER_PROGRAM,
  // Booked and waiting adjustments are sorted together: all of the affiliate's 2,500, for the page and for the total.
  listAdjustments: 2 * 2_500,
  // What the next payout consists of, and what flags and disputes hold of the affiliate, who has 2,500 of each.
  listNextPayments: 3 * 2_500,
  // What flags and disputes hold of the merchant, who has 7,700: for the page and for the total.
  listPendingPayouts: 2 * 7_700,
  // Each item has its membership, person and payout.
  listPayoutRunItems: 4 * MAX_RUN_ITEMS,
  listMyMarketingResources: MAX_RESOURCES_PER_PROGRAM,
  listWebhookEndpoints: MAX_ENDPOINTS_PER_MERCHANT,
};
/** What a filter reads besides. */
const READ_BY_FILTER: Readonly<Record<string, number>> = {
  // One look-up in each of the merchant's 503 programs: for the page and for the total.
  externalSaleId: 2 * 503,
  // The flags that hold, and the blocked affiliates, of the merchant, with their conversions: for the page and for the total.
  held: 2 * 7_700,
  // All programs of the merchant count: an index has the program or the source.
  'listProgramAffiliates.source': 7_000,
  // What a run would consist of, and what is held of each affiliate.
  'listPendingPayouts.ready': MAX_RUN_AFFILIATES * ROWS_PER_ITEM,
  // Read in the order of the list until the page is full, or by the three letters that the text begins with.
  'listPayouts.q': 5_000,
};
/** Values that most rows have. Their total is counted in the order of the table, and ends at its maximum. */
const OF_MOST_ROWS: Query = { search: 'name', name: 'name', q: 'name', needsAttention: 'false' };
/** Two times that a third of the rows have: their total is counted in the order of the table, too. */
const isOfTwoTimes = (query: Query): boolean =>
  ['startDate', 'endDate'].some((name) => name in query) && ['paidFrom', 'paidTo'].some((name) => name in query);
/** Rows tried for a combination of filters, in the list's order until the page is full: the narrowest filter may have more. */
const MAX_TRIED = 5_000;
/** Lists of a person over all their programs. */
const OF_MEMBER = ['listMyPayouts', 'listMyPrograms', 'listOwnApplications'];

const api = useOwnApi();
let own: OwnRows & { key: string; affiliateKey: string; memberKey: string };
let large: Set<string>;
let statementsOf: (work: () => Promise<unknown>) => Promise<SentStatement[]>;

beforeAll(async () => {
  statementsOf = await recordStatementsWithValues(api);
  const { key, merchantId } = await makeMerchant(api.runtime);
  const [{ programId }, { programId: otherProgramId }] = [await makeProgram(api, key), await makeProgram(api, key)];
  const { affiliateId, profileId } = await makeAffiliate(api.runtime, programId);
  const { profileId: memberProfileId } = await makeAffiliate(api.runtime, (await makeProgram(api, key)).programId);
  const body = { name: 'Orders', url: 'https://1.1.1.1/hook', subscribedEvents: ['payout.created'] };
  const endpointId: string = (await api.call('POST', '/webhooks', { key, body })).data.endpoint.id;
  const [affiliateKey, memberKey] = [
    await makeAffiliateKey(api.runtime, profileId),
    await makeAffiliateKey(api.runtime, memberProfileId),
  ];
  const owner = { merchantId, programId, otherProgramId, affiliateId, profileId, memberProfileId, endpointId };
  own = { ...owner, ...(await addManyRows(api, owner)), key, affiliateKey, memberKey };
  large = await tablesLargerThan(api, LARGE);
});

const IDS: Readonly<Record<string, () => string>> = {
  programs: () => own.programId,
  affiliates: () => own.affiliateId,
  payouts: () => own.payoutId,
  // They have the ids of payouts.
  'payout-runs': () => own.payoutId,
  webhooks: () => own.endpointId,
  'me/earnings': () => own.programId,
  'me/payouts': () => own.payoutId,
  'me/programs': () => own.programId,
};

const keyFor = (op: Operation): string => {
  if (ownerTypeOf(op) === 'merchant') return own.key;
  return OF_MEMBER.includes(op.id) ? own.memberKey : own.affiliateKey;
};

interface Read {
  response: TestResponse;
  rows: number;
  /** Large tables that were read from the start to the end. */
  scanned: string[];
  /** Rows counted for the total, if it is not an exact counter. */
  counted: number;
}

/** A bitmap reads more than the maximum, and some that another condition removes: blocked affiliates, by default. */
const countedOf = ({ meta }: TestResponse): number => (meta.totalCapped ? 2 * COUNT_MAX : 1.2 * meta.total);

const read = async (op: Operation, query: Query): Promise<Read> => {
  const path = op.path.replace('{id}', IDS[op.path.slice(1, op.path.indexOf('/{id}'))]?.() ?? '');
  const responses: TestResponse[] = [];
  const sent = await statementsOf(async () => responses.push(await api.call('GET', path, { key: keyFor(op), query })));
  const [response] = responses;
  if (response?.status !== 200) throw new Error(`${JSON.stringify(query)}: ${response?.text}`);
  const selects = sent.filter(({ text }) => /^\s*(select|with)\b/.test(text));
  const plans = await Promise.all(selects.map((statement) => planOf(api, statement)));
  return {
    response,
    rows: plans.map((plan) => rowsReadBy(plan, large)).reduce((sum, rows) => sum + rows, 0),
    scanned: plans.flatMap(tablesScannedBy).filter((name) => large.has(name)),
    counted: selects.some(({ text }) => text.includes('as counted')) ? countedOf(response) : 0,
  };
};

/** How many rows the query may read by an index: the page, what is before it, and what is counted; `more` for a combination of filters. */
const mostOf = (op: Operation, query: Query, { response, counted }: Read, more: number): number => {
  const size: number = response.meta?.pageSize ?? response.data.length;
  const items = size + 1 + Number(query['offset'] ?? 0);
  const byFilter = Object.keys(query).map((name) => READ_BY_FILTER[name] ?? READ_BY_FILTER[`${op.id}.${name}`] ?? 0);
  return [ROWS_PER_ITEM * items, counted, more, MAX_READ[op.id] ?? 0, ...byFilter].reduce((sum, part) => sum + part, 0);
};

const problemsOf = (op: Operation, query: Query, found: Read, more = 0): string[] => {
  const most = mostOf(op, query, found, more);
  const name = JSON.stringify({ ...query, ...('cursor' in query ? { cursor: '…' } : {}) });
  const isOfMostRows = isOfTwoTimes(query) || Object.entries(query).some(([filter, value]) => OF_MOST_ROWS[filter] === value);
  return [
    ...(isOfMostRows ? [] : found.scanned.map((large) => `${name} reads all of ${large}`)),
    ...(found.rows > most
      ? [`${name} reads ${found.rows} rows for ${found.response.data.length}, and at most ${most} are needed`]
      : []),
  ];
};

/** The first page and the one after it. */
const problemsOfPages = async (op: Operation, query: Query): Promise<{ first: Read; problems: string[] }> => {
  const first = await read(op, query);
  const problems = problemsOf(op, query, first);
  const { offset: _, since: __, ...filters } = query;
  const cursor: string | null = first.response.meta?.nextCursor ?? null;
  const next = { ...filters, ...(cursor === null ? {} : { [op.paged === 'feed' ? 'after' : 'cursor']: cursor }) };
  if (cursor !== null) problems.push(...problemsOf(op, next, await read(op, next)));
  return { first, problems };
};

/** Checks all combinations of filters. */
const problemsOfCombinations = async (op: Operation, all: Read, totals: ReadonlyMap<string, number>): Promise<string[]> => {
  const problems: string[] = [];
  for (const query of combinedFilters(op, own)) {
    const narrowest = Math.min(
      ...Object.entries(query).map(([name, value]) => totals.get(JSON.stringify({ [name]: value })) ?? 0),
    );
    // Counts for the page and for the total.
    const more = narrowest < totalOf(all) ? 2 * narrowest + MAX_TRIED : 0;
    problems.push(...problemsOf(op, query, await read(op, query), more));
  }
  return problems;
};

const totalOf = ({ response }: Read): number => response.meta?.total ?? 0;

/** Adds up what was posted since the last closed month. */
const SUM = 'listLedgerBalances';

const lists = OPERATIONS.filter(({ id, method, example }) => method === 'GET' && Array.isArray(example.data) && id !== SUM);

describe('among 100,000 rows, a list reads by an index what it shows and counts, and with two filters no more than one has', () => {
  it.each(table(lists))(
    '%s',
    async (_name, op) => {
      const { first, problems } = await problemsOfPages(op, {});
      expect(first.response.data.length).toBeGreaterThan(0);
      if (op.paged === true) {
        const offset = String(Math.min(DEEP_OFFSET, Math.floor(totalOf(first) / 2)));
        problems.push(...(await problemsOfPages(op, { offset })).problems);
      }
      const totals = new Map<string, number>();
      for (const query of singleFilters(op, own)) {
        const found = await problemsOfPages(op, query);
        problems.push(...found.problems);
        totals.set(JSON.stringify(query), totalOf(found.first));
      }
      problems.push(...(await problemsOfCombinations(op, first, totals)));
      expect(problems).toEqual([]);
    },
    120_000,
  );
});

test('among 100,000 rows, the health of an endpoint reads by an index what it counts, and the attempts of its newest deliveries', async () => {
  const [op] = OPERATIONS.filter(({ id }) => id === 'getWebhookEndpointHealth');
  const { response, rows, scanned } = await read(op as Operation, {});
  const { pending, parked, exhausted } = response.data.deliveries;
  expect(response.data.recent.attempts).toBeGreaterThan(0);
  expect(Math.min(pending, parked, exhausted)).toBeGreaterThan(1_000);
  expect(scanned).toEqual([]);
  // Adds the newest deliveries, each with one attempt, and the oldest and newest of a status in each month.
  expect(rows).toBeLessThan(pending + parked + exhausted + 2 * 1_000 + 100);
});
