import { MAX_BANK_MESSAGE_BYTES } from '../../../src/contracts/bank-files.ts';
import type { FileOrder } from '../../../src/domains/payouts/rails/file-rail.ts';
import { endToEndIdOf } from '../../../src/domains/payouts/rails/sepa/end-to-end-id.ts';
import { sepaRail } from '../../../src/domains/payouts/rails/sepa/sepa.ts';
import type { SepaAccount } from '../../../src/domains/payouts/rails/sepa/sepa-account.ts';
import { type StatusVersion, writeStatementMessage, writeStatusMessage } from '../../../src/local/bank-double/messages.ts';
import { amountOf, centsOf, readPaymentFile } from '../../../src/local/bank-double/payment-file.ts';
import { type FileDouble, keyOf } from './file-conformance.ts';

export const DEBTOR_IBAN = 'DE89370400440532013000';
export const PAYEE_IBAN = 'NL91ABNA0417164300';

export const sepaAccount = (given: Record<string, unknown> = {}): SepaAccount =>
  sepaRail.accountSchema.parse({ debtorName: 'Northwind GmbH', debtorIban: DEBTOR_IBAN, ...given });

export const sepaOrder = (n: number, amountMinor: number, given: Partial<FileOrder['details']> = {}): FileOrder => ({
  idempotencyKey: keyOf(n),
  reference: keyOf(n).slice(7, 43),
  amountMinor,
  currency: 'eur',
  text: `Northwind NW-${n}`,
  details: {
    method: 'bank_transfer',
    paypalEmail: null,
    bankIban: PAYEE_IBAN,
    bankBic: null,
    bankAccountHolder: 'Ada Lovelace',
    ...given,
  },
});

/** Ids that are not ours stay as they are. */
const idOf = (key: string): string => (key.startsWith('payout-') ? endToEndIdOf(key) : key);

const AT = new Date('2026-11-30T10:00:00.000Z');

const words = (outcome: string, codes: string) => Object.fromEntries(codes.split(' ').map((code) => [code, outcome]));

/** The table of ISO's codes, as `reference/rails.md` has it. */
export const STATES = {
  ...words('noted', 'RCVD PDNG RCVC RVMC RVNM RVNA RVNC RVCM'),
  ...words('accepted', 'ACTC ACFC ACCP ACWC ACWP ACSP ACPD PATC ACFW ACSC'),
  ...words('paid', 'ACCC'),
  ...words('failed', 'RJCT CANC'),
  ...words('needs_person', 'BLCK'),
} as FileDouble['states'];

const STATES_OF_FILES = {
  ...words('noted', 'PART RCVC RVCM RVNC'),
  ...words('accepted', 'ACCP ACSC'),
  ...words('failed', 'RJCT CANC'),
} as FileDouble['statesOfFiles'];

const REASONS = {
  ...words('payee', 'AC01 AC03 AC04 AC06 AC07 AC14 AG01 BE01 BE06 BE22 MD07 RC01 RC04 CNOR RR03'),
  ...words('account', 'AM04 AC02 AC05 AC13 AM14 AM21 DNOR RC03 RR01 RR02 DS0A BE05'),
  ...words('order', 'FF01 TD03 DU01 DU02 DU03 DU04 DU05 AM05 AM10 DT01 CH16 CUST DS02'),
  ...words('compliance', 'RR04 AM07 SL11 SL12 FRAD'),
  ...words('provider', 'AB05 AB06 AB07 AB08 AB09 AB10 TM01 ED05 NOAS'),
  ...words('unclear', 'MS02 MS03 NARR FOCR'),
} as FileDouble['reasons'];

const document = (namespace: string, inside: string) => Buffer.from(`<Document xmlns="${namespace}">${inside}</Document>`);
const PAIN = 'urn:iso:std:iso:20022:tech:xsd:pain.002.001.10';
const BOMB = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;&b;">]>';

const HOSTILE = {
  'a document type': Buffer.concat([Buffer.from(BOMB), document(PAIN, '&c;')]),
  'an external entity': Buffer.from(`<!DOCTYPE a SYSTEM "file:///etc/passwd"><Document xmlns="${PAIN}"/>`),
  'an unknown entity': document(PAIN, '<A>&bank;</A>'),
  'a file above 10 MiB': Buffer.alloc(MAX_BANK_MESSAGE_BYTES + 1, 0x20),
  'a deep file': document(PAIN, `${'<A>'.repeat(60)}${'</A>'.repeat(60)}`),
  'another namespace': document('urn:iso:std:iso:20022:tech:xsd:pain.001.001.09', ''),
  'no namespace': Buffer.from('<Document/>'),
  'elements of another namespace': document(PAIN, '<A xmlns="urn:other"/>'),
  'half a file': Buffer.from(`<Document xmlns="${PAIN}"><CstmrPmtStsRpt>`),
  'two roots': Buffer.concat([document(PAIN, ''), document(PAIN, '')]),
  'another encoding': Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?><Document xmlns="${PAIN}"/>`),
  'bytes that are no UTF-8': Buffer.concat([Buffer.from(`<Document xmlns="${PAIN}"><A>`), Buffer.of(0xfc)]),
  JSON: Buffer.from('{}'),
  nothing: Buffer.of(),
} satisfies FileDouble['hostile'];

/** `version`: of the status files; version 03 has no words for the verification of payees. */
export const sepaBank = (version: StatusVersion, account = sepaAccount()): FileDouble => ({
  rail: sepaRail.open(account),
  orders: (amounts) => amounts.map((amount, at) => sepaOrder(at + 1, amount)),
  sums(file) {
    const { payments } = readPaymentFile(file);
    const control = /<CtrlSum>([\d.]+)<\/CtrlSum>/.exec(Buffer.from(file).toString())?.[1] ?? '';
    const total = payments.reduce((sum, { amount }) => sum + centsOf(amount), 0n);
    return { count: payments.length, amounts: payments.map(({ amount }) => amount), total: amountOf(total), control };
  },
  states: STATES,
  statesOfFiles: STATES_OF_FILES,
  reasons: REASONS,
  status: (fileId, { whole, lines }) =>
    writeStatusMessage(version, {
      id: 'P1',
      at: AT,
      fileId,
      group: whole,
      payments: lines && { lines: lines.map(({ order, ...word }) => ({ ...word, endToEndId: idOf(order.idempotencyKey) })) },
    }),
  statements(orders) {
    const entries = orders.map(({ idempotencyKey, amountMinor }, at) => {
      const amount = amountOf(BigInt(amountMinor));
      const parts = [{ endToEndId: idOf(idempotencyKey), amount }];
      // The third has no reference of the bank.
      return { ...(at < 2 ? { ref: `B${at}` } : {}), amount, direction: 'DBIT' as const, on: '2026-11-30', parts };
    });
    const message = { id: 'S1', at: AT, iban: account.debtorIban, from: '2026-11-30', to: '2026-11-30', entries };
    return [writeStatementMessage('053', '08', message), writeStatementMessage('054', '02', message)];
  },
  hostile: HOSTILE,
});
