import { all, find, readXml, textOf, UnreadableFile, type XmlElement } from '../../platform/xml/read-xml.ts';

export interface OrderedPayment {
  endToEndId: string;
  /** As written, in euro. */
  amount: string;
  name: string;
  iban: string;
}

export interface PaymentFile {
  id: string;
  iban: string;
  executionDate: string;
  isInstant: boolean;
  payments: OrderedPayment[];
}

const need = (element: XmlElement | null, ...path: readonly string[]): string => {
  const text = textOf(element, ...path);
  if (text === null) throw new UnreadableFile(`${path.join('/')} is missing`);
  return text;
};

/** Cents of an amount with two decimals. */
export const centsOf = (amount: string): bigint => BigInt(amount.replace('.', ''));

export const amountOf = (cents: bigint): string => {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

/** Reads a pain.001.001.09 with one account. Throws `UnreadableFile` for another one, and for sums that are wrong. */
export const readPaymentFile = (bytes: Uint8Array): PaymentFile => {
  const payments: OrderedPayment[] = [];
  const root = readXml(bytes, (namespace) =>
    namespace.endsWith('pain.001.001.09')
      ? {
          records: new Set(['CdtTrfTxInf']),
          take: (record) =>
            payments.push({
              endToEndId: need(record, 'PmtId', 'EndToEndId'),
              amount: need(record, 'Amt', 'InstdAmt'),
              name: need(record, 'Cdtr', 'Nm'),
              iban: need(record, 'CdtrAcct', 'Id', 'IBAN'),
            }),
        }
      : null,
  );
  const message = find(root, 'CstmrCdtTrfInitn');
  const [information] = all(message, 'PmtInf');
  const sum = amountOf(payments.reduce((total, { amount }) => total + centsOf(amount), 0n));
  for (const part of [find(message, 'GrpHdr'), information ?? null]) {
    if (need(part, 'CtrlSum') !== sum || need(part, 'NbOfTxs') !== String(payments.length))
      throw new UnreadableFile('The sums of the file are wrong');
  }
  return {
    id: need(message, 'GrpHdr', 'MsgId'),
    iban: need(information ?? null, 'DbtrAcct', 'Id', 'IBAN'),
    executionDate: need(information ?? null, 'ReqdExctnDt', 'Dt'),
    isInstant: textOf(information, 'PmtTpInf', 'LclInstrm', 'Cd') === 'INST',
    payments,
  };
};
