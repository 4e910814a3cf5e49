import {
  type Affiliate,
  type AffiliateLink,
  type AffiliateWorkspaceOverview,
  type AffiliateWorkspaceOverviewProgramStats,
  type AffiliateWorkspaceProgram,
  type AffiliateWorkspaceProgramDetail,
  type AgentRef,
  ConflictError,
  type Conversion,
  type ConversionStats,
  type Coupon,
  type Flag,
  type Merchant,
  type Payout,
  type PayoutInfo,
  type PayoutStats,
  type PendingAffiliate,
  type ProgramDetail,
  type WebhookEndpoint,
} from 'agentref';
import { useTestApi } from '../support/api.ts';
import { makeApplication } from '../support/applications.ts';
import { makeAffiliate, makeAffiliateKey, makeKey, makeMerchant, makePayable, unique } from '../support/factories.ts';
import { makeFlag } from '../support/flags.ts';
import { listenForClients } from '../support/published-client.ts';

const api = useTestApi();
let clientOf: (apiKey: string) => AgentRef;

let merchant: Awaited<ReturnType<typeof makePayable>>;
let client: AgentRef;
beforeAll(async () => {
  clientOf = await listenForClients(api);
  merchant = await makePayable(api);
  client = clientOf(merchant.key);
});

type Words<S> = S extends `${infer First} ${infer Rest}` ? First | Words<Rest> : S;
/** The compiler compares each list with the client's own type: no field can be missing. */
const fieldsOf =
  <T>() =>
  <const S extends string>(text: [keyof T] extends [Words<S>] ? S : never): string[] =>
    text.split(' ');

const MERCHANT = fieldsOf<Merchant>()(
  'id userId companyName logoUrl billingTier billingRequirementStatus paymentStatus lastPaymentFailedAt defaultCookieDuration defaultPayoutThreshold timezone trackingRequiresConsent trackingParamAliases notificationPreferences onboardingCompleted onboardingStep createdAt updatedAt',
);
const PROGRAM = fieldsOf<ProgramDetail>()(
  'id merchantId name description slug website landingPageUrl portalSlug status marketplaceStatus applicationAccess marketplaceCategory marketplaceDescription marketplaceLogoUrl commissionType commissionPercent commissionLimitMonths commissionHoldDays cookieDuration trackingRequiresConsent trackingParamAliases payoutThreshold currency autoApproveAffiliates termsUrl stripeAccountId stripeConnectedAt createdAt updatedAt readiness',
);
const AFFILIATE = fieldsOf<Affiliate>()('id userId programId code status totalClicks totalConversions totalEarnings createdAt');
const CONVERSION = fieldsOf<Conversion>()('id affiliateId programId amount commission status method stripeSessionId createdAt');
const CONVERSION_STATS = fieldsOf<ConversionStats>()('total pending approved totalRevenue totalCommissions');
const PAYOUT = fieldsOf<Payout>()('id affiliateId amount status method createdAt completedAt');
const PAYOUT_STATS = fieldsOf<PayoutStats>()('totalPaid totalPending count');
const FLAG = fieldsOf<Flag>()('id affiliateId type status details note createdAt resolvedAt');
const PENDING = fieldsOf<PendingAffiliate>()(
  'affiliateId email name code programId programName payoutMethod paypalEmail bankIban pendingAmount currency threshold meetsThreshold commissionCount hasPayoutMethod',
);
const ENDPOINT = fieldsOf<WebhookEndpoint>()(
  'id name url status programId schemaVersion subscribedEvents secretLastFour createdAt updatedAt disabledAt',
);

const OVERVIEW = fieldsOf<AffiliateWorkspaceOverview>()(
  'affiliateProfileId programCount activeProgramCount totalEarnings pendingEarnings availableEarnings paidEarnings programStats',
);
const PROGRAM_STATS = fieldsOf<AffiliateWorkspaceOverviewProgramStats>()(
  'programId programName totalClicks totalConversions totalRevenue totalCommission totalPaidOut',
);
const OWN_PROGRAM = fieldsOf<AffiliateWorkspaceProgram>()(
  'affiliateId programId programName programDescription companyName portalSlug portalTheme marketplaceLogoUrl commissionType commissionPercent code isApproved isBlocked totalClicks totalConversions totalRevenue totalCommission totalPaidOut createdAt',
);
const OWN_PROGRAM_DETAIL = fieldsOf<Omit<AffiliateWorkspaceProgramDetail, 'payoutCompliance'>>()(
  'affiliateId programId programName programDescription merchantCompanyName portalTheme marketplaceLogoUrl website landingPageUrl commissionType commissionPercent commissionLimitMonths cookieDuration payoutThreshold payoutFrequency currency allowCustomDestinations allowedLandingPages termsUrl code isApproved isBlocked payoutMethod paypalEmail bankAccountHolder bankIban bankBic firstName lastName companyName addressLine1 addressLine2 city state postalCode country vatId taxIdType taxId taxFormCompleted totalClicks totalConversions totalRevenue totalCommission totalPaidOut pendingCommission createdAt',
);
const PAYOUT_INFO = fieldsOf<PayoutInfo>()(
  'payoutMethod paypalEmail bankAccountHolder bankIban bankBic firstName lastName addressLine1 addressLine2 city state postalCode vatId',
);
const COUPON = fieldsOf<Coupon>()('id code affiliateId programId createdAt');

const expectFields = (found: object | undefined, fields: string[]): void =>
  expect(Object.keys(found ?? {})).toEqual(expect.arrayContaining(fields));

const expectPage = (page: { data: object[]; meta: object }, fields: string[]): void => {
  expect(page.meta).toMatchObject({
    total: expect.any(Number),
    page: 1,
    pageSize: expect.any(Number),
    hasMore: false,
    requestId: expect.any(String),
  });
  expect(page.data.length).toBeGreaterThan(0);
  expectFields(page.data[0], fields);
};

const newProgram = (name = `Program ${unique()}`) => ({ name, commissionType: 'one_time' as const, commissionPercent: 10 });

test('me', async () => {
  expect(await client.affiliateWorkspace.identity()).toMatchObject({
    key: { ownerType: 'merchant', keyType: 'full', scopes: expect.arrayContaining(['payouts:write']) },
    owner: { merchantId: merchant.merchantId },
    programs: [{ id: merchant.programId }],
  });
  const { key } = await makeKey(api.runtime, { ownerId: merchant.profileId, keyType: 'affiliate' });
  expect(await clientOf(key).affiliateWorkspace.identity()).toMatchObject({
    key: { ownerType: 'affiliate' },
    owner: { affiliateId: expect.any(String) },
  });
});

test('merchant: get, update', async () => {
  expectFields(await client.merchant.get(), MERCHANT);
  const updated = await client.merchant.update({
    companyName: 'Acme',
    timezone: 'Europe/Berlin',
    defaultCookieDuration: 45,
    trackingParamAliases: ['partner'],
  });
  expect(updated).toMatchObject({
    companyName: 'Acme',
    timezone: 'Europe/Berlin',
    defaultCookieDuration: 45,
    trackingParamAliases: ['partner'],
  });
});

test('programs: create, get, list, update, delete', async () => {
  const { key } = await makeMerchant(api.runtime);
  const own = clientOf(key);
  const created = await own.programs.create({
    ...newProgram('Partners'),
    website: 'https://acme.example',
    currency: 'EUR',
    marketplaceStatus: 'draft',
  });
  expect(created).toMatchObject({ name: 'Partners', currency: 'eur', status: 'active', marketplaceStatus: 'draft' });
  const found = await own.programs.get(created.id);
  expectFields(found, PROGRAM);
  expect(found.readiness).toBe('partial');
  expectPage(
    await own.programs.list({ status: 'active' }),
    PROGRAM.filter((field) => field !== 'readiness'),
  );
  expect(await own.programs.update(created.id, { status: 'paused', portalSlug: null })).toMatchObject({
    id: created.id,
    status: 'paused',
  });
  expect(await own.programs.delete(created.id)).toMatchObject({ id: created.id, status: 'archived' });
});

test('programs.listAll returns every page', async () => {
  const own = clientOf((await makeMerchant(api.runtime)).key);
  const made = [];
  for (let time = 0; time < 7; time++) made.push((await own.programs.create(newProgram())).id);
  for (const pageSize of [1, 2, 7, 100]) {
    const walked: string[] = [];
    for await (const { id } of own.programs.listAll({ pageSize })) walked.push(id);
    expect(walked).toEqual([...made].reverse());
  }
});

test('every pagination style of the client', async () => {
  const first = await client.affiliates.list({ limit: 1, sortBy: 'createdAt', sortOrder: 'desc' });
  await makeAffiliate(api.runtime, merchant.programId);
  const [one, two] = [
    await client.affiliates.list({ page: 1, pageSize: 1 }),
    await client.affiliates.list({ offset: 1, limit: 1 }),
  ];
  const next = await client.affiliates.list({ cursor: one.meta.nextCursor ?? '', limit: 1 });
  expect([one.meta.hasMore, two.data[0]?.id, next.data[0]?.id]).toEqual([true, first.data[0]?.id, first.data[0]?.id]);
});

test('affiliates: list, get, block, unblock, and the list of one program', async () => {
  expectPage(
    await client.affiliates.list({
      programId: merchant.programId,
      status: 'approved',
      includeBlocked: true,
      search: merchant.code,
    }),
    AFFILIATE,
  );
  expectPage(await client.programs.listAffiliates(merchant.programId, { includeBlocked: true }), AFFILIATE);
  expectFields(await client.affiliates.get(merchant.affiliateId), AFFILIATE);
  expect(await client.affiliates.get(merchant.affiliateId, { include: 'stats' })).toMatchObject({
    id: merchant.affiliateId,
    totalConversions: 1,
  });
  expect(await client.affiliates.block(merchant.affiliateId, { reason: 'spam' }, { idempotencyKey: unique() })).toMatchObject({
    status: 'blocked',
  });
  expect(await client.affiliates.unblock(merchant.affiliateId)).toMatchObject({ status: 'approved' });
});

test('applications: list, get, approve, decline, block', async () => {
  const applied = await makeApplication(api, { message: 'Hello' });
  const own = clientOf(applied.key);
  const id = applied.applicationId;
  expectPage(await own.applications.list({ programId: applied.programId, status: 'pending', source: 'api', search: 'ada' }), [
    'id',
    'status',
  ]);
  expect(await own.applications.get(id)).toMatchObject({ id, status: 'pending', message: 'Hello' });
  const idempotencyKey = unique();
  const approved = await own.applications.approve(id, { note: 'Welcome' }, { idempotencyKey });
  expect(approved).toMatchObject({ id, status: 'approved', note: 'Welcome' });
  expect(await own.applications.approve(id, { note: 'Welcome' }, { idempotencyKey })).toEqual(approved);
  await expect(own.applications.decline(id)).rejects.toMatchObject({ status: 409 });
  const [second, third] = [await makeApplication(api), await makeApplication(api)];
  expect(await clientOf(second.key).applications.decline(second.applicationId)).toMatchObject({ status: 'declined' });
  expect(await clientOf(third.key).applications.block(third.applicationId, { note: 'Spam' })).toMatchObject({
    status: 'blocked',
  });
});

test('coupons: create, list, delete', async () => {
  const { programId, affiliateId } = merchant;
  const order = { affiliateId, code: 'ADA20', expiresAt: '2999-01-01T00:00:00Z' };
  const created = await client.programs.createCoupon(programId, order, { idempotencyKey: unique() });
  expectFields(created, COUPON);
  expect(await client.programs.listCoupons(programId)).toEqual([created]);
  expect(await client.programs.deleteCoupon(created.id)).toEqual(created);
  expect(await client.programs.listCoupons(programId)).toEqual([]);
});

test('links: create, list, update, delete', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { id: programId } = await clientOf(key).programs.create({ ...newProgram(), website: 'https://acme.example' });
  const allowedLandingPages = [{ path: '/pricing', label: 'Pricing' }];
  await api.call('PATCH', `/programs/${programId}`, { key, body: { allowedLandingPages } });
  const { profileId } = await makeAffiliate(api.runtime, programId);
  const own = clientOf(await makeAffiliateKey(api.runtime, profileId)).affiliateWorkspace;
  const [customSlug, idempotencyKey] = [`slug-${unique()}`, unique()];
  const order = { name: 'Newsletter', destinationPath: '/pricing', customSlug };
  const created: AffiliateLink = await own.createLink(order, { idempotencyKey, programId });
  expect(created).toMatchObject({
    name: 'Newsletter',
    code: customSlug,
    targetUrl: 'https://acme.example/pricing',
    isActive: true,
  });
  expect(await own.createLink(order, { idempotencyKey, programId })).toEqual(created);
  const [first] = (await own.listLinks()).slice(1);
  expect(first).toMatchObject({ name: 'Default link' });
  expect(await own.listLinks({ programId })).toEqual([created, first]);
  const updated = await own.updateLink(created.id, { name: 'Blog', targetUrl: null, isActive: false }, { programId });
  expect(updated).toMatchObject({ id: created.id, name: 'Blog', targetUrl: null, isActive: false });
  expect(await own.deleteLink(created.id, { programId })).toMatchObject({ id: created.id });
  expect(await own.listLinks()).toEqual([first]);
});

test('conversions: list, recent, stats', async () => {
  const from = '2020-01-01T00:00:00Z';
  expectPage(
    await client.conversions.list({ programId: merchant.programId, affiliateId: merchant.affiliateId, status: 'approved', from }),
    CONVERSION,
  );
  expectPage(await client.conversions.list({ startDate: from, endDate: '2100-01-01T00:00:00Z' }), CONVERSION);
  const recent = await client.conversions.recent({ limit: 5 });
  expect(recent).toHaveLength(1);
  expectFields(recent[0], CONVERSION);
  const stats = await client.conversions.stats({ programId: merchant.programId, period: '30d' });
  expectFields(stats, CONVERSION_STATS);
  expect(await client.conversions.stats()).toMatchObject({
    total: 1,
    approved: 1,
    totalRevenue: 10_000,
    totalCommissions: 2_000,
  });
});

test('flags: list, stats, resolve', async () => {
  const own = await makeFlag(api);
  const { flags } = clientOf(own.key);
  expectPage(await flags.list({ status: 'open', type: 'self_referral', affiliateId: own.affiliateId, page: 1, limit: 10 }), FLAG);
  expect(await flags.stats()).toEqual({ open: 1, reviewed: 0, dismissed: 0, confirmed: 0, total: 1 });
  const decision = { status: 'confirmed', note: 'Checked with the affiliate.', blockAffiliate: true } as const;
  const resolved = await flags.resolve(own.flagId, decision, { idempotencyKey: 'decision-1' });
  expect(resolved).toMatchObject({ id: own.flagId, status: 'confirmed', note: 'Checked with the affiliate.' });
  expect(await flags.resolve(own.flagId, decision, { idempotencyKey: 'decision-1' })).toEqual(resolved);
  await expect(flags.resolve(own.flagId, decision)).rejects.toThrow(ConflictError);
});

test('payouts: pending, create, list, stats; a repeat with the same idempotency key is the same payout', async () => {
  const pending = await client.payouts.listPending({ programId: merchant.programId });
  expectPage(pending, PENDING);
  expect(pending.data).toContainEqual(
    expect.objectContaining({
      affiliateId: merchant.affiliateId,
      pendingAmount: 2_000,
      meetsThreshold: true,
      hasPayoutMethod: true,
    }),
  );
  const order = { affiliateId: merchant.affiliateId, programId: merchant.programId, method: 'paypal' as const, notes: 'January' };
  const created = await client.payouts.create(order, { idempotencyKey: ' january ' });
  expectFields(created, PAYOUT);
  expect(await client.payouts.create(order, { idempotencyKey: 'january' })).toEqual(created);
  expectPage(
    await client.payouts.list({ status: 'pending', affiliateId: merchant.affiliateId, programId: merchant.programId }),
    PAYOUT,
  );
  expectFields(await client.payouts.stats({ period: '7d' }), PAYOUT_STATS);
});

test('tracking: the status of a program', async () => {
  const status = await client.tracking.getProgramStatus(merchant.programId);
  expect(status).toMatchObject({ programId: merchant.programId, health: { scriptInstalled: { complete: false } } });
  expectFields(status, ['programId', 'status', 'stats', 'recent', 'health', 'warnings', 'summary']);
});

test('affiliate workspace: clicks', async () => {
  const { key } = await makeKey(api.runtime, { ownerId: merchant.profileId, keyType: 'affiliate', preset: 'affiliate:full' });
  const { programId } = merchant;
  const stats = await clientOf(key).affiliateWorkspace.clickStats({ programId, startDate: '2026-01-01', endDate: '2026-01-31' });
  expect(stats).toMatchObject({ totalClicks: 0, byLink: [], byDay: [], bySource: [] });
});

test('affiliate workspace: overview, programs, earnings, payouts', async () => {
  const own = clientOf(await makeAffiliateKey(api.runtime, merchant.profileId)).affiliateWorkspace;
  const { programId, affiliateId } = merchant;
  const overview = await own.overview();
  expectFields(overview, OVERVIEW);
  expectFields(overview.programStats[0], PROGRAM_STATS);
  const [program] = await own.listPrograms();
  expectFields(program, OWN_PROGRAM);
  const detail = await own.getProgram(programId);
  expectFields(detail, OWN_PROGRAM_DETAIL);
  expect(detail).toMatchObject({ affiliateId, programId, totalConversions: 1 });
  expect(await own.earnings()).toMatchObject({ total: 2_000 });
  const lines = await own.listProgramEarnings(programId, { period: '30d', limit: 10 });
  expect(lines.data).toEqual([expect.objectContaining({ id: merchant.conversionId, amount: 2_000 })]);
  const payouts = await own.listPayouts({ programId, page: 1, pageSize: 10 });
  expect(payouts.meta).toMatchObject({ page: 1, pageSize: 10, hasMore: false });
  if (payouts.data[0]) expectFields(payouts.data[0], PAYOUT);
});

test('payout info: get, update', async () => {
  const { profileId } = await makeAffiliate(api.runtime, merchant.programId, null);
  const own = clientOf(await makeAffiliateKey(api.runtime, profileId)).payoutInfo;
  expectFields(await own.get(), PAYOUT_INFO);
  const order = { payoutMethod: 'bank_transfer' as const, bankIban: 'DE89370400440532013000', bankAccountHolder: 'Ada Byron' };
  const updated = await own.update(order);
  expect(updated).toMatchObject({ ...order, bankIban: '****3000' });
  expect(await own.get()).toEqual(updated);
});

test('webhooks: create, list, get, update, rotate, delete', async () => {
  const created = await client.webhooks.create({
    name: 'Orders',
    url: 'https://1.1.1.1/hook',
    subscribedEvents: ['payout.completed'],
    programId: merchant.programId,
    schemaVersion: 2,
  });
  expect(created.signingSecret).toMatch(/^whsec_/);
  const { id } = created.endpoint;
  expectFields(created.endpoint, ENDPOINT);
  expectFields((await client.webhooks.list({ programId: merchant.programId }))[0], ENDPOINT);
  expect(await client.webhooks.get(id)).toEqual(created.endpoint);
  expect(await client.webhooks.update(id, { name: 'Billing', programId: null })).toMatchObject({
    id,
    name: 'Billing',
    programId: null,
  });
  const rotated = await client.webhooks.rotateSecret(id);
  expect(rotated.signingSecret).not.toBe(created.signingSecret);
  expect(rotated.endpoint.secretLastFour).toBe(rotated.signingSecret.slice(-4));
  expect(await client.webhooks.delete(id)).toEqual({ success: true });
});
