import { type RailRefusal, refusalOf } from './rail-refusals.ts';

/** Local part of a PayPal address that cannot receive payments: what the sandbox provider never pays besides the facts of its rail. */
export const SANDBOX_REFUSED_LOCAL_PART = 'cannot-receive';

interface SandboxOrder {
  amountMinor: number;
  currency: string;
  email: string | null;
  iban: string | null;
}

/** Why the sandbox provider never pays such an order, or null: it refuses the order, and its rail refuses the payout before. */
export const sandboxRefusalOf = ({ amountMinor, currency, email, iban }: SandboxOrder): RailRefusal | null => {
  const country = iban === null ? null : iban.trim().slice(0, 2).toUpperCase();
  const refusal = refusalOf('sandbox', { amountMinor, currency, country });
  if (refusal) return refusal;
  const [local = ''] = (email ?? '').split(/[@+]/);
  return local.toLowerCase() === SANDBOX_REFUSED_LOCAL_PART ? 'destination' : null;
};
