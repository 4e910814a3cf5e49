import type { Context } from '../../../platform/context.ts';
import { notFound } from '../../../platform/errors.ts';
import { uuid } from '../../../platform/http/schemas.ts';
import { jsonReader } from '../../../platform/http/validate.ts';
import { findProgram, verifyEventSignature } from '../../programs/index.ts';
import { saleEventSchema, toEvidence, toIdentification, toRefund, toSale } from '../sale-events.wire.ts';
import type { SaleResult } from '../sale-result.ts';
import { identifyCustomer } from './identify-customer.ts';
import { recordRefund } from './record-refund.ts';
import { recordSale } from './record-sale.ts';

export interface SaleEventInput {
  programId: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  rawBody: Buffer;
}

const parseSaleEvent = jsonReader(saleEventSchema);

/** Verifies the signature with the program's event secrets, then records the sale, refund or sign-up. */
export const receiveSaleEvent = async (ctx: Context, input: SaleEventInput): Promise<SaleResult> => {
  const program = uuid.safeParse(input.programId).success ? await findProgram(ctx, input.programId) : null;
  if (!program) throw notFound('Program');
  await verifyEventSignature(ctx, { ...input, programId: program.id });
  const event = parseSaleEvent(input.rawBody);
  if (event.type === 'sale.refunded') return recordRefund(ctx, { program, refund: toRefund(program.id, event.data) });
  if (event.type === 'customer.identified')
    return identifyCustomer(ctx, { program, ...toIdentification(ctx.cipher, event.data) });
  const sale = toSale(ctx.cipher, program.id, event.data);
  return recordSale(ctx, { program, sale, evidence: toEvidence(event.data), otherCurrency: 'refuse' });
};
