import { createHash } from 'node:crypto';
import { DateTime } from 'luxon';
import { isFileName } from '../../../../contracts/bank-files.ts';
import { all, find, textOf, UnreadableFile, type XmlElement, type XmlReader } from '../../../../platform/xml/read-xml.ts';
import { toSafeCode } from '../answer.ts';
import type { Balance, Booking, Statement, StatementFile } from '../file-rail.ts';
import { keyOfEndToEndId } from './end-to-end-id.ts';
import { MAX_UNREAD } from './read-status.ts';
import { fromEuro } from './sepa-amount.ts';

const MAX_REF = 70;
/** Each is looked up by itself; banks put the statements of a day into one file. */
const MAX_STATEMENTS = 1_000;

const dayOf = (element: XmlElement | null): string | null => {
  const text = textOf(element, 'Dt') ?? textOf(element, 'DtTm') ?? element?.text.trim() ?? '';
  const day = /^\d{4}-\d{2}-\d{2}/.exec(text)?.[0];
  return day !== undefined && DateTime.fromISO(day).isValid ? day : null;
};

interface Money {
  amountMinor: number;
  currency: string;
}

/** Two decimals: of a currency with fewer or more, an account in euro has none. */
const moneyOf = (amount: XmlElement | null): Money | null => {
  const amountMinor = amount && fromEuro(amount.text);
  return amount?.currency && amountMinor !== null ? { amountMinor, currency: amount.currency } : null;
};

/** Version 8 has the amount of a payment beside its references, version 2 below its details. */
const amountOf = (details: XmlElement): Money | null => {
  const below = find(details, 'AmtDtls');
  return moneyOf(find(details, 'Amt') ?? find(below, 'TxAmt', 'Amt') ?? find(below, 'InstdAmt', 'Amt'));
};

const directionOf = (element: XmlElement | null): Booking['direction'] | null => {
  const word = textOf(element, 'CdtDbtInd');
  if (word === 'DBIT') return 'debit';
  return word === 'CRDT' ? 'credit' : null;
};

/** A return repeats the id of the payment as its own. */
const idOf = (details: XmlElement | null): string | null => {
  const ids = [textOf(details, 'Refs', 'EndToEndId'), textOf(details, 'Refs', 'InstrId')];
  return ids.find((id) => id !== null && id !== 'NOTPROVIDED') ?? null;
};

interface Entry extends Money {
  bookedOn: string;
  direction: Booking['direction'];
  isReversal: boolean;
  entryRef: string | null;
  element: XmlElement;
}

/** Null for what is not booked. */
const entryOf = (element: XmlElement): Entry | 'not_booked' | null => {
  const status = find(element, 'Sts');
  if ((textOf(status, 'Cd') ?? status?.text.trim()) !== 'BOOK') return 'not_booked';
  const money = moneyOf(find(element, 'Amt'));
  const direction = directionOf(element);
  const bookedOn = dayOf(find(element, 'BookgDt')) ?? dayOf(find(element, 'ValDt'));
  if (!money || !direction || !bookedOn) return null;
  const isReversal = textOf(element, 'RvslInd') === 'true' || textOf(element, 'RvslInd') === '1';
  return { ...money, bookedOn, direction, isReversal, entryRef: refOf(element), element };
};

/** Whoever pays somebody else writes what they want into the id, also names. It only has to tell two payments apart. */
const digestOf = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 16);

const cut = (text: string | null): string | null => (text === null ? null : text.slice(0, MAX_REF));

/** What banks write where they have no reference of their own. */
const NO_REFERENCE = /^(nonref|noref|none|notprovided|n\/a)$/i;

const refOf = (element: XmlElement | null): string | null => {
  const text = textOf(element, 'AcctSvcrRef');
  return text === null || NO_REFERENCE.test(text) ? null : cut(text);
};

/** Names under which a bank says which file a sum is of. */
const fileIdsOf = (entry: XmlElement, details: XmlElement | null): string[] => {
  const batch = all(entry, 'NtryDtls').map((found) => find(found, 'Btch'));
  const ids = [
    textOf(entry, 'NtryRef'),
    ...batch.flatMap((found) => [textOf(found, 'PmtInfId'), textOf(found, 'MsgId')]),
    textOf(details, 'Refs', 'PmtInfId'),
    textOf(details, 'Refs', 'MsgId'),
  ];
  return [...new Set(ids.flatMap((id) => (id === null ? [] : [id.slice(0, MAX_REF)])))];
};

const bookingOf = (entry: Entry, details: XmlElement | null, isOnly: boolean): Booking | null => {
  const money = details && !isOnly ? amountOf(details) : { amountMinor: entry.amountMinor, currency: entry.currency };
  if (!money) return null;
  const id = idOf(details);
  const idempotencyKey = id === null ? null : keyOfEndToEndId(id);
  const returned = find(details, 'RtrInf');
  const reason = textOf(returned, 'Rsn', 'Cd') ?? textOf(returned, 'Rsn', 'Prtry');
  const direction = (details && directionOf(details)) ?? entry.direction;
  const entryRef = entry.entryRef ?? refOf(find(details, 'Refs'));
  const fileIds = idempotencyKey === null ? fileIdsOf(entry.element, details) : [];
  const part = isOnly ? null : cut(textOf(details, 'Refs', 'TxId'));
  const file = entryRef === null ? fileIds.find(isFileName) : undefined;
  const own = (id !== null && idempotencyKey === null ? digestOf(id) : id) ?? part ?? file ?? '';
  const named = entryRef ?? `${entry.bookedOn} ${money.amountMinor} ${money.currency}`;
  return {
    // With the direction: some banks name a return as its payment.
    key: `${named} ${direction} ${own}`.trim(),
    entryRef,
    bookedOn: entry.bookedOn,
    direction,
    isReversal: entry.isReversal,
    isReturn: returned !== null,
    ...money,
    idempotencyKey,
    fileIds,
    reason: reason === null ? null : toSafeCode(reason),
  };
};

const BALANCES = { opening: ['OPBD', 'PRCD'], closing: ['CLBD'] } as const;

const balanceOf = (statement: XmlElement, codes: readonly string[]): Balance | null => {
  for (const code of codes) {
    const found = all(statement, 'Bal').find((balance) => textOf(balance, 'Tp', 'CdOrPrtry', 'Cd') === code);
    const money = found ? moneyOf(find(found, 'Amt')) : null;
    const on = found ? dayOf(find(found, 'Dt')) : null;
    if (!found || !money || on === null) continue;
    return { on, ...money, amountMinor: directionOf(found) === 'debit' ? -money.amountMinor : money.amountMinor };
  }
  return null;
};

const sequenceOf = (statement: XmlElement): number | null => {
  const text = textOf(statement, 'ElctrncSeqNb') ?? textOf(statement, 'LglSeqNb');
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
};

/** Reads a camt.053 or camt.054, of version 2 or 8, entry by entry. */
export class StatementReader implements XmlReader {
  readonly records: ReadonlySet<string> = new Set(['Ntry', 'Stmt', 'Ntfctn']);

  private readonly statements: Statement[] = [];
  private readonly unread: string[] = [];
  private bookings: Booking[] = [];
  private entries = 0;

  take(record: XmlElement): void {
    if (record.name === 'Ntry') this.takeEntry(record);
    else this.takeStatement(record);
  }

  end(root: XmlElement): StatementFile {
    const message = find(root, 'BkToCstmrStmt') ?? find(root, 'BkToCstmrDbtCdtNtfctn');
    return { kind: 'statement', id: textOf(message, 'GrpHdr', 'MsgId'), statements: this.statements, unread: this.unread };
  }

  private takeEntry(record: XmlElement): void {
    this.entries += 1;
    const entry = entryOf(record);
    if (entry === 'not_booked') return;
    if (entry === null) return this.refuse();
    const details = all(record, 'NtryDtls').flatMap((found) => all(found, 'TxDtls'));
    const isOnly = details.length <= 1;
    for (const part of details.length === 0 ? [null] : details) {
      const booking = bookingOf(entry, part, isOnly);
      if (booking) this.bookings.push(booking);
      else this.refuse();
    }
  }

  private takeStatement(statement: XmlElement): void {
    if (this.statements.length >= MAX_STATEMENTS) throw new UnreadableFile('The file has more than 1,000 statements');
    const period = find(statement, 'FrToDt');
    const [opening, closing] = [balanceOf(statement, BALANCES.opening), balanceOf(statement, BALANCES.closing)];
    const account = textOf(statement, 'Acct', 'Id', 'IBAN');
    if (account === null) this.refuse();
    this.statements.push({
      account: account ?? '',
      id: cut(textOf(statement, 'Id')) ?? '',
      sequence: statement.name === 'Stmt' ? sequenceOf(statement) : null,
      from: dayOf(find(period, 'FrDtTm')),
      to: dayOf(find(period, 'ToDtTm')) ?? closing?.on ?? null,
      opening,
      closing,
      bookings: withOrdinals(this.bookings),
    });
    this.bookings = [];
  }

  private refuse(): void {
    if (this.unread.length < MAX_UNREAD) this.unread.push(`entry ${this.entries}`);
  }
}

/** Two bookings of one statement are two, also when the bank tells nothing that differs. */
const withOrdinals = (bookings: readonly Booking[]): Booking[] => {
  const seen = new Map<string, number>();
  return bookings.map((booking) => {
    const n = (seen.get(booking.key) ?? 0) + 1;
    seen.set(booking.key, n);
    return n === 1 ? booking : { ...booking, key: `${booking.key} #${n}` };
  });
};
