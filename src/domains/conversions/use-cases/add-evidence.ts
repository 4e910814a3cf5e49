import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import { json } from '../../../platform/database/table.ts';
import type { ProgramRecord } from '../../programs/index.ts';
import { db } from '../../tables.ts';
import { getCustomerHistory, mayBeAttributedLate } from '../attribute/attribution.queries.ts';
import { findMatch } from '../attribute/find-match.steps.ts';
import { factsOf, lockLateMatches, toMatchedSale } from '../attribute/late-evidence.steps.ts';
import type { StoredEvidence } from '../customer-identification.entity.ts';
import { creditSales } from '../record/credit-sales.steps.ts';
import { lockCustomerAndProgram } from '../record/customer-lock.queries.ts';
import type { SaleResult } from '../record/sale-events.wire.ts';
import type { ExternalReference, SaleEvidence } from '../record/sale-input.steps.ts';
import { findKnownSale, lockSale, lockSaleRow } from '../record/sales.queries.ts';
import type { Sale } from '../sale.entity.ts';

export interface AddEvidenceInput {
  sale: ExternalReference;
  evidence: SaleEvidence;
}

/**
 * Evidence that is received apart from its sale. It, or what the customer came with before, attributes a sale of the last 24 hours that
 * had no match; for any other sale it changes nothing. Before the sale, it is stored until the sale is received, whose own evidence is
 * stronger.
 */
export const addEvidence = (ctx: Context, input: AddEvidenceInput): Promise<SaleResult> =>
  inTransaction(ctx, async (ctx) => {
    await lockSale(ctx, input.sale);
    const known = await findKnownSale(ctx, input.sale);
    if (known.customerId === null) {
      await storeEvidence(ctx, input);
      return { outcome: 'waiting', conversionId: null };
    }
    const names = { programId: input.sale.programId, customerId: known.customerId };
    const { program, customer } = await lockCustomerAndProgram(ctx, names);
    const sale = await lockSaleRow(ctx, input.sale);
    const conversionId =
      sale && program.status === 'active'
        ? await attributeLate(ctx, { program, sale, customerIds: customer.ids }, input.evidence)
        : null;
    if (conversionId) return { outcome: 'recorded', conversionId };
    return { outcome: known.conversionId ? 'duplicate' : 'unattributed', conversionId: known.conversionId };
  });

/** The id of the conversion. Null when nobody is credited by the evidence. */
const attributeLate = async (
  ctx: Context,
  { program, sale, customerIds }: { program: ProgramRecord; sale: Sale; customerIds: readonly string[] },
  evidence: SaleEvidence,
): Promise<string | null> => {
  if (!mayBeAttributedLate(ctx, sale)) return null;
  const { match: own, unused } = await findMatch(ctx, { program, evidence, occurredAt: sale.occurredAt });
  const match = own ?? (await getCustomerHistory(ctx, factsOf(sale, customerIds))).lastMatch;
  if (!match) return null;
  const late = own ? await lockLateMatches(ctx, { ...sale, customerIds }, own, { saleId: sale.id }) : [];
  const attributed = await creditSales(ctx, program, [await toMatchedSale(ctx, { sale, customerIds }, match, unused), ...late]);
  return attributed.find(({ saleId }) => saleId === sale.id)?.conversionId ?? null;
};

const toStored = ({ attributedAt, ...evidence }: SaleEvidence): StoredEvidence =>
  attributedAt ? { ...evidence, attributedAt: attributedAt.toISOString() } : evidence;

/** What was stored first is kept. */
const storeEvidence = (ctx: Context, { sale, evidence }: AddEvidenceInput): Promise<number> =>
  execute(
    ctx.em,
    db
      .insertInto('sale_evidence')
      .values({
        programId: sale.programId,
        provider: sale.provider,
        externalSaleId: sale.externalId,
        evidence: json(toStored(evidence)),
        createdAt: ctx.clock.now().toISOString(),
      })
      .onConflict((conflict) =>
        conflict
          .columns(['programId', 'provider', 'externalSaleId'])
          .doUpdateSet({ evidence: sql<StoredEvidence>`excluded.evidence || sale_evidence.evidence` }),
      ),
  );
