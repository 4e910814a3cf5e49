import { OPERATIONS } from '../../../src/api/routes.ts';
import { createAffiliate } from '../../../src/domains/applications/index.ts';
import type { Operation } from '../../../src/platform/http/operation.ts';
import { type TestResponse, useOwnApi } from '../../support/api.ts';
import { apply } from '../../support/applications.ts';
import { makeApprovals, makePendingChange } from '../../support/approvals.ts';
import { makeDifference } from '../../support/differences.ts';
import { makePendingDomain, useDnsServer } from '../../support/dns-server.ts';
import {
  makeAffiliate,
  makeAffiliateKey,
  makeKey,
  makeMerchant,
  makePayable,
  makeProgram,
  sendSale,
  unique,
} from '../../support/factories.ts';
import { MISSING_ID, makePayout } from '../../support/payouts.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { DEBTOR_IBAN } from '../../support/rails/sepa-bank.ts';
import { recordStatements, type StatementsOf } from '../../support/statements.ts';
import { STRIPE_PLATFORM } from '../../support/stripe/stripe-server.ts';
import { until } from '../../support/until.ts';
import { DAY, makeBankPayouts } from '../bank-files/support.ts';
import { makeInviter, makePerson } from '../invites/support.ts';
import { bookIn, makeBooks } from '../ledger/support.ts';
import { addMember } from '../payout-runs/support.ts';
import { makeFile, makeResource, makeOwner as makeResourceOwner, type Owner as ResourceOwner } from '../resources/support.ts';
import { BANK, connectBank, makeBankMerchant, makePayee } from './rail-owners.ts';
import { MAX_OF_WRITE } from './stated-statements.ts';
import { A_MONTH, callOperation, makeOwner, makerOf, nameOf, type OwnedObject, ownBody, ownerTypeOf, table } from './support.ts';

/** P22. A list takes one statement, and one more for what its path names; both whatever its size. */
const MAX_OF_LIST = 2;

const api = useOwnApi({ ...STRIPE_PLATFORM, BILLING_SELF_SERVICE: 'true' });
const dns = useDnsServer();
let statementsOf: StatementsOf;
beforeAll(async () => {
  statementsOf = await recordStatements(api);
});

/** The key of a person in two programs. */
const makeMemberOfTwo = async ({ key, programId }: { key: string; programId: string }): Promise<string> => {
  const email = `a-${unique()}@example.com`;
  const person = { email, name: 'Ada Test', source: 'api' as const };
  const ctx = () => api.runtime.context({ kind: 'system', name: 'test' });
  const { profileId } = await createAffiliate(ctx(), { ...person, programId });
  await createAffiliate(ctx(), { ...person, programId: (await makeProgram(api, key)).programId });
  return makeAffiliateKey(api.runtime, profileId);
};

/** Three objects of each kind, and the id that each list names in its path. */
const makeBusyMerchant = async () => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  for (let n = 0; n < 2; n++) await makeProgram(api, key);
  const program = await makeProgram(api, key);
  const { programId } = program;
  const ids = { affiliateKey: '', memberKey: '', endpoint: '', affiliateId: '', payoutId: '', runId: '', profileId: '' };
  const own = { key, programId, ...ids };
  for (let n = 0; n < 3; n++) {
    await makeKey(api.runtime, { ownerId: merchantId });
    const endpoint = { name: `Orders ${n}`, url: 'https://1.1.1.1/hook', subscribedEvents: ['payout.created'] };
    own.endpoint = (await api.call('POST', '/webhooks', { key, body: endpoint })).data.endpoint.id;
    const { affiliateId, profileId, code } = await makeAffiliate(api.runtime, programId);
    await api.call('POST', `/programs/${programId}/coupons`, { key, body: { affiliateId, code: `COUPON-${n}` } });
    await api.call('POST', `/programs/${programId}/invites`, { key, body: {} });
    for (let sale = 0; sale < 2; sale++) await sendSale(api, program, { referralCode: code });
    const { data } = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
    await api.call('POST', `/payouts/${data.id}/process`, { key });
    await sendSale(api, program, { referralCode: code, couponCode: 'x'.repeat(101) });
    const affiliateKey = await makeAffiliateKey(api.runtime, profileId);
    await api.call('POST', '/flags', { key, body: { affiliateId, note: 'Bids on our brand name' } });
    Object.assign(own, { affiliateKey, affiliateId, payoutId: data.id, profileId });
  }
  for (let n = 0; n < 2; n++) {
    const another = await makeProgram(api, key);
    await apply(api.runtime.context({ kind: 'system', name: 'test' }), another.programId, { profileId: own.profileId });
  }
  await api.call('POST', `/payouts/${own.payoutId}/complete`, { key });
  await api.call('POST', '/payouts', { key, body: { affiliateId: own.affiliateId, programId } });
  await addMember(api, program);
  for (let n = 0; n < 2; n++) {
    await api.call('POST', `/payout-runs/${own.runId}/cancel`, { key });
    own.runId = (await api.call('POST', '/payout-runs', { key, body: {} })).data.id;
  }
  await makePendingChange(api, key);
  for (let n = 0; n < 2; n++) await makeDifference(api, { merchantId });
  for (const detailsCooldownHours of [5, 0]) await api.call('PATCH', '/merchant', { key, body: { detailsCooldownHours } });
  await bookIn(api, A_MONTH, { merchantId, affiliateId: own.affiliateId });
  await api.call('POST', `/ledger/periods/${A_MONTH}/close`, { key });
  own.memberKey = await makeMemberOfTwo(own);
  await rowsOf(api, `update program set marketplace_status = 'public' where merchant_id = ?`, [merchantId]);
  await rowsOf(api, 'update marketplace_listing set is_ready = true where is_public');
  for (let n = 0; n < 3; n++) {
    await api.call('POST', `/webhooks/${own.endpoint}/test`, { key });
    const body = { kind: 'bonus', amount: 100, note: 'For the launch' };
    await api.call('POST', `/affiliates/${own.affiliateId}/adjustments`, { key, body });
    await api.call('POST', '/me/links', { key: own.affiliateKey, body: { name: `Link ${n}` } });
    await makeResource(api, own, 'social_post', { status: 'published' });
  }
  return own;
};

type BusyMerchant = Awaited<ReturnType<typeof makeBusyMerchant>>;

const IDS: Readonly<Record<string, (own: BusyMerchant) => string>> = {
  programs: ({ programId }) => programId,
  affiliates: ({ affiliateId }) => affiliateId,
  payouts: ({ payoutId }) => payoutId,
  'payout-runs': ({ runId }) => runId,
  webhooks: ({ endpoint }) => endpoint,
  'me/payouts': ({ payoutId }) => payoutId,
  'me/earnings': ({ programId }) => programId,
  'me/programs': ({ programId }) => programId,
};

const idIn = ({ path }: Operation, own: BusyMerchant): string | undefined =>
  path.includes('{id}') ? IDS[path.slice(1, path.indexOf('/{id}'))]?.(own) : undefined;

const lists = OPERATIONS.filter(({ method, example }) => method === 'GET' && Array.isArray(example.data));

describe('a list takes at most two statements, whatever its size', () => {
  let own: BusyMerchant;
  let bank: Awaited<ReturnType<typeof makeBankMerchant>>;
  let payee: Awaited<ReturnType<typeof makePayee>>;
  beforeAll(async () => {
    own = await makeBusyMerchant();
    bank = await makeBankMerchant(api);
    payee = await makePayee(api);
  });

  it.each(table(lists))('%s', async (_name, op) => {
    const ofMember = ['listMyPrograms', 'listNextPayments'].includes(op.id) ? own.memberKey : own.affiliateKey;
    const ofPerson = op.id === 'listStripeConnections' ? payee.key : ofMember;
    const isOfBank = op.path.startsWith('/bank-files');
    const ofMerchant = isOfBank ? bank.key : own.key;
    const key = ownerTypeOf(op) === 'affiliate' ? ofPerson : ofMerchant;
    const id = isOfBank ? bank.fileId : idIn(op, own);
    const list = () => api.call('GET', op.path.replace('{id}', id ?? ''), { key });
    // The key is read and its use recorded once a minute: in one of two requests at most.
    await until('the list has two rows', list, ({ data }) => data.length >= 2);
    const [sent = []] = [await statementsOf(list), await statementsOf(list)].sort((a, b) => a.length - b.length);
    expect([sent.length <= MAX_OF_LIST, sent]).toEqual([true, sent]);
  });
});

type Write = OwnedObject | { key: string; id?: string; body?: unknown };

/** A resource of each kind of owner that has files. */
const makeDownload = async (keyOf: (owner: ResourceOwner) => string): Promise<Write> => {
  const owner = await makeResourceOwner(api);
  const resource_id = await makeFile(api, owner, { status: 'published' });
  return { key: keyOf(owner), body: { program_id: owner.programId, resource_id } };
};

const fromPayout = async (...verbs: string[]): Promise<Write> => {
  const { key, payoutId, act } = await makePayout(api);
  for (const verb of verbs) await act(verb, verb === 'fail' ? { note: 'Sent back' } : undefined);
  return { key, id: payoutId };
};

/** A run of one payout, after some verbs. Its approval is that of another key. */
const fromRun = async (verbs: string[], threshold: Record<string, number> | null = null): Promise<Write> => {
  const { key, merchantId } = await makePayable(api);
  const { key: second } = await makeKey(api.runtime, { ownerId: merchantId });
  await api.call('PATCH', '/merchant', { key, body: { payoutApprovalThreshold: threshold } });
  const { data: run } = await api.call('POST', '/payout-runs', { key, body: {} });
  const body = { total: run.total, items: run.items };
  for (const verb of verbs) {
    const call = { key, ...(verb === 'confirm' ? { body } : {}) };
    await api.call('POST', `/payout-runs/${run.id}/${verb}`, call);
  }
  return { key: threshold ? second : key, id: run.id, ...(verbs.length === 0 ? { body } : {}) };
};

/** An object in the state that a write needs, where it is not a new one. */
const PREPARED: Readonly<Record<string, () => Promise<Write>>> = {
  createFlag: async () => {
    const { key, affiliateId, conversionId } = await makePayable(api);
    return { key, body: { affiliateId, conversionIds: [conversionId], note: 'Bids on our brand name' } };
  },
  createPayout: async () => {
    const { key, affiliateId, programId } = await makePayable(api);
    return { key, body: { affiliateId, programId } };
  },
  createEmbedToken: async () => {
    const { key, affiliateId } = await makePayable(api);
    return { key, body: { affiliateId } };
  },
  claimInvite: async () => {
    const token = await (await makeInviter(api)).invite();
    return { ...(await makePerson(api)), id: token };
  },
  revokeInvite: async () => {
    const { key, create } = await makeInviter(api);
    return { key, id: (await create()).data.id };
  },
  applyToProgram: async () => {
    const { programId } = await makeInviter(api, { marketplaceStatus: 'public' });
    return { ...(await makePerson(api)), id: programId };
  },
  connectRailAccount: async () => ({ ...(await makeOwner(api, 'merchant')), id: 'sepa', body: BANK }),
  updateRailAccount: async () => ({ ...(await connectBank(api)), body: { debtorName: 'Acme GmbH' } }),
  deleteStripeConnection: () => makePayee(api),
  disconnectRailAccount: () => connectBank(api),
  checkRailAccount: () => connectBank(api),
  makeBankFiles: async () => ({ key: (await makeBankPayouts(api, ['Ada A'])).key, body: {} }),
  importBankStatement: async () => {
    const { key, bank } = await makeBankPayouts(api, ['Ada A']);
    return { key, body: { content: bank.statement(DEBTOR_IBAN, DAY, DAY).bytes.toString('utf8') } };
  },
  verifyPortalDomain: () => makePendingDomain(api, dns),
  createDownloadUrl: () => makeDownload(({ key }) => key),
  createMyDownloadUrl: () => makeDownload(({ affiliateKey }) => affiliateKey),
  approvePayout: async () => {
    const { pay, otherKey } = await makeApprovals(api, { threshold: 1 });
    return { key: otherKey, id: (await pay()).data.id };
  },
  approveAdjustment: async () => {
    const { adjust, otherKey } = await makeApprovals(api);
    return { key: otherKey, id: (await adjust(5_000, 'bonus')).data.id };
  },
  approvePendingChange: async () => {
    const { merchantId, key } = await makeMerchant(api.runtime);
    const other = await makeKey(api.runtime, { ownerId: merchantId });
    return { key: other.key, id: await makePendingChange(api, key) };
  },
  closeLedgerPeriod: async () => {
    const books = await makeBooks(api);
    await bookIn(api, A_MONTH, books);
    return { key: books.key };
  },
  completePayout: async () => ({ ...(await fromPayout('process')), body: { bankReference: 'SCT 2026-4711' } }),
  failPayout: () => fromPayout('process'),
  returnPayout: async () => ({ ...(await fromPayout('process', 'complete')), body: { note: 'The account is closed' } }),
  retryPayout: () => fromPayout('cancel'),
  completeRunPayouts: async () => ({ ...(await fromRun([])), body: { payoutIds: [MISSING_ID] } }),
  createPayoutRun: async () => ({ key: (await makePayable(api)).key, body: {} }),
  confirmPayoutRun: () => fromRun([]),
  approvePayoutRun: () => fromRun(['confirm'], { usd: 1 }),
  pausePayoutRun: () => fromRun(['confirm']),
  resumePayoutRun: () => fromRun(['confirm', 'pause']),
  resolvePayout: async () => {
    const { id, ...own } = await fromPayout('process', 'complete');
    const opened = `insert into payout_contradiction (payout_id, n, attempt_id, recorded, reported, opened_at)
      select payout_id, 1, id, 'paid', 'failed', now() from payout_attempt where payout_id = ?`;
    await rowsOf(api, opened, [id]);
    await rowsOf(api, `update payout set needs_attention = true, review_reason = 'contradiction' where id = ?`, [id]);
    return { ...own, ...(id === undefined ? {} : { id }) };
  },
  addAffiliate: async () => {
    const { key } = await makeMerchant(api.runtime);
    const { programId } = await makeProgram(api, key);
    return { key, body: { programId, email: `a-${unique()}@example.com` } };
  },
  inviteAffiliate: async () => {
    const { key } = await makeMerchant(api.runtime);
    const { programId } = await makeProgram(api, key);
    const body = { programId, email: `a-${unique()}@example.com` };
    return { key, id: (await api.call('POST', '/affiliates', { key, body })).data.id };
  },
  createWebhookEndpoint: async () => ({
    ...(await makeMerchant(api.runtime)),
    body: { name: 'Orders', url: 'https://1.1.1.1/hook', subscribedEvents: ['payout.created'] },
  }),
  createProgram: async () => ({
    ...(await makeMerchant(api.runtime)),
    body: { name: `Program ${unique()}`, commissionType: 'one_time', commissionPercent: 10 },
  }),
};

const prepare = async (op: Operation): Promise<Write> => {
  const prepared = PREPARED[op.id];
  if (prepared) return prepared();
  if (!op.path.includes('{id}')) return makeOwner(api, ownerTypeOf(op));
  const own = await makerOf(op)(api);
  const undo = { unblockAffiliate: 'block', enableWebhookEndpoint: 'disable' }[op.id];
  if (undo) await api.call('POST', op.path.replace('{id}', own.id).replace(/\w+$/, undo), { key: own.key });
  return { ...own, body: ownBody(op, own) };
};

/** It waits for Stripe between transactions: test/api/stripe-connections. */
const BY_CALLS = 'createStripeConnection';

const writes = OPERATIONS.filter(({ method, id }) => method !== 'GET' && id !== BY_CALLS);

describe('a write takes no more statements than stated', () => {
  it.each(table(writes))('%s', async (_name, op) => {
    const own = await prepare(op);
    const id = 'id' in own ? own.id : undefined;
    const body = 'body' in own ? { body: own.body } : {};
    await api.call('GET', '/me', { key: own.key });
    let response: TestResponse | undefined;
    const sent = await statementsOf(async () => {
      response = await callOperation(api, op, { id, key: own.key, own, headers: { 'idempotency-key': unique() }, ...body });
    });
    expect([nameOf(op), response?.status, response?.error]).toEqual([nameOf(op), op.status, undefined]);
    expect([sent.length <= (MAX_OF_WRITE[op.id] ?? 0), sent]).toEqual([true, sent]);
  });
});

test('a replay takes one statement where this process knows its key', async () => {
  const { key } = await makeMerchant(api.runtime);
  const body = { name: `Program ${unique()}`, commissionType: 'one_time', commissionPercent: 10 };
  const post = () => api.call('POST', '/programs', { key, body, headers: { 'idempotency-key': 'replayed' } });
  expect((await post()).status).toBe(201);
  const sent = await statementsOf(async () => expect((await post()).headers['idempotency-replayed']).toBe('true'));
  expect(sent).toEqual([expect.stringContaining('from "idempotency_record"')]);
});
