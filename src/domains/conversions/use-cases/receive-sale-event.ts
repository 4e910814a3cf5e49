import type { Context } from '../../../platform/context.ts';
import { notFound } from '../../../platform/errors.ts';
import type { UnusableMember } from '../../../platform/http/lenient.ts';
import { uuid } from '../../../platform/http/schemas.ts';
import { jsonReader } from '../../../platform/http/validate.ts';
import { MAX_AMOUNT_MINOR } from '../../../platform/money.ts';
import { Turns } from '../../../platform/turns.ts';
import { verifyEventSignature } from '../../programs/index.ts';
import {
  type SaleResult,
  saleEventSchema,
  toDispute,
  toEvidence,
  toIdentification,
  toRefund,
  toReversal,
  toSale,
} from '../record/sale-events.wire.ts';
import { saleLock } from '../record/sales.queries.ts';
import type { UnusableParts } from '../record/unusable-parts.steps.ts';
import { identifyCustomer } from './identify-customer.ts';
import { recordDispute } from './record-dispute.ts';
import { recordRefund } from './record-refund.ts';
import { recordSale } from './record-sale.ts';
import { reverseRefund } from './reverse-refund.ts';

export interface SaleEventInput {
  programId: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  rawBody: Buffer;
  isSuspect: boolean;
  /** Waits for the turn of the merchant who signed it. */
  admit(merchantId: string): Promise<void>;
}

/** Shorter than a statement waits for a lock. */
const MAX_WAIT_MS = 1_000;

/** Events of one sale take its lock: those of this process would hold a connection each while they wait for it. */
const turns = new Turns(MAX_WAIT_MS);

const parseSaleEvent = jsonReader(saleEventSchema);

/** Verifies the signature with the program's event secrets, then records what the event says. */
export const receiveSaleEvent = async (ctx: Context, input: SaleEventInput): Promise<SaleResult> => {
  const { data: programId } = uuid.safeParse(input.programId);
  if (programId === undefined) throw notFound('Program');
  await input.admit(await verifyEventSignature(ctx, { ...input, programId }));
  const event = parseSaleEvent(input.rawBody);
  if (event.type === 'sale.refunded') {
    const refund = toRefund(programId, event.data);
    return turns.take(saleLock({ ...refund, externalId: refund.externalSaleId }), () => recordRefund(ctx, { refund }));
  }
  if (event.type === 'sale.disputed' || event.type === 'sale.dispute_closed') {
    const dispute = toDispute(programId, event.data);
    const whole = { disputedGross: MAX_AMOUNT_MINOR, chargedGross: null, occurredAt: ctx.clock.now() };
    return turns.take(saleLock(dispute.sale), () => recordDispute(ctx, { ...dispute, ...whole }));
  }
  if (event.type === 'customer.identified') {
    const identification = toIdentification(ctx.cipher, event.data);
    // The customer's id may be an email address: it is no name for a problem.
    const unusable = partsOf(event, { eventId: `${programId}:${event.type}:${identification.payloadHash}`, objectId: null });
    return identifyCustomer(ctx, { programId, ...identification, unusable });
  }
  if (event.type === 'sale.refund_reversed') {
    const refund = toReversal(programId, event.data);
    return turns.take(saleLock({ ...refund, externalId: refund.externalSaleId }), () => reverseRefund(ctx, { refund }));
  }
  const sale = toSale(ctx.cipher, programId, event.data);
  const objectId = sale.externalId;
  const unusable = partsOf(event, { eventId: `${programId}:${event.type}:${objectId}`, objectId });
  const evidence = toEvidence(event.data);
  return turns.take(saleLock(sale), () => recordSale(ctx, { sale, evidence, unusable, otherCurrency: 'refuse' }));
};

interface LenientEvent {
  type: string;
  data: { unusable: readonly UnusableMember[] };
}

/** `named`: by what the event is about, since the sender may choose a new id for each repeat. */
const partsOf = ({ type, data }: LenientEvent, named: { eventId: string; objectId: string | null }): UnusableParts => ({
  members: data.unusable,
  event: { ...named, eventType: type },
});
