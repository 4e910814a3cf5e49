import type { Recipients } from './recipients.ts';
import { scriptOf } from './scripts.ts';
import { statusOf, type Transfer, type TransferStatus } from './transfer.ts';

const FEE = 25;

/** What a payment cost at an event, in minor units. Null when the provider charges nothing for it, and before it is paid. */
export const feeAt = ({ script }: Transfer, status: TransferStatus): { fee: number; feeReturned: number } | null => {
  const { fee } = scriptOf(script);
  if (!fee || (status !== 'paid' && status !== 'returned')) return null;
  return { fee: FEE, feeReturned: status === 'returned' && fee === 'given-back' ? FEE : 0 };
};

/** The transfer in the list, which a merchant reads to compare its books. */
export const toListedView = (transfer: Transfer, recipients: Recipients) => ({
  ...toTransferView(transfer),
  receiver: transfer.recipient === undefined ? null : recipients.open(transfer.recipient),
});

/** The transfer in responses. */
export const toTransferView = (transfer: Transfer) => ({
  id: transfer.id,
  idempotencyKey: transfer.idempotencyKey,
  reference: transfer.reference,
  amount: transfer.amount,
  currency: transfer.currency,
  recipient: { type: transfer.recipientType },
  status: statusOf(transfer),
  failureCode: transfer.events.at(-1)?.failureCode ?? null,
  executedCount: transfer.executedCount,
  ...feeAt(transfer, statusOf(transfer)),
  createdAt: transfer.createdAt,
  updatedAt: transfer.events.at(-1)?.at ?? transfer.createdAt,
});
