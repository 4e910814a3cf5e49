import { z } from 'zod';
import type { RailRefusal } from '../../contracts/rail-refusals.ts';
import { sandboxRefusalOf } from '../../contracts/sandbox-limits.ts';

const recipient = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('paypal'),
    email: z
      .string()
      .regex(/^(?:"[^"]*"|[^@\s]+)@[^@\s]+$/)
      .max(254),
  }),
  z.strictObject({
    type: z.literal('bank_account'),
    iban: z.string().regex(/^[A-Z]{2}[0-9]{2}[A-Z0-9]{10,30}$/),
    holder: z.string().min(1).max(200),
  }),
]);

export const transferOrder = z.strictObject({
  reference: z.string().min(1).max(100),
  /** Minor units. */
  amount: z.number().int().positive().max(Number.MAX_SAFE_INTEGER),
  currency: z.string().regex(/^[a-z]{3}$/),
  recipient,
});

export type TransferOrder = z.infer<typeof transferOrder>;
export type Recipient = TransferOrder['recipient'];

const REFUSALS: Readonly<Record<RailRefusal, string>> = {
  currency: 'currency_not_supported',
  decimals: 'amount_not_supported',
  country: 'country_not_supported',
  above_limit: 'amount_above_limit',
  no_account: 'account_not_found',
  account_held: 'account_not_active',
  destination: 'recipient_not_supported',
};

/** The error code for an order that is never executed, as the limits say; null for others. */
export const refusalOf = ({ amount: amountMinor, currency, recipient }: TransferOrder): string | null => {
  const email = recipient.type === 'paypal' ? recipient.email : null;
  const iban = recipient.type === 'bank_account' ? recipient.iban : null;
  const refusal = sandboxRefusalOf({ amountMinor, currency, email, iban });
  return refusal && REFUSALS[refusal];
};

export type TransferStatus = 'accepted' | 'paid' | 'failed' | 'returned';

/** One status change of a transfer; each is sent in one notification. */
export interface TransferEvent {
  status: TransferStatus;
  at: string;
  failureCode: string | null;
}

/** What the provider stores. */
export interface Transfer {
  id: string;
  idempotencyKey: string;
  fingerprint: string;
  reference: string;
  amount: number;
  currency: string;
  recipientType: Recipient['type'];
  /** Address or account of the payee, sealed. Absent in journals of earlier versions. */
  recipient?: string;
  /** Name of its script, so that a restarted provider continues it. */
  script: string;
  createdAt: string;
  /** How often this key was executed: more than 1 is a double payment. */
  executedCount: number;
  /** Oldest first, never empty. */
  events: TransferEvent[];
}

export const statusOf = (transfer: Transfer): TransferStatus => transfer.events.at(-1)?.status ?? 'accepted';
