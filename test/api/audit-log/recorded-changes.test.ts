import { OPERATIONS } from '../../../src/api/routes.ts';
import { BankDouble } from '../../../src/local/bank-double/bank.ts';
import { firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import type { Operation } from '../../../src/platform/http/operation.ts';
import { useOwnApi } from '../../support/api.ts';
import { useDnsServer } from '../../support/dns-server.ts';
import { makeAffiliate, makeAffiliateKey, makeMerchant, makePayable, makeProgram, unique } from '../../support/factories.ts';
import { DEBTOR_IBAN } from '../../support/rails/sepa-bank.ts';
import { DAY, makeBankPayouts } from '../bank-files/support.ts';
import { bookIn } from '../ledger/support.ts';
import {
  A_MONTH,
  callOperation,
  MAKERS,
  makeOwner,
  makerOf,
  nameOf,
  type OwnedObject,
  ownBody,
  ownerTypeOf,
  system,
} from '../pipeline/support.ts';

const api = useOwnApi({ BILLING_SELF_SERVICE: 'true' });
const dns = useDnsServer();

const TIMELINE = 'is on the timeline of the payout, with who did it';
const CONTENT = 'marketing content: no money, no access and no terms';
const DELIVERY =
  'sends what was recorded already, to an endpoint whose changes are recorded; each attempt is in the delivery log';
const OWN_ACT = 'an act of the person in their own name, which the application keeps';
const OWN_MAIL = 'which optional mails the affiliate gets: no money, no access and no terms';
const OWN_LINK = 'a link of the affiliate, who earns by it only what the recorded terms say';

/** Operations that change something and leave no entry, with the reason. Whoever adds one decides here, or records the change. */
const EXEMPT: Readonly<Record<string, string>> = {
  createLink: OWN_LINK,
  updateLink: OWN_LINK,
  deleteLink: OWN_LINK,
  createAffiliateLink: OWN_LINK,
  changeMyCode: 'recorded for the merchant, whose affiliate it is',
  withdrawApplication: OWN_ACT,
  claimInvite: OWN_ACT,
  applyToProgram: OWN_ACT,
  updateMyNotifications: OWN_MAIL,
  createEmbedToken: 'changes nothing: it returns the address of a page with what the key may read already',
  approveAffiliate: 'changes nothing: it answers whether the affiliate is approved',
  connectStripe: 'only begins: the connection is recorded when Stripe has granted it',
  createStripeConnection: 'only begins: where the affiliate is paid is recorded when Stripe says that the account can receive',
  createPayout: TIMELINE,
  processPayout: TIMELINE,
  completePayout: TIMELINE,
  failPayout: TIMELINE,
  returnPayout: TIMELINE,
  resolvePayout: TIMELINE,
  cancelPayout: TIMELINE,
  approvePayout: TIMELINE,
  retryPayout: TIMELINE,
  processRunPayouts: TIMELINE,
  completeRunPayouts: TIMELINE,
  failRunPayouts: TIMELINE,
  returnRunPayouts: TIMELINE,
  importPayoutResults: TIMELINE,
  testWebhookEndpoint: DELIVERY,
  resendWebhookDelivery: DELIVERY,
  replayWebhookEndpoint: DELIVERY,
  cancelWebhookReplay: DELIVERY,
};
const isContent = (op: Operation): boolean => op.path.includes('marketing-resources');

const writes = OPERATIONS.filter(({ method }) => method !== 'GET');
const recorded = writes.filter((op) => !(op.id in EXEMPT) && !isContent(op));

type Prepare = (own: OwnedObject) => Promise<unknown>;
const post = (path: (id: string) => string, body: object = {}): Prepare => {
  return ({ id, key }) => api.call('POST', path(id), { key, body });
};

const publishDomain: Prepare = async ({ id, key }) => {
  api.runtime.settings.findTxtRecords = dns.find;
  const { record } = (await api.call('GET', `/programs/${id}/portal`, { key })).data.domain;
  await dns.set(record.name, [record.content]);
};

const runIn =
  (status: string): Prepare =>
  ({ id }) =>
    rowsOf(sql`update payout_run set status = ${status}, created_by = 'system:test', confirmed_by = 'system:test', confirmed_at = now()
      where id = ${id}::uuid returning id`);

const BANK = { debtorName: 'Northwind GmbH', debtorIban: DEBTOR_IBAN };
const connectBank: Prepare = ({ id, key }) => api.call('PUT', `/merchant/rail-accounts/${id}`, { key, body: BANK });

/** Calls that come first, where the operation would change nothing otherwise. */
const PREPARE: Readonly<Record<string, Prepare>> = {
  unblockAffiliate: post((id) => `/affiliates/${id}/block`),
  inviteAffiliate: ({ id }) =>
    rowsOf(sql`update affiliate set profile_hidden = true, joined_at = null where id = ${id}::uuid returning id`),
  enableWebhookEndpoint: post((id) => `/webhooks/${id}/disable`),
  revokeOldWebhookEndpointSecrets: post((id) => `/webhooks/${id}/rotate-secret`),
  closeLedgerPeriod: ({ ownerId: merchantId, affiliateId = '' }) => bookIn(api, A_MONTH, { merchantId, affiliateId }),
  approvePayoutRun: runIn('awaiting_approval'),
  pausePayoutRun: runIn('running'),
  resumePayoutRun: runIn('paused'),
  approveAdjustment: ({ id }) =>
    rowsOf(sql`update adjustment_request set created_by = 'system:test' where id = ${id}::uuid returning id`),
  approvePendingChange: ({ id }) =>
    rowsOf(sql`update pending_change set created_by = 'system:test' where id = ${id}::uuid returning id`),
  verifyPortalDomain: publishDomain,
  disconnectRailAccount: connectBank,
  checkRailAccount: connectBank,
  updateRailAccount: connectBank,
  disconnectStripe: ({ id }) =>
    rowsOf(sql`update program set stripe_account_id = 'acct_1', stripe_livemode = false, stripe_connected_at = now()
      where id = ${id}::uuid returning id`),
};
/** Bodies for operations whose example would change nothing, or names what does not exist. */
const BODIES: Readonly<Record<string, (own: OwnedObject) => object>> = {
  updateNotificationPreferences: () => ({ weeklyDigest: true }),
  createFlag: ({ affiliateId }) => ({ affiliateId, note: 'Bids on our brand name' }),
  confirmPayoutRun: () => ({ total: { usd: 2_000 }, items: 1 }),
  changeAffiliateCode: () => ({ code: `code-${unique()}` }),
  connectRailAccount: () => BANK,
  updateRailAccount: () => ({ debtorName: 'Acme Partners' }),
  makeBankFiles: () => ({}),
  importBankStatement: () => ({
    content: new BankDouble(() => new Date()).statement(DEBTOR_IBAN, DAY, DAY).bytes.toString('utf8'),
  }),
  updatePayoutInfo: () => ({ paypalEmail: 'new-address@example.com' }),
};

const rowsOf = <Row>(statement: ReturnType<typeof sql<Row>>): Promise<Row[]> => rows(api.runtime.context(system).em, statement);

/** Makes an owner with a payout that waits for a bank file. */
const makeBankOwner = async (): Promise<OwnedObject> => {
  const { merchantId: ownerId, key } = await makeBankPayouts(api, ['Ada A']);
  return { id: '', table: '', ownerId, key };
};

/** A person who is paid through Stripe by the merchant of the id. */
const makePayeeConnection = async (): Promise<OwnedObject> => {
  const { merchantId, key: merchantKey } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, merchantKey);
  const { profileId } = await makeAffiliate(api.runtime, programId);
  const railAccountId = api.runtime.ids.next();
  await rowsOf(sql`insert into rail_account (id, merchant_id, rail, identity, settings, secrets, status, created_at, updated_at)
    values (${railAccountId}::uuid, ${merchantId}::uuid, 'stripe_connect', ${merchantId}, '{}', '', 'ready', now(), now()) returning id`);
  await rowsOf(sql`insert into stripe_connection
      (id, profile_id, merchant_id, rail_account_id, country, account_id, state, has_to_wait, ready_at, created_at, updated_at)
    values (${api.runtime.ids.next()}::uuid, ${profileId}::uuid, ${merchantId}::uuid, ${railAccountId}::uuid, 'DE', 'acct_1', 'ready',
      false, now(), now(), now()) returning id`);
  const key = await makeAffiliateKey(api.runtime, profileId);
  return { id: merchantId, table: '', ownerId: profileId, key };
};

/** For operations without an id, the owner has a program with an affiliate. */
const ownerOf = async (op: Operation): Promise<OwnedObject> => {
  if (op.path.includes('{id}')) return makerOf(op)(api);
  if (op.path.includes('{rail}')) return { id: 'sepa', table: '', ...(await makeOwner(api, 'merchant')) };
  if (op.path.includes('{merchantId}')) return makePayeeConnection();
  if (op.path.startsWith('/bank-files')) return makeBankOwner();
  if (op.id === 'createPayoutRun') {
    const { programId: id, merchantId: ownerId, key } = await makePayable(api);
    return { id, ownerId, key, table: 'program', fields: { programId: id } };
  }
  if (ownerTypeOf(op) === 'affiliate') return { id: '', table: '', ...(await makeOwner(api, 'affiliate')) };
  const own = await MAKERS['programs']?.(api);
  if (!own) throw new Error('MAKERS has no programs');
  return { ...own, fields: { programId: own.id } };
};

const callOwn = async (op: Operation) => {
  const own = await ownerOf(op);
  await PREPARE[op.id]?.(own);
  const before = await countOf(own.ownerId);
  const body = BODIES[op.id]?.(own) ?? ownBody(op, own);
  const id = op.id === 'revokeInvite' ? await inviteOf(own) : own.id;
  const response = await callOperation(api, op, {
    key: own.key,
    id,
    own,
    from: '198.51.100.7',
    ...(body === undefined ? {} : { body }),
  });
  return { own, before, response };
};

const inviteOf = async ({ id, key }: OwnedObject): Promise<string> =>
  (await api.call('POST', `/programs/${id}/invites`, { key, body: { name: 'Ada' } })).data.id;

const countOf = async (ownerId: string): Promise<number> => {
  const { em } = api.runtime.context(system);
  return (
    (await firstRow(em, sql<{ count: number }>`select count(*)::int as count from audit_log where owner_id = ${ownerId}::uuid`))
      ?.count ?? 0
  );
};

const table = (operations: readonly Operation[]): [string, Operation][] => operations.map((op) => [nameOf(op), op]);

it.each(table(recorded))('SE15: %s leaves an entry with who did it, from where and in which request', async (_name, op) => {
  const { own, before, response } = await callOwn(op);
  expect({ status: response.status, text: response.text.slice(0, 300) }).toMatchObject({ status: op.status });
  expect(await countOf(own.ownerId)).toBeGreaterThan(before);
  if (ownerTypeOf(op) === 'affiliate') return;
  const entries = await rowsOf(sql<{ address: string; actor: string }>`select address, actor
    from audit_log where owner_id = ${own.ownerId}::uuid and request_id = ${response.meta.requestId}`);
  expect(entries[0]).toMatchObject({ address: '198.51.100.7', actor: expect.stringMatching(/^key:/) });
});

test('SE15: every exemption names an operation that exists', () => {
  const ids = new Set(writes.map(({ id }) => id));
  expect(Object.keys(EXEMPT).filter((id) => !ids.has(id))).toEqual([]);
  expect(Object.values(EXEMPT).every((reason) => reason.length > 20)).toBe(true);
  expect(CONTENT.length).toBeGreaterThan(20);
});
