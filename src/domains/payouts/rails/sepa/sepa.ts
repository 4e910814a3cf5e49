import { ACCOUNT_FORMS } from '../../../../contracts/account-forms.ts';
import { type RailRefusal, refusalOf } from '../../../../contracts/rail-refusals.ts';
import { factsOf } from '../../../../contracts/rails.ts';
import { invariant } from '../../../../platform/errors.ts';
import { agreesWithIban, parseBic, parseIban } from '../../../affiliates/index.ts';
import type { FileRail } from '../file-rail.ts';
import type { PlannedTransfer, RailDefinition } from '../rail.ts';
import { readBankMessage } from './read-bank-message.ts';
import { type SepaAccount, sepaAccountSchema } from './sepa-account.ts';
import { isInsideEea, MAX_NAME, renderSepaFile } from './sepa-file.ts';
import { asSent } from './sepa-text.ts';

const NAME = 'sepa';

const isUsable = (holder: string | null, charset: SepaAccount['charset']): boolean => {
  if (holder === null) return false;
  const { text, isLossy } = asSent(holder, charset, MAX_NAME);
  return !isLossy && /[A-Za-z]/.test(text.normalize('NFD'));
};

/** Payments from or to an account outside the EEA name the payer's address, and those to one the payee's bank too. */
const refusalOutsideEea = (iban: string, bic: string | null, account: Partial<SepaAccount>): RailRefusal | null => {
  const isPayeeInside = isInsideEea(iban);
  if (isPayeeInside && isInsideEea(account.debtorIban ?? iban)) return null;
  return account.debtorAddress && (isPayeeInside || bic !== null) ? null : 'country';
};

const canPay = (
  { amountMinor, currency, details }: PlannedTransfer,
  account: Partial<SepaAccount> | null,
): RailRefusal | null => {
  if (account === null) return 'no_account';
  const iban = details.bankIban === null ? null : parseIban(details.bankIban);
  const bic = details.bankBic === null ? null : parseBic(details.bankBic);
  const published = refusalOf(NAME, { amountMinor, currency, country: iban?.slice(0, 2) ?? null });
  if (published) return published;
  if (iban === null || (details.bankBic !== null && (bic === null || !agreesWithIban(bic, iban)))) return 'destination';
  return (
    refusalOutsideEea(iban, bic, account) ??
    (isUsable(details.bankAccountHolder, account.charset ?? 'sepa') ? null : 'destination')
  );
};

const open = (account: SepaAccount): FileRail => {
  const facts = factsOf(NAME);
  invariant(facts, 'the table has the facts of each provider');
  const { debtorIban, charset } = account;
  return {
    name: NAME,
    kind: 'file',
    facts,
    maxOrders: account.maxTransactions,
    isInstant: account.instant,
    tag: `${debtorIban.slice(0, 2)}${debtorIban.slice(-4)}`,
    account: debtorIban,
    nameOf: ({ details }) => {
      const { text, isChanged } = asSent(details.bankAccountHolder ?? '', charset, MAX_NAME);
      return { name: text, isChanged };
    },
    render: (orders, meta) => renderSepaFile(account, orders, meta),
    read: (bytes) => readBankMessage(bytes, { acscIsPaid: account.acscIsPaid }),
  };
};

/** Files of credit transfers in euro, which a merchant's bank executes, and the files with which it answers. */
export const sepaRail = {
  name: NAME,
  accountSchema: sepaAccountSchema,
  secrets: [],
  form: ACCOUNT_FORMS.sepa,
  identityOf: ({ debtorIban }) => debtorIban,
  canPay,
  open,
} satisfies RailDefinition<SepaAccount>;
