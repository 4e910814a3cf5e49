import { SEPA_INSIDE_EEA } from '../../../../contracts/sepa-countries.ts';
import { invariant } from '../../../../platform/errors.ts';
import { writeXml, type XmlContent } from '../../../../platform/xml/write-xml.ts';
import { parseBic, parseIban } from '../../../affiliates/index.ts';
import type { FileMeta, FileOrder } from '../file-rail.ts';
import { endToEndIdOf } from './end-to-end-id.ts';
import type { SepaAccount } from './sepa-account.ts';
import { toEuro } from './sepa-amount.ts';
import { asSent } from './sepa-text.ts';

/** Length of a name in SEPA; the schema takes twice as many. */
export const MAX_NAME = 70;
const MAX_TEXT = 140;
const MAX_ID = 35;

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09';

/** The bank, by its BIC or as not given: SEPA finds it by the IBAN. */
const agentOf = (name: string, bic: string | undefined): XmlContent => [
  name,
  [['FinInstnId', [bic === undefined ? ['Othr', [['Id', 'NOTPROVIDED']]] : ['BICFI', bic]]]],
];

/** Structured, since unstructured addresses are refused. */
const addressOf = ({ debtorAddress, charset }: SepaAccount): XmlContent | null => {
  if (!debtorAddress) return null;
  const { street, buildingNumber, postCode, town, country } = debtorAddress;
  const part = (name: string, text: string | undefined, max: number): XmlContent | null =>
    text === undefined ? null : [name, asSent(text, charset, max).text];
  return [
    'PstlAdr',
    [
      part('StrtNm', street, 70),
      part('BldgNb', buildingNumber, 16),
      part('PstCd', postCode, 16),
      part('TwnNm', town, 35),
      ['Ctry', country],
    ],
  ];
};

export const isInsideEea = (iban: string): boolean => SEPA_INSIDE_EEA.includes(iban.slice(0, 2));

const payeeOf = (account: SepaAccount, { details, idempotencyKey, amountMinor, text }: FileOrder): XmlContent => {
  const iban = parseIban(details.bankIban ?? '');
  invariant(iban && details.bankAccountHolder, 'what canPay let pass has an account and its holder');
  const bic = details.bankBic === null ? null : parseBic(details.bankBic);
  return [
    'CdtTrfTxInf',
    [
      ['PmtId', [['EndToEndId', endToEndIdOf(idempotencyKey)]]],
      ['Amt', [['InstdAmt', toEuro(BigInt(amountMinor)), { Ccy: 'EUR' }]]],
      // Inside the EEA a BIC that somebody mistyped would only do harm.
      bic !== null && !isInsideEea(iban) ? agentOf('CdtrAgt', bic) : null,
      ['Cdtr', [['Nm', asSent(details.bankAccountHolder, account.charset, MAX_NAME).text]]],
      ['CdtrAcct', [['Id', [['IBAN', iban]]]]],
      ['RmtInf', [['Ustrd', asSent(text, account.charset, MAX_TEXT).text]]],
    ],
  ];
};

/** A pain.001.001.09 with one account, one day and one kind of payment. */
export const renderSepaFile = (account: SepaAccount, orders: readonly FileOrder[], meta: FileMeta): Uint8Array => {
  invariant(orders.length > 0 && meta.id.length <= MAX_ID, 'a file has payments, and a name that banks take');
  const sum = toEuro(orders.reduce((total, { amountMinor }) => total + BigInt(amountMinor), 0n));
  const sums: XmlContent[] = [
    ['NbOfTxs', String(orders.length)],
    ['CtrlSum', sum],
  ];
  const debtor: XmlContent = ['Nm', asSent(account.debtorName, account.charset, MAX_NAME).text];
  const header: XmlContent = [
    'GrpHdr',
    [['MsgId', meta.id], ['CreDtTm', `${meta.createdAt.toISOString().slice(0, 19)}Z`], ...sums, ['InitgPty', [debtor]]],
  ];
  const payments: XmlContent = [
    'PmtInf',
    [
      ['PmtInfId', meta.id],
      ['PmtMtd', 'TRF'],
      // A wish, so that each payment is a booking of its own.
      ['BtchBookg', 'false'],
      ...sums,
      ['PmtTpInf', [['SvcLvl', [['Cd', 'SEPA']]], meta.isInstant ? ['LclInstrm', [['Cd', 'INST']]] : null]],
      ['ReqdExctnDt', [['Dt', meta.executionDate]]],
      ['Dbtr', [debtor, addressOf(account)]],
      ['DbtrAcct', [['Id', [['IBAN', account.debtorIban]]]]],
      agentOf('DbtrAgt', account.debtorBic),
      ['ChrgBr', 'SLEV'],
      ...orders.map((order) => payeeOf(account, order)),
    ],
  ];
  const file: XmlContent = ['Document', [['CstmrCdtTrfInitn', [header, payments]]], { xmlns: NAMESPACE }];
  return Buffer.from(writeXml(file), 'utf8');
};
