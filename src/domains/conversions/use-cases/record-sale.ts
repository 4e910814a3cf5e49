import type { UnattributedReason } from '../../../contracts/conversions.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { conflict, invalidField, invariant } from '../../../platform/errors.ts';
import { lockProgramShared, type ProgramRecord } from '../../programs/index.ts';
import { applyWaiting } from '../apply-waiting.ts';
import { assertNotInFuture } from '../assert-not-in-future.ts';
import { getCustomerHistory } from '../attribution.queries.ts';
import type { CustomerHistory, UnusedEvidence } from '../attribution.ts';
import { recordOf } from '../attribution-record.ts';
import { type AttributedSale, creditSales, type SaleAttribution } from '../credit-sales.ts';
import { findMatch } from '../find-match.ts';
import { findFollowers } from '../late-evidence.ts';
import { Sale } from '../sale.entity.ts';
import { attributionColumns } from '../sale-attribution.ts';
import type { NewSale, SaleEvidence } from '../sale-input.ts';
import type { SaleResult } from '../sale-result.ts';
import { findKnownSale, type KnownSale, lockCustomer, lockSale } from '../sales.queries.ts';

export interface RecordSaleInput {
  program: ProgramRecord;
  sale: NewSale;
  evidence: SaleEvidence;
  /** What becomes of a sale in another currency than the program's: 422, or recorded without attribution. */
  otherCurrency: 'refuse' | 'record';
  /** Why nobody can be credited, whatever the evidence. Default: attribution decides. */
  unattributed?: UnattributedReason | null;
}

/** Records a sale, attributes it and posts the commission. A duplicate changes nothing. */
export const recordSale = (ctx: Context, input: RecordSaleInput): Promise<SaleResult> =>
  inTransaction(ctx, async (ctx) => {
    assertNotInFuture(ctx, input.sale.occurredAt);
    await lockSale(ctx, input.sale);
    const known = await findKnownSale(ctx, input.sale);
    if (known.id) return duplicateResult(ctx, known, input);
    // Read again under a lock: neither the currency nor the terms may change between here and the commit.
    const program = await lockProgramShared(ctx, input.program.id);
    const isOtherCurrency = input.sale.currency !== program.currency;
    if (isOtherCurrency && input.otherCurrency === 'refuse')
      throw invalidField('data.currency', `must be ${program.currency}, the program's currency`);
    await lockCustomer(ctx, input.sale);
    const evidence = withStoredEvidence(input.evidence, known.evidence);
    const toRecord: SaleToRecord = { program, sale: input.sale, evidence, known, id: ctx.ids.next() };
    const reason = isOtherCurrency ? 'OTHER_CURRENCY' : (input.unattributed ?? null);
    const { sale, conversion } =
      reason === null ? await attributeNewSale(ctx, toRecord) : await insertUnattributed(ctx, toRecord, reason);
    await applyWaiting(ctx, sale, known);
    return conversion ? { outcome: 'recorded', conversionId: conversion.id } : { outcome: 'unattributed', conversionId: null };
  });

const duplicateResult = (ctx: Context, known: KnownSale, input: RecordSaleInput): SaleResult => {
  if (known.payloadHash === input.sale.payloadHash) return { outcome: 'duplicate', conversionId: known.conversionId };
  ctx.log.warn({ saleId: known.id, programId: input.program.id }, 'a sale was received again with different data');
  throw conflict('PAYLOAD_MISMATCH', 'A sale with this saleId already exists with different data', {
    saleId: input.sale.externalId,
  });
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
  evidence: SaleEvidence;
  known: KnownSale;
}

/** Stores a sale with its attribution, and attributes recorded sales that it brings the evidence for. */
const attributeNewSale = async (ctx: Context, input: SaleToRecord): Promise<AttributedSale> => {
  const { id, program, sale, evidence } = input;
  if (program.status !== 'active') return insertUnattributed(ctx, input, 'PROGRAM_INACTIVE');
  const { match: own, unused } = await findMatch(ctx, { program, evidence, occurredAt: sale.occurredAt });
  const history = await getCustomerHistory(ctx, sale);
  const match = own ?? history.lastMatch;
  if (!match) return insertUnattributed(ctx, input, reasonWithoutMatch(program, history), unused);
  const followers = own && history.hasUnmatchedSales ? await findFollowers(ctx, sale, own, { saleId: id }) : [];
  const store = (attribution: SaleAttribution) => insertSale(ctx, input, attribution, unused);
  const attributed = await creditSales(ctx, program, [{ facts: sale, match, history, store }, ...followers]);
  const recorded = attributed.find((row) => row.sale.id === id);
  invariant(recorded, 'the new sale is among those attributed');
  return recorded;
};

const reasonWithoutMatch = ({ commissionType }: ProgramRecord, { hasEarlierSale }: CustomerHistory) =>
  commissionType === 'one_time' && hasEarlierSale ? 'NOT_FIRST_PAYMENT' : 'NO_MATCH';

const insertUnattributed = async (
  ctx: Context,
  input: SaleToRecord,
  reason: UnattributedReason,
  unused: readonly UnusedEvidence[] = [],
): Promise<AttributedSale> => ({ sale: await insertSale(ctx, input, { match: null, reason }, unused), conversion: null });

const insertSale = async (
  ctx: Context,
  { id, program, sale, known }: SaleToRecord,
  attribution: SaleAttribution,
  unused: readonly UnusedEvidence[],
): Promise<Sale> => {
  const row = ctx.em.create(Sale, {
    ...sale,
    ...attributionColumns(attribution),
    id,
    merchantId: program.merchantId,
    evidence: recordOf(ctx, attribution.match, unused),
    disputedAt: known.disputedAt,
    createdAt: ctx.clock.now(),
  });
  await ctx.em.flush();
  return row;
};
