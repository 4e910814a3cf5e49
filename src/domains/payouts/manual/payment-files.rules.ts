import { toDecimal } from '../../../contracts/currencies.ts';
import type { PaymentFileFormat } from '../../../contracts/payout-runs.ts';
import { csvHeader, csvLine } from '../../../platform/csv/csv-line.ts';
import type { PayoutInstructions } from './payout-instructions.wire.ts';

/** A payout that a person pays, with the recipient in clear: for the response only. */
export interface Payment extends PayoutInstructions {
  /** Null when it is not known. */
  affiliateName: string | null;
  /** The current address: used for a notice by Wise, never for where the money goes. */
  email: string;
}

export interface PaymentFile {
  name: string;
  /** Number of payouts in it. */
  payouts: number;
  content: string;
}

export interface PaymentFiles {
  files: PaymentFile[];
  /** Payouts that this format cannot pay. */
  omitted: string[];
}

type Columns = Readonly<Record<string, (payment: PayoutInstructions) => string | null>>;

/** The columns of docs/guides/pay-manually.md. A column is never renamed or moved: new ones are added at the end. */
export const PAYMENT_COLUMNS: Columns = {
  payoutId: ({ payoutId }) => payoutId,
  programName: ({ programName }) => programName,
  affiliateCode: ({ affiliateCode }) => affiliateCode,
  method: ({ method }) => method,
  bankAccountHolder: ({ recipient }) => recipient.bankAccountHolder,
  bankIban: ({ recipient }) => recipient.bankIban,
  paypalEmail: ({ recipient }) => recipient.paypalEmail,
  amount: ({ amountDecimal }) => amountDecimal,
  currency: ({ currency }) => currency.toUpperCase(),
  amountMinor: ({ amount }) => String(amount),
  reference: ({ reference }) => reference,
  bankBic: ({ recipient }) => recipient.bankBic,
};

export const paymentHeader = (): string => csvHeader(Object.keys(PAYMENT_COLUMNS));
export const paymentLine = (payment: PayoutInstructions): string =>
  csvLine(Object.values(PAYMENT_COLUMNS).map((cellOf) => cellOf(payment) ?? ''));

/** One kind of file of a format. */
interface Layout {
  name: string;
  accepts(payment: PayoutInstructions): boolean;
  /** Files of one currency; otherwise of all. */
  byCurrency: boolean;
  maxRows: number;
  /** The first line. */
  header: string | null;
  cells(payment: Payment): string[];
}

const nameOf = ({ recipient, affiliateName, affiliateCode }: Payment): string =>
  recipient.bankAccountHolder ?? affiliateName ?? affiliateCode;

/** PayPal allows at most 30 characters without spaces. */
const customerId = ({ affiliateCode }: Payment): string => (affiliateCode.length <= 30 ? affiliateCode : '');

/** PayPal allows at most 400 characters. */
const paypalNote = ({ programName, reference }: Payment): string => `${programName.slice(0, 300)} ${reference}`;

const isEuroTransfer = ({ recipient, currency }: PayoutInstructions): boolean =>
  recipient.bankIban !== null && currency === 'eur';

/** Both sums are those of the recipient: fees are the payer's. */
const wiseAmount = ({ amount, currency }: Payment): string[] => {
  const code = currency.toUpperCase();
  return ['target', toDecimal(amount, currency), code, code];
};

const WISE_AMOUNT = ['amountCurrency', 'amount', 'sourceCurrency', 'targetCurrency'];

/**
 * PayPal: no header; recipient, amount, currency, customer ID, note, wallet (https://docs.paypal.ai/send/use-web-ui, seen 2026-11).
 * Wise: the templates "Send to bank accounts" for EUR and "Send by email"
 * (https://wise.com/help/articles/2663302/how-do-i-fill-in-my-batch-template and /2663296, seen 2026-11; at most 1,000 transfers a file:
 * https://wise.com/us/blog/everything-about-batch-payments). By email Wise asks whoever reads the mail for an account, so only an address that
 * was stored with the payout is used: a bank transfer in another currency than EUR is in no file.
 */
const LAYOUTS: Readonly<Record<PaymentFileFormat, readonly Layout[]>> = {
  csv: [
    {
      name: 'payouts',
      accepts: () => true,
      byCurrency: false,
      maxRows: Number.POSITIVE_INFINITY,
      header: paymentHeader(),
      cells: (payment) => Object.values(PAYMENT_COLUMNS).map((cellOf) => cellOf(payment) ?? ''),
    },
  ],
  paypal: [
    {
      name: 'paypal',
      accepts: ({ recipient }) => recipient.paypalEmail !== null,
      byCurrency: true,
      maxRows: 5_000,
      header: null,
      cells: (payment) => [
        payment.recipient.paypalEmail ?? '',
        payment.amountDecimal,
        payment.currency.toUpperCase(),
        customerId(payment),
        paypalNote(payment),
        'PAYPAL',
      ],
    },
  ],
  wise: [
    {
      name: 'wise-iban',
      accepts: isEuroTransfer,
      byCurrency: true,
      maxRows: 1_000,
      header: csvLine(['name', 'recipientEmail', 'paymentReference', 'referenceNumber', 'receiverType', ...WISE_AMOUNT, 'IBAN']),
      cells: (payment) => [
        nameOf(payment),
        payment.email,
        payment.reference,
        '',
        'PERSON',
        ...wiseAmount(payment),
        payment.recipient.bankIban ?? '',
      ],
    },
    {
      name: 'wise-email',
      accepts: ({ recipient }) => recipient.paypalEmail !== null,
      byCurrency: true,
      maxRows: 1_000,
      header: csvLine(['name', 'recipientEmail', 'paymentReference', 'receiverType', ...WISE_AMOUNT]),
      cells: (payment) => [
        nameOf(payment),
        payment.recipient.paypalEmail ?? '',
        payment.reference,
        'PERSON',
        ...wiseAmount(payment),
      ],
    },
  ],
};

/** Whether a file of the format can hold the payout. */
export const acceptedBy =
  (format: PaymentFileFormat) =>
  (payment: PayoutInstructions): boolean =>
    hasRecipient(payment) && LAYOUTS[format].some((layout) => layout.accepts(payment));

const hasRecipient = ({ recipient }: PayoutInstructions): boolean =>
  recipient.paypalEmail !== null || recipient.bankIban !== null;

const filesOf = (layout: Layout, payments: readonly Payment[]): PaymentFile[] => {
  const groups = layout.byCurrency ? Map.groupBy(payments, ({ currency }) => currency) : new Map([['', payments]]);
  return [...groups].flatMap(([currency, group]) => {
    const count = Math.max(1, Math.ceil(group.length / layout.maxRows));
    return Array.from({ length: count }, (_, n) => {
      const part = count === 1 ? group : group.slice(n * layout.maxRows, (n + 1) * layout.maxRows);
      const name = [layout.name, currency, count > 1 ? String(n + 1) : ''].filter((word) => word !== '').join('-');
      const lines = part.map((payment) => csvLine(layout.cells(payment)));
      const content = [layout.header ?? '', ...lines].join('');
      return { name: `${name}.csv`, payouts: part.length, content };
    });
  });
};

/** The files of a format, in the order of the payments. Text that a spreadsheet would run is made text by `csvLine`. */
export const renderPaymentFiles = (format: PaymentFileFormat, payments: readonly Payment[]): PaymentFiles => {
  const payable = payments.filter(hasRecipient);
  const files = LAYOUTS[format].flatMap((layout) => {
    const accepted = payable.filter((payment) => layout.accepts(payment));
    return accepted.length === 0 ? [] : filesOf(layout, accepted);
  });
  const isPaid = acceptedBy(format);
  return { files, omitted: payments.filter((payment) => !isPaid(payment)).map(({ payoutId }) => payoutId) };
};
