import { randomUUID } from 'node:crypto';
import { listAffiliates } from '../../src/domains/affiliates/affiliates.queries.ts';
import { listConversions } from '../../src/domains/conversions/conversions.queries.ts';
import { listSales } from '../../src/domains/conversions/lists/sale-list.queries.ts';
import { getProgramStats } from '../../src/domains/conversions/lists/stats.queries.ts';
import { recordSale } from '../../src/domains/conversions/use-cases/record-sale.ts';
import { listFlags } from '../../src/domains/flags/flags.queries.ts';
import { refreshMarketplace } from '../../src/domains/marketplace/index.ts';
import { countedTotal, findMonthlyRevenue } from '../../src/domains/merchants/index.ts';
import { listPayouts } from '../../src/domains/payouts/lists/payout-list.queries.ts';
import { listPendingPayouts } from '../../src/domains/payouts/lists/pending-payouts.queries.ts';
import { getPayoutTimeline } from '../../src/domains/payouts/payouts.queries.ts';
import { cancelPayout } from '../../src/domains/payouts/use-cases/cancel-payout.ts';
import { createPayout } from '../../src/domains/payouts/use-cases/create-payout.ts';
import { listPrograms } from '../../src/domains/programs/programs.queries.ts';
import { db } from '../../src/domains/tables.ts';
import { getMyClicks } from '../../src/domains/tracking/click-stats.queries.ts';
import { followLink } from '../../src/domains/tracking/use-cases/click.ts';
import { listWebhookDeliveries } from '../../src/domains/webhooks/deliveries/webhook-deliveries.queries.ts';
import type { Context } from '../../src/platform/context.ts';
import type { Given } from '../../src/platform/database/compiled.ts';
import { type Expression, execute, type RawBuilder, sql } from '../../src/platform/database/sql.ts';
import { list } from '../../src/platform/http/lists.ts';
import type { Page } from '../../src/platform/http/operation.ts';
import type { PageQuery } from '../../src/platform/http/pages.ts';
import type { Runtime } from '../../src/runtime.ts';
import type { GrowthOwner } from './growth-data.ts';

export interface Member {
  id: string;
  code: string;
  programId: string;
  payoutId: string;
  profileId: string;
}

export interface GrowthSubject extends GrowthOwner {
  runtime: Runtime;
  /** Approved members that are not measured twice. */
  members: Member[];
  size: number;
}

export interface GrowthOperation {
  name: string;
  /** Operations of one measurement. */
  times: number;
  run(n: number): Promise<unknown>;
}

const contextOf = ({ runtime, merchantId }: GrowthSubject): Context =>
  runtime.context({ kind: 'key', keyId: merchantId, keyType: 'merchant', ownerId: merchantId, scopes: [] });

const nextMember = ({ members }: GrowthSubject): Member => {
  const member = members.pop();
  if (!member) throw new Error('too few members');
  return member;
};

const sell = async (subject: GrowthSubject, { code, programId }: Member): Promise<void> => {
  const ctx = contextOf(subject);
  const id = randomUUID();
  const { outcome } = await recordSale(ctx, {
    evidence: { referralCode: code },
    otherCurrency: 'refuse',
    sale: {
      programId,
      provider: 'events',
      externalId: id,
      payloadHash: id,
      amount: 10_000,
      chargedGross: null,
      currency: 'usd',
      customerId: id,
      customerEmailDigest: null,
      customerCanonicalDigest: null,
      customerEmailDomain: null,
      subscriptionId: null,
      stripeSessionId: null,
      metadata: null,
      occurredAt: new Date(),
    },
  });
  if (outcome !== 'recorded') throw new Error(`the sale was ${outcome}`);
};

/** A click of a new visitor on a redirect link: what a click costs whatever page reports it. */
const click = async (subject: GrowthSubject, { code }: Member): Promise<void> => {
  const visit = {
    method: 'GET',
    address: randomUUID(),
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    host: null,
    referer: null,
    isFromPage: false,
    isPrefetch: false,
    query: '',
  };
  await followLink(contextOf(subject), { code, visit });
};

/** Reads the clicks with the affiliate's own key. */
const readClicks = ({ runtime }: GrowthSubject, { profileId }: Member) =>
  getMyClicks(runtime.context({ kind: 'key', keyId: profileId, keyType: 'affiliate', ownerId: profileId, scopes: [] }), {});

/** The program is the only one that is due. */
const refreshProgram = async (subject: GrowthSubject, { programId }: Member): Promise<void> => {
  const ctx = contextOf(subject);
  const setDue = (at: string) =>
    execute(ctx.em, sql`update marketplace_refresh set due_at = ${at}::timestamptz where program_id = ${programId}::uuid`);
  await setDue('2000-01-01');
  if ((await refreshMarketplace(ctx)) !== 1) throw new Error('another program is due');
  await setDue('infinity');
};

/** Uses a time zone whose days differ from those of the stored sums. */
const readRevenue = (subject: GrowthSubject) =>
  findMonthlyRevenue(contextOf(subject), {
    id: subject.merchantId,
    billingTier: 'free',
    timezone: 'Asia/Kolkata',
  });

const writes = (subject: GrowthSubject): GrowthOperation[] => [
  { name: 'click', times: 60, run: () => click(subject, nextMember(subject)) },
  { name: 'clicks of an affiliate', times: 20, run: () => readClicks(subject, nextMember(subject)) },
  { name: 'revenue of the month', times: 20, run: () => readRevenue(subject) },
  {
    name: 'statistics of a program',
    times: 20,
    run: () => getProgramStats(contextOf(subject), nextMember(subject).programId, '30d'),
  },
  { name: 'figures of a program', times: 20, run: () => refreshProgram(subject, nextMember(subject)) },
  { name: 'sale', times: 100, run: () => sell(subject, nextMember(subject)) },
  {
    name: 'payout',
    times: 60,
    run: () => {
      const { id, programId } = nextMember(subject);
      return createPayout(contextOf(subject), { affiliateId: id, programId });
    },
  },
];

type List = (ctx: Context, page: PageQuery) => Promise<Page<unknown>>;

const listsOf = (subject: GrowthSubject, [member]: readonly Member[]): Record<string, List> => {
  const programId = member?.programId ?? '';
  return {
    programs: (ctx, page) => listPrograms(ctx, page),
    affiliates: (ctx, page) => listAffiliates(ctx, page),
    'affiliates by revenue': (ctx, page) => listAffiliates(ctx, { ...page, sortBy: 'totalRevenue' }),
    'affiliates by clicks': (ctx, page) => listAffiliates(ctx, { ...page, sortBy: 'totalClicks' }),
    'affiliates by name': (ctx, page) => listAffiliates(ctx, { ...page, sortBy: 'name' }),
    'affiliates of a program': (ctx, page) => listAffiliates(ctx, { ...page, programId }),
    'affiliates of a program by revenue': (ctx, page) => listAffiliates(ctx, { ...page, programId, sortBy: 'totalRevenue' }),
    'blocked affiliates': (ctx, page) => listAffiliates(ctx, { ...page, status: 'blocked' }),
    conversions: (ctx, page) => listConversions(ctx, subject.merchantId, page),
    'pending conversions': (ctx, page) => listConversions(ctx, subject.merchantId, { ...page, status: 'pending' }),
    'conversions of a program': (ctx, page) => listConversions(ctx, subject.merchantId, { ...page, programId }),
    'conversions of an affiliate': (ctx, page) =>
      listConversions(ctx, subject.merchantId, { ...page, affiliateId: member?.id ?? '' }),
    sales: (ctx, page) => listSales(ctx, subject.merchantId, page),
    'sales of a program': (ctx, page) => listSales(ctx, subject.merchantId, { ...page, programId }),
    'unattributed sales': (ctx, page) => listSales(ctx, subject.merchantId, { ...page, attributed: false }),
    flags: (ctx, page) => listFlags(ctx, page),
    'open flags': (ctx, page) => listFlags(ctx, { ...page, status: 'open' }),
    'flags of a type': (ctx, page) => listFlags(ctx, { ...page, type: 'manual_review' }),
    'flags of a program': (ctx, page) => listFlags(ctx, { ...page, programId }),
    'flags of an affiliate': (ctx, page) => listFlags(ctx, { ...page, affiliateId: member?.id ?? '' }),
    payouts: (ctx, page) => listPayouts(ctx, page),
    'payouts of a program': (ctx, page) => listPayouts(ctx, { ...page, programId }),
    'pending payouts': (ctx, page) => listPendingPayouts(ctx, page),
    'pending payouts of a program': (ctx, page) => listPendingPayouts(ctx, { ...page, programId }),
    deliveries: (ctx, page) => listWebhookDeliveries(ctx, { ...page, endpointId: subject.endpointId }),
    timeline: (ctx, page) => getPayoutTimeline(ctx, member?.payoutId ?? '', { ...page, order: 'asc' }),
  };
};

/** The first page and, where there is one, a page in the middle, read by its cursor. */
const reads = async (subject: GrowthSubject): Promise<GrowthOperation[]> => {
  const operations: GrowthOperation[] = [];
  for (const [name, read] of Object.entries(listsOf(subject, subject.members))) {
    const ctx = contextOf(subject);
    operations.push({ name, times: 20, run: () => read(ctx, {}) });
    const { total } = await read(ctx, {});
    const offset = Math.floor(Math.min(total, 500_000) / 2);
    const { nextCursor: cursor } = await read(ctx, { offset, limit: 1 });
    if (cursor !== null && total > 60) operations.push({ name: `${name}, deep`, times: 20, run: () => read(ctx, { cursor }) });
  }
  return operations;
};

/** Names of the operations of P15. */
export const PAGES = { withTotal: 'page with its total', without: 'page without its total' } as const;

/** The first page of a merchant's conversions, from their table alone: nothing but the total differs. */
const conversionsWith = (total: (merchantId: RawBuilder<string>) => Expression<{ total: number }>) =>
  list({
    name: 'bench',
    query: ({ merchantId }: Given<{ merchantId: string }>) =>
      db
        .selectFrom('conversion')
        .select(['id', 'programId', 'affiliateId', 'saleId', 'status', 'amount', 'refunded', 'commission', 'currency'])
        .select(['adjusted', 'createdAt', 'approvedAt', 'updatedAt'])
        .where('merchantId', '=', merchantId),
    total: ({ merchantId }) => total(merchantId),
    toItem: (row) => row,
  });

const pages = (subject: GrowthSubject): GrowthOperation[] => {
  const ctx = contextOf(subject);
  const { merchantId } = subject;
  const counted = conversionsWith((id) => countedTotal('conversion', id, {}));
  const uncounted = conversionsWith(() => sql`select 0 as total`);
  return [
    { name: PAGES.withTotal, times: 100, run: () => counted(ctx, {}, { merchantId }) },
    { name: PAGES.without, times: 100, run: () => uncounted(ctx, {}, { merchantId }) },
  ];
};

export const operationsOf = async (subject: GrowthSubject): Promise<GrowthOperation[]> => [
  ...(await reads(subject)),
  ...pages(subject),
  ...writes(subject),
];

/** A payout to a member with many paid commissions: one new sale each time, cancelled after the measurement. */
export const payLongStanding = async (subject: GrowthSubject, { id, programId }: Member): Promise<() => Promise<unknown>> => {
  const ctx = contextOf(subject);
  const payout = await createPayout(ctx, { affiliateId: id, programId });
  return () => cancelPayout(contextOf(subject), { id: payout.id });
};
