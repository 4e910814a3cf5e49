import type { StatementFile } from '../../../src/domains/payouts/rails/file-rail.ts';
import { endToEndIdOf } from '../../../src/domains/payouts/rails/sepa/end-to-end-id.ts';
import { sepaRail } from '../../../src/domains/payouts/rails/sepa/sepa.ts';
import { type Entry, STATEMENT_VERSIONS, writeStatementMessage } from '../../../src/local/bank-double/messages.ts';
import { keyOf, META } from '../../support/rails/file-conformance.ts';
import { DEBTOR_IBAN, sepaAccount, sepaBank, sepaOrder } from '../../support/rails/sepa-bank.ts';

const rail = sepaRail.open(sepaAccount());
const AT = new Date('2026-11-30T10:00:00.000Z');
const [A, B] = [endToEndIdOf(keyOf(1)), endToEndIdOf(keyOf(2))];

const read = (kind: '053' | '054', version: '02' | '08', entries: readonly Entry[], more = {}): StatementFile => {
  const message = { id: 'S1', at: AT, iban: DEBTOR_IBAN, from: '2026-11-30', to: '2026-11-30', entries, ...more };
  const file = rail.read(writeStatementMessage(kind, version, message));
  if (file.kind !== 'statement') throw new Error('no statement');
  return file;
};

const entry = (given: Partial<Entry>): Entry => ({ amount: '12.50', direction: 'DBIT', on: '2026-11-30', ref: 'B1', ...given });

describe.each(STATEMENT_VERSIONS)('version %s', (version) => {
  test('only what is booked counts', () => {
    const entries = (['PDNG', 'INFO', 'FUTR', 'BOOK'] as const).map((status) => entry({ status, ref: status }));
    const [statement] = read('053', version, entries).statements;
    expect(statement?.bookings.map(({ entryRef }) => entryRef)).toEqual(['BOOK']);
  });

  test('a payment, a return with its reason, and a reversal', () => {
    const part = { endToEndId: A, amount: '12.50' };
    const [statement] = read('054', version, [
      entry({ parts: [part] }),
      entry({ direction: 'CRDT', ref: 'B2', parts: [{ ...part, returnReason: 'AC04' }] }),
      entry({ direction: 'CRDT', ref: 'B3', isReversal: true, parts: [part] }),
    ]).statements;
    const common = { idempotencyKey: keyOf(1), amountMinor: 1_250, currency: 'eur', bookedOn: '2026-11-30' };
    expect(statement?.bookings).toMatchObject([
      { ...common, direction: 'debit', isReversal: false, isReturn: false, reason: null },
      { ...common, direction: 'credit', isReversal: false, isReturn: true, reason: 'AC04' },
      { ...common, direction: 'credit', isReversal: true, isReturn: false },
    ]);
  });

  test('a sum names its file, and several payments of one entry are several bookings', () => {
    const parts = [
      { endToEndId: A, amount: '5.00' },
      { endToEndId: B, amount: '7.50' },
    ];
    const [statement] = read('053', version, [entry({ fileId: META.id }), entry({ ref: 'B2', parts })]).statements;
    expect(statement?.bookings).toMatchObject([
      { idempotencyKey: null, fileIds: [META.id], amountMinor: 1_250 },
      { idempotencyKey: keyOf(1), amountMinor: 500, entryRef: 'B2' },
      { idempotencyKey: keyOf(2), amountMinor: 750, entryRef: 'B2' },
    ]);
  });

  test('bookings that look the same are two, and both have the same keys in another file', () => {
    const same = [entry({ ref: undefined }), entry({ ref: undefined })];
    const keys = (kind: '053' | '054') =>
      read(kind, version, same).statements.flatMap(({ bookings }) => bookings.map(({ key }) => key));
    expect(new Set(keys('053')).size).toBe(2);
    expect(keys('054')).toEqual(keys('053'));
  });

  test('a statement has its number, its days and its balances', () => {
    const [statement] = read('053', version, [], { sequence: 17, opening: '100.00', closing: '-12.50' }).statements;
    expect(statement).toMatchObject({
      account: DEBTOR_IBAN,
      sequence: 17,
      from: '2026-11-30',
      to: '2026-11-30',
      opening: { amountMinor: 10_000, currency: 'eur' },
      closing: { amountMinor: -1_250, currency: 'eur' },
    });
  });
});

test('an entry that cannot be read is listed by its number', () => {
  const { statements, unread } = read('053', '08', [entry({}), entry({ amount: '1.2.3' })]);
  expect([statements[0]?.bookings.length, unread]).toEqual([1, ['entry 2']]);
});

test('a close match has the name that the bank suggests, and others have none', () => {
  const { rail } = sepaBank('12');
  const status = (code: string) =>
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.12"><CstmrPmtStsRpt><OrgnlGrpInfAndSts><OrgnlMsgId>F</OrgnlMsgId></OrgnlGrpInfAndSts><OrgnlPmtInfAndSts><OrgnlPmtInfId>F</OrgnlPmtInfId><TxInfAndSts><OrgnlEndToEndId>${A}</OrgnlEndToEndId><TxSts>${code}</TxSts><StsRsnInf><AddtlInf>Ada Byron</AddtlInf></StsRsnInf></TxInfAndSts></OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>`;
  const suggested = (code: string) => {
    const file = rail.read(Buffer.from(status(code)));
    return file.kind === 'status' ? file.reports[0]?.lines[0]?.suggestedName : undefined;
  };
  expect(['RVMC', 'RVNM', 'RCVC'].map(suggested)).toEqual(['Ada Byron', null, null]);
});

test('ACSC is proof of payment only for an account that says so', () => {
  const outcomeOf = (acscIsPaid: boolean) => {
    const bank = sepaBank('10', sepaAccount({ acscIsPaid }));
    const file = bank.rail.read(bank.status(META.id, { lines: [{ order: sepaOrder(1, 100), code: 'ACSC' }] }));
    return file.kind === 'status' ? file.reports[0]?.lines[0]?.outcome : undefined;
  };
  expect([outcomeOf(false), outcomeOf(true)]).toEqual(['accepted', 'paid']);
});

test('payments of another file, and a message about none, change nothing', () => {
  const other = `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><OrgnlGrpInfAndSts><OrgnlMsgId>F</OrgnlMsgId></OrgnlGrpInfAndSts><OrgnlPmtInfAndSts><OrgnlPmtInfId>OTHER</OrgnlPmtInfId><PmtInfSts>RJCT</PmtInfSts><TxInfAndSts><OrgnlEndToEndId>${A}</OrgnlEndToEndId><TxSts>RJCT</TxSts></TxInfAndSts></OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>`;
  expect(rail.read(Buffer.from(other))).toMatchObject({ reports: [{ whole: null, lines: [] }], unread: ['OTHER'] });
  const none = '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"/>';
  expect(rail.read(Buffer.from(none))).toMatchObject({ reports: [], unread: ['a message that names no file'] });
});

test('entries without a day that exists, or with an amount that cannot be counted, are told as unread', () => {
  const { statements, unread } = read('053', '08', [entry({ on: '2026-13-45' }), entry({ amount: '999999999999999.99' })]);
  expect(statements.flatMap(({ bookings }) => bookings)).toEqual([]);
  expect(unread).toEqual(['entry 1', 'entry 2']);
});

test('a file of more statements than any bank sends is refused before one is looked up', () => {
  const text = writeStatementMessage('053', '08', {
    id: 'S1',
    at: AT,
    iban: DEBTOR_IBAN,
    from: '2026-11-30',
    to: '2026-11-30',
    entries: [],
  });
  const many = text.toString().replace(/<Stmt>.*<\/Stmt>/s, (statement) => statement.repeat(1_001));
  expect(() => rail.read(Buffer.from(many))).toThrow('more than 1,000 statements');
});
