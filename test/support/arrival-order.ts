import fc from 'fast-check';
import type { CommissionType } from '../../src/contracts/programs.ts';
import type { SaleEvidence } from '../../src/domains/conversions/record/sale-input.steps.ts';
import { addEvidence } from '../../src/domains/conversions/use-cases/add-evidence.ts';
import { identifyCustomer } from '../../src/domains/conversions/use-cases/identify-customer.ts';
import { recordCumulativeRefund } from '../../src/domains/conversions/use-cases/record-cumulative-refund.ts';
import { recordDispute } from '../../src/domains/conversions/use-cases/record-dispute.ts';
import { recordRefund } from '../../src/domains/conversions/use-cases/record-refund.ts';
import { recordSale } from '../../src/domains/conversions/use-cases/record-sale.ts';
import { findProgram, type ProgramRecord } from '../../src/domains/programs/index.ts';
import { DAY_MS, HOUR_MS } from '../../src/platform/clock.ts';
import { rows, sql } from '../../src/platform/database/sql.ts';
import { invariant } from '../../src/platform/errors.ts';
import type { TestApi } from './api.ts';
import { makeAffiliate, makeClick, makeCoupon, makeMerchant, makeProgram, unique } from './factories.ts';

/** Events of one customer in any order. Sales are numbered in the order in which they occurred. */
type Event =
  | { kind: 'sale'; n: number; hours: number; evidence: Source | null }
  | { kind: 'evidence'; n: number; evidence: Source }
  | { kind: 'identification'; hours: number; evidence: Source }
  | { kind: 'refund'; n: number; id: number; amount: number }
  | { kind: 'cumulative'; n: number; refundedGross: number }
  | { kind: 'dispute'; n: number; status: 'opened' | 'lost' | 'closed' };

interface Source {
  affiliate: number;
  by: 'couponCode' | 'clickToken' | 'referralCode';
}

export interface Scenario {
  program: number;
  events: Event[];
  /** Indexes of the events in another order. */
  order: number[];
}

const TYPES: readonly { commissionType: CommissionType; commissionLimitMonths?: number }[] = [
  { commissionType: 'one_time' },
  { commissionType: 'recurring' },
  { commissionType: 'recurring_limited', commissionLimitMonths: 1 },
];
const AFFILIATES = 3;
/** Joined when some of the sales had occurred. */
const NEWCOMER = 2;
const SPAN_HOURS = 70 * 24;
const AMOUNT = 9_999;
const GROSS = 11_899;

/** Where the one evidence of each sale comes from. */
const PLANS = ['own', 'late', 'identified', 'first'] as const;

const changesOf = (n: number): fc.Arbitrary<Event[]> =>
  fc.oneof(
    fc.constant<Event[]>([]),
    fc
      .array(fc.integer({ min: 1, max: AMOUNT / 3 }), { minLength: 1, maxLength: 3 })
      .map((amounts) => amounts.map((amount, id): Event => ({ kind: 'refund', n, id, amount }))),
    fc
      .array(fc.integer({ min: 1, max: GROSS }), { minLength: 1, maxLength: 2 })
      .map((totals) => totals.map((refundedGross): Event => ({ kind: 'cumulative', n, refundedGross }))),
    fc
      .constantFrom<('opened' | 'lost' | 'closed')[]>(['opened'], ['opened', 'lost'], ['opened', 'closed'])
      .map((statuses) => statuses.map((status): Event => ({ kind: 'dispute', n, status }))),
  );

const eventsOf = (program: number): fc.Arbitrary<Event[]> => {
  // Evidence from before its affiliate joined is none, and one_time programs need one for each sale.
  const affiliates = program === 0 ? NEWCOMER : AFFILIATES;
  const source = fc.record<Source>({
    affiliate: fc.nat(affiliates - 1),
    by: fc.constantFrom('couponCode', 'clickToken', 'referralCode'),
  });
  return fc.integer({ min: 1, max: 4 }).chain((count) =>
    fc
      .record({
        plan: fc.constantFrom(...PLANS),
        hours: fc.array(fc.nat(SPAN_HOURS), { minLength: count, maxLength: count }),
        sources: fc.array(source, { minLength: count, maxLength: count }),
        identifiedAt: fc.nat(SPAN_HOURS),
        changes: fc.tuple(...Array.from({ length: count }, (_, n) => changesOf(n))),
      })
      .map(({ plan, hours, sources, identifiedAt, changes }): Event[] => {
        const times = hours.toSorted((a, b) => a - b);
        const [first] = sources;
        invariant(first, 'there is a sale');
        const ownOf = (n: number): Source | null => {
          if (plan === 'own') return sources[n] ?? null;
          return plan === 'first' && n === 0 ? first : null;
        };
        const sales = times.map((at, n): Event => ({ kind: 'sale', n, hours: at, evidence: ownOf(n) }));
        const late = plan === 'late' ? times.map((_, n): Event => ({ kind: 'evidence', n, evidence: first })) : [];
        const at = program === 0 ? Math.min(identifiedAt, times[0] ?? 0) : identifiedAt;
        const signUp: Event[] = plan === 'identified' ? [{ kind: 'identification', hours: at, evidence: first }] : [];
        return [...signUp, ...sales, ...late, ...changes.flat()];
      }),
  );
};

export const scenarios: fc.Arbitrary<Scenario> = fc.nat(TYPES.length - 1).chain((program) =>
  eventsOf(program).chain((events) => {
    const indexes = events.map((_, at) => at);
    const order = fc.shuffledSubarray(indexes, { minLength: indexes.length, maxLength: indexes.length });
    return order.map((shuffled) => ({ program, events, order: shuffled }));
  }),
);

type Sources = Readonly<Record<Source['by'], string>>[];

/** Programs of each commission type, with affiliates that joined before all sales and one that joined later. */
export const makePrograms = async (api: TestApi) => {
  const context = () => api.runtime.context({ kind: 'system', name: 'test' });
  const { key } = await makeMerchant(api.runtime);
  const start = Date.now() - (SPAN_HOURS + 24) * HOUR_MS;
  const programs: { program: ProgramRecord; sources: Sources }[] = [];
  for (const terms of TYPES) {
    const { programId } = await makeProgram(api, key, {
      commissionHoldDays: 30,
      commissionPercent: 12.5,
      cookieDuration: 365,
      ...terms,
    });
    const sources: Record<Source['by'], string>[] = [];
    for (let n = 0; n < AFFILIATES; n++) {
      const member = { programId, ...(await makeAffiliate(api.runtime, programId)) };
      const daysAgo = n === NEWCOMER ? 35 : 400;
      await rows(
        context().em,
        sql`update affiliate set created_at = now() - ${daysAgo} * interval '1 day' where id = ${member.affiliateId}::uuid`,
      );
      const { couponCode } = await makeCoupon(api.runtime, member);
      await rows(context().em, sql`update coupon set created_at = now() - interval '1 year' where code = ${couponCode}`);
      const { clickToken } = await makeClick(api.runtime, member, (90 * DAY_MS) / 60_000);
      sources.push({ couponCode, clickToken, referralCode: member.code });
    }
    const program = await findProgram(context(), programId);
    invariant(program, 'the program exists');
    programs.push({ program, sources });
  }

  /** Receives the events in their order, for a customer of its own; returns what it led to. */
  const receive = async (scenario: Scenario, events: readonly Event[]): Promise<unknown> => {
    const made = programs[scenario.program];
    invariant(made, 'the program was made');
    const { program } = made;
    const customerId = unique();
    const timeOf = (hours: number) => new Date(Math.floor((start + hours * HOUR_MS) / 1000) * 1000);
    const evidenceOf = (source: Source | null): SaleEvidence =>
      source ? { [source.by]: made.sources[source.affiliate]?.[source.by] } : {};
    const saleOf = (n: number) => ({ programId: program.id, provider: 'stripe' as const, externalId: `${customerId}-${n}` });
    const person = { customerId, customerEmailDigest: null, customerCanonicalDigest: null, customerEmailDomain: null };
    const now = new Date();
    const apply = (event: Event) => {
      const ctx = context();
      switch (event.kind) {
        case 'sale': {
          const money = { amount: AMOUNT, chargedGross: GROSS, currency: 'usd', metadata: null, stripeSessionId: null };
          const sale = {
            ...saleOf(event.n),
            ...person,
            ...money,
            payloadHash: '',
            subscriptionId: 'sub',
            occurredAt: timeOf(event.hours),
          };
          return recordSale(ctx, { sale, evidence: evidenceOf(event.evidence), otherCurrency: 'refuse' });
        }
        case 'evidence':
          return addEvidence(ctx, { sale: saleOf(event.n), evidence: evidenceOf(event.evidence) });
        case 'identification': {
          const identified = { ...person, provider: 'stripe' as const, occurredAt: timeOf(event.hours), payloadHash: '' };
          return identifyCustomer(ctx, { programId: program.id, ...identified, evidence: evidenceOf(event.evidence) });
        }
        case 'refund': {
          const { externalId: externalSaleId, ...at } = saleOf(event.n);
          const refund = { ...at, externalId: `${externalSaleId}-${event.id}`, externalSaleId, payloadHash: '', occurredAt: now };
          return recordRefund(ctx, { refund: { ...refund, amount: event.amount } });
        }
        case 'cumulative': {
          const { refundedGross } = event;
          const refund = {
            sale: saleOf(event.n),
            refundedGross,
            chargedGross: GROSS,
            occurredAt: now,
            cause: 'refund' as const,
          };
          return recordCumulativeRefund(ctx, refund);
        }
        case 'dispute': {
          const { status } = event;
          const disputeId = `${customerId}-${event.n}`;
          const dispute = {
            sale: saleOf(event.n),
            disputeId,
            status,
            disputedGross: GROSS,
            chargedGross: GROSS,
            occurredAt: now,
          };
          return recordDispute(ctx, dispute);
        }
      }
    };
    for (const event of events) await apply(event);
    return resultOf(context(), program.id, customerId);
  };
  return { receive };
};

type Context = ReturnType<TestApi['runtime']['context']>;

/** Who is credited for each sale of a customer, and the sum of each account of its commissions. */
const resultOf = async (ctx: Context, programId: string, customerId: string) => {
  const sales = await rows(
    ctx.em,
    sql`select right(s.external_id, 1) as sale, s.reason, s.refunded::int, s.disputed_at is not null as disputed,
        case when s.reason is null then s.affiliate_id end as affiliate, case when s.reason is null then c.status end as status,
        coalesce(c.commission, 0)::int as commission
      from sale s left join conversion c on c.sale_id = s.id
      where s.program_id = ${programId}::uuid and s.customer_id = ${customerId} order by s.external_id`,
  );
  const books = await rows(
    ctx.em,
    sql`select e.account, e.owner_id as owner, sum(e.amount)::int as amount
      from sale s join conversion c on c.sale_id = s.id join ledger_entry e on e.reference_id = c.id
      where s.program_id = ${programId}::uuid and s.customer_id = ${customerId}
      group by e.account, e.owner_id having sum(e.amount) <> 0 order by e.account, e.owner_id`,
  );
  return { sales, books };
};

/** Affiliates whose totals are not those of their conversions. */
export const findWrongTotals = (ctx: Context) =>
  rows(
    ctx.em,
    sql`select t.affiliate_id from affiliate_totals t left join (
        select affiliate_id, count(*) as conversions, sum(amount - refunded) as revenue, sum(commission) as earnings
        from conversion where status <> 'rejected' group by affiliate_id) c on c.affiliate_id = t.affiliate_id
      where (t.conversions, t.revenue, t.earnings) is distinct from
        (coalesce(c.conversions, 0), coalesce(c.revenue, 0), coalesce(c.earnings, 0))`,
  );
