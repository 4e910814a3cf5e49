import type { UnattributedReason } from '../../../contracts/conversions.ts';
import { type Context, emit, inTransaction } from '../../../platform/context.ts';
import { compileOnce, type Given } from '../../../platform/database/compiled.ts';
import { eachOf, execute, rowOfEach } from '../../../platform/database/sql.ts';
import { invalidField, invariant } from '../../../platform/errors.ts';
import type { UnusableMember } from '../../../platform/http/lenient.ts';
import type { ProgramRecord } from '../../programs/index.ts';
import {
  customerHistory,
  type HistoryRow,
  historyValues,
  type SaleFacts,
  toCustomerHistory,
} from '../attribute/attribution.queries.ts';
import type { CustomerHistory, UnusedEvidence } from '../attribute/attribution.rules.ts';
import { findMatch } from '../attribute/find-match.steps.ts';
import { lockLateMatches } from '../attribute/late-evidence.steps.ts';
import { attributionColumns, recordOf, type SaleAttribution } from '../attribute/sale-attribution.steps.ts';
import { toSaleView } from '../lists/sales.wire.ts';
import type { StoredSale } from '../record/create-conversion.steps.ts';
import { type AttributedSale, creditSales } from '../record/credit-sales.steps.ts';
import { lockCustomerAndProgram } from '../record/customer-lock.queries.ts';
import { saleMismatch } from '../record/payload-difference.rules.ts';
import type { SaleResult } from '../record/sale-events.wire.ts';
import { assertNotInFuture, type NewSale, type SaleEvidence } from '../record/sale-input.steps.ts';
import { type KnownSale, type KnownSaleRow, knownSale, newSale, saleLock, toKnownSale } from '../record/sales.queries.ts';
import { reportUnusable, type UnusableParts } from '../record/unusable-parts.steps.ts';
import { applyWaiting } from '../refund/refunds.steps.ts';
import { Sale } from '../sale.entity.ts';

export interface RecordSaleInput {
  sale: NewSale;
  evidence: SaleEvidence;
  /** What becomes of a sale in another currency than the program's: 422, or recorded without attribution. */
  otherCurrency: 'refuse' | 'record';
  /** Why nobody can be credited, whatever the evidence. Default: attribution decides. */
  unattributed?: UnattributedReason | null;
  /** What of the event could not be used: stored with the sale, and a problem for a person. Default: nothing. */
  unusable?: UnusableParts;
}

/** Records a sale, attributes it and posts the commission, whatever of its evidence can be used. A duplicate changes nothing. */
export const recordSale = (ctx: Context, input: RecordSaleInput): Promise<SaleResult> =>
  inTransaction(ctx, async (ctx) => {
    assertNotInFuture(ctx, input.sale.occurredAt);
    const { program, customer } = await lockCustomerAndProgram(ctx, input.sale, [saleLock(input.sale)]);
    const facts = { ...input.sale, customerIds: customer.ids };
    // A statement of its own: it must see what was committed while the locks were waited for.
    const found = await rowOfEach(ctx.em, knownBefore({ ...historyValues(ctx, facts), provider: input.sale.provider }));
    const known = toKnownSale(found.known);
    if (known.id) return duplicateResult(ctx, known, input);
    const isOtherCurrency = input.sale.currency !== program.currency;
    if (isOtherCurrency && input.otherCurrency === 'refuse')
      throw invalidField('data.currency', `must be ${program.currency}, the program's currency`);
    const evidence = withStoredEvidence(input.evidence, known.evidence);
    const history = toCustomerHistory(found.history);
    const unusable = input.unusable?.members ?? [];
    const toRecord: SaleToRecord = { program, sale: input.sale, facts, evidence, unusable, known, history, id: ctx.ids.next() };
    const given = isOtherCurrency ? 'OTHER_CURRENCY' : (input.unattributed ?? null);
    const { conversionId, reason } =
      given === null ? await attributeNewSale(ctx, toRecord) : await storeUnattributed(ctx, toRecord, given);
    await applyWaiting(ctx, input.sale, known);
    const reported = await reportUnusable(ctx, program.merchantId, input.unusable);
    return reason === null
      ? { outcome: 'recorded', conversionId, ...reported }
      : { outcome: 'unattributed', conversionId, reason, ...reported };
  });

type Before = ReturnType<typeof historyValues> & Pick<NewSale, 'provider'>;

const knownBefore = compileOnce((before: Given<Before>) =>
  eachOf<Found>({ known: knownSale(before), history: customerHistory(before) }),
);

interface Found {
  known: KnownSaleRow;
  history: HistoryRow;
}

const duplicateResult = async (ctx: Context, known: KnownSale, input: RecordSaleInput): Promise<SaleResult> => {
  if (known.payloadHash === input.sale.payloadHash) return { outcome: 'duplicate', conversionId: known.conversionId };
  ctx.log.warn({ saleId: known.id, programId: input.sale.programId }, 'a sale was received again with different data');
  throw saleMismatch(await ctx.em.findOneOrFail(Sale, { id: known.id ?? '' }), input.sale);
};

/** Evidence of the sale itself is stronger than what was received apart from it. */
const withStoredEvidence = (own: SaleEvidence, stored: SaleEvidence): SaleEvidence => ({
  couponCode: own.couponCode ?? stored.couponCode,
  clickToken: own.clickToken ?? stored.clickToken,
  referralCode: own.referralCode ?? stored.referralCode,
  attributedAt: own.attributedAt ?? stored.attributedAt,
});

interface SaleToRecord {
  id: string;
  program: ProgramRecord;
  sale: NewSale;
  facts: SaleFacts;
  evidence: SaleEvidence;
  unusable: readonly UnusableMember[];
  known: KnownSale;
  history: CustomerHistory;
}

/** Stores a sale with its attribution, and attributes recorded sales that it brings the evidence for. */
const attributeNewSale = async (ctx: Context, input: SaleToRecord): Promise<AttributedSale> => {
  const { id, program, sale, facts, evidence, history } = input;
  if (program.status !== 'active') return storeUnattributed(ctx, input, 'PROGRAM_INACTIVE');
  const { match: own, unused } = await findMatch(ctx, { program, evidence, occurredAt: sale.occurredAt });
  const match = own ?? history.lastMatch;
  if (!match) return storeUnattributed(ctx, input, reasonWithoutMatch(program, history), unused);
  const late = own && history.hasUnmatchedSales ? await lockLateMatches(ctx, facts, own, { saleId: id }) : [];
  const store = (attribution: SaleAttribution) => storeSale(ctx, input, attribution, unused);
  const attributed = await creditSales(ctx, program, [{ facts, match, history, store }, ...late]);
  const recorded = attributed.find(({ saleId }) => saleId === id);
  invariant(recorded, 'the new sale is among those attributed');
  return recorded;
};

const reasonWithoutMatch = ({ commissionType }: ProgramRecord, { hasEarlierSale }: CustomerHistory) =>
  commissionType === 'one_time' && hasEarlierSale ? 'NOT_FIRST_PAYMENT' : 'NO_MATCH';

const storeUnattributed = async (
  ctx: Context,
  input: SaleToRecord,
  reason: UnattributedReason,
  unused: readonly UnusedEvidence[] = [],
): Promise<AttributedSale> => {
  const { id } = await storeSale(ctx, input, { match: null, reason }, unused);
  return { saleId: id, conversionId: null, reason };
};

const storeSale = async (
  ctx: Context,
  { id, program, sale, known, unusable }: SaleToRecord,
  attribution: SaleAttribution,
  unused: readonly UnusedEvidence[],
): Promise<StoredSale> => {
  const { stripeCustomerId: _, ...columns } = sale;
  const row = {
    ...columns,
    ...attributionColumns(attribution),
    id,
    merchantId: program.merchantId,
    disputedAt: known.disputedAt,
    createdAt: ctx.clock.now(),
  };
  const evidence = JSON.stringify(recordOf(ctx, attribution.match, { unused, unusable }));
  await execute(ctx.em, newSale({ ...row, metadata: sale.metadata && JSON.stringify(sale.metadata), evidence }));
  const { merchantId, programId } = row;
  if (attribution.reason !== null) {
    const data = toSaleView({ ...row, refunded: 0, unusable }, null);
    await emit(ctx, { type: 'sale.unattributed', merchantId, programId, data });
  }
  return { ...row, refunded: 0 };
};
