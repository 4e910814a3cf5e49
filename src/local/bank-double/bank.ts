import {
  type Entry,
  type PaymentStatus,
  type StatementVersion,
  type StatusVersion,
  writeStatementMessage,
  writeStatusMessage,
} from './messages.ts';
import { amountOf, centsOf, type OrderedPayment, type PaymentFile, readPaymentFile } from './payment-file.ts';

export interface BankSettings {
  statusVersion?: StatusVersion;
  statementVersion?: StatementVersion;
  /** Books a file as one sum, as many banks do. */
  booksBatches?: boolean;
  /** Compares names with accounts before a file is authorized. */
  verifiesPayees?: boolean;
  /** In euro. */
  openingBalance?: string;
}

export interface BankMessage {
  name: string;
  bytes: Buffer;
}

/** What a payee's name asks for, as testers of Dutch and Nordic banks use it: `ERRAC04RJCT`, `ERRFF01FILE`, `ERRAC04RETN`, `VOPRVNM`. */
const ERROR = /ERR([A-Z0-9]{4})(RJCT|FILE|RETN)/;
const CHECK = /VOP(RVNM|RVMC|RVNA|RCVC)/;

const errorOf = ({ name }: OrderedPayment, kind: string): string | undefined => {
  const found = ERROR.exec(name.toUpperCase());
  return found?.[2] === kind ? found[1] : undefined;
};

interface Account {
  balance: bigint;
  sequence: number;
  /** Not on a statement yet. */
  entries: Entry[];
}

/** A bank that takes files of credit transfers and answers as its customers' names ask for. Keeps everything in memory. */
export class BankDouble {
  private readonly settings: Required<BankSettings>;
  private readonly now: () => Date;
  private readonly accounts = new Map<string, Account>();
  private readonly files = new Map<string, PaymentFile>();
  private readonly rejected = new Set<string>();
  private messages = 0;
  /** Cents that were paid to each account, and not sent back. */
  readonly received = new Map<string, bigint>();

  constructor(now: () => Date, settings: BankSettings = {}) {
    this.now = now;
    this.settings = {
      statusVersion: '10',
      statementVersion: '08',
      booksBatches: false,
      verifiesPayees: false,
      openingBalance: '1000000.00',
      ...settings,
    };
  }

  /** Takes a file: its answer is that of a bank before anybody authorized it. A file that it knows is a duplicate. */
  receive(bytes: Uint8Array): BankMessage[] {
    const file = readPaymentFile(bytes);
    const isKnown = this.files.has(file.id);
    const fault = isKnown ? 'DU01' : file.payments.map((payment) => errorOf(payment, 'FILE')).find(Boolean);
    if (!isKnown) this.files.set(file.id, file);
    if (fault !== undefined && !isKnown) this.rejected.add(file.id);
    if (fault !== undefined) return [this.status(file, { group: { code: 'RJCT', reason: fault } })];
    if (!this.settings.verifiesPayees) return [this.status(file, { group: { code: 'ACTC' } })];
    const lines = file.payments.map(({ endToEndId, name }): PaymentStatus => {
      const code = CHECK.exec(name.toUpperCase())?.[1] ?? 'RCVC';
      return { endToEndId, code, ...(code === 'RVMC' ? { text: `${name} Jr` } : {}) };
    });
    const code = lines.every((line) => line.code === 'RCVC') ? 'RCVC' : 'RVCM';
    return [this.status(file, { group: { code }, payments: { lines } })];
  }

  isRejected(fileId: string): boolean {
    return this.rejected.has(fileId);
  }

  /** Somebody authorized the file: payments are rejected or booked. Returns a status file and a notification. */
  execute(fileId: string, on: string): BankMessage[] {
    const file = this.files.get(fileId);
    if (!file) throw new Error(`The bank has no file ${fileId}`);
    const isPaid = (payment: OrderedPayment) => errorOf(payment, 'RJCT') === undefined;
    const lines = file.payments.map(
      (payment): PaymentStatus =>
        isPaid(payment)
          ? { endToEndId: payment.endToEndId, code: 'ACSC' }
          : { endToEndId: payment.endToEndId, code: 'RJCT', reason: errorOf(payment, 'RJCT') },
    );
    const paid = file.payments.filter(isPaid);
    const code = paid.length === file.payments.length ? 'ACSC' : 'PART';
    const status = this.status(file, { group: { code: paid.length === 0 ? 'RJCT' : code }, payments: { lines } });
    const entries = this.settings.booksBatches ? this.sumOf(file, paid, on) : paid.map((payment) => this.single(payment, on));
    for (const { iban, amount } of paid) this.received.set(iban, (this.received.get(iban) ?? 0n) + centsOf(amount));
    this.book(file.iban, entries);
    return [status, this.notification(file.iban, entries, on)];
  }

  /** Payees' banks send back what their names ask for. */
  sendBack(fileId: string, on: string): BankMessage[] {
    const file = this.files.get(fileId);
    if (!file) throw new Error(`The bank has no file ${fileId}`);
    const returned = file.payments.flatMap((payment) => {
      const reason = errorOf(payment, 'RETN');
      return reason === undefined ? [] : [{ ...payment, reason }];
    });
    if (returned.length === 0) return [];
    const entries = returned.map(
      ({ endToEndId, amount, reason }): Entry => ({
        ref: this.next('R'),
        amount,
        direction: 'CRDT',
        on,
        parts: [{ endToEndId, amount, returnReason: reason }],
      }),
    );
    for (const { iban, amount } of returned) this.received.set(iban, (this.received.get(iban) ?? 0n) - centsOf(amount));
    this.book(file.iban, entries);
    return [this.notification(file.iban, entries, on)];
  }

  /** The statement of what was booked since the last one. */
  statement(iban: string, from: string, to: string): BankMessage {
    const account = this.accountOf(iban);
    const entries = account.entries.splice(0);
    const opening = account.balance;
    for (const { amount, direction } of entries) account.balance += direction === 'DBIT' ? -centsOf(amount) : centsOf(amount);
    account.sequence += 1;
    const id = this.next('S');
    const balances = { opening: amountOf(opening), closing: amountOf(account.balance) };
    const message = { id, at: this.now(), iban, sequence: account.sequence, from, to, ...balances, entries };
    return { name: `camt.053-${id}.xml`, bytes: writeStatementMessage('053', this.settings.statementVersion, message) };
  }

  private status(
    { id: fileId }: PaymentFile,
    said: Pick<Parameters<typeof writeStatusMessage>[1], 'group' | 'payments'>,
  ): BankMessage {
    const id = this.next('P');
    const bytes = writeStatusMessage(this.settings.statusVersion, { id, at: this.now(), fileId, ...said });
    return { name: `pain.002-${id}.xml`, bytes };
  }

  private notification(iban: string, entries: readonly Entry[], on: string): BankMessage {
    const id = this.next('N');
    const message = { id, at: this.now(), iban, from: on, to: on, entries };
    return { name: `camt.054-${id}.xml`, bytes: writeStatementMessage('054', this.settings.statementVersion, message) };
  }

  private single({ endToEndId, amount }: OrderedPayment, on: string): Entry {
    return { ref: this.next('B'), amount, direction: 'DBIT', on, parts: [{ endToEndId, amount }] };
  }

  private sumOf(file: PaymentFile, paid: readonly OrderedPayment[], on: string): Entry[] {
    if (paid.length === 0) return [];
    const amount = amountOf(paid.reduce((sum, payment) => sum + centsOf(payment.amount), 0n));
    return [{ ref: this.next('B'), amount, direction: 'DBIT', on, fileId: file.id }];
  }

  private book(iban: string, entries: readonly Entry[]): void {
    this.accountOf(iban).entries.push(...entries);
  }

  private accountOf(iban: string): Account {
    const known = this.accounts.get(iban);
    if (known) return known;
    const account: Account = { balance: centsOf(this.settings.openingBalance), sequence: 0, entries: [] };
    this.accounts.set(iban, account);
    return account;
  }

  private next(kind: string): string {
    this.messages += 1;
    return `${kind}${String(this.messages).padStart(6, '0')}`;
  }
}
