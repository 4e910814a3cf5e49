import type { FaultClass } from '../../../src/contracts/faults.ts';
import { attemptKey } from '../../../src/domains/payouts/payout-attempt.entity.ts';
import type {
  Booking,
  FileMeta,
  FileOrder,
  FileRail,
  StatementFile,
  StatusFile,
  Verdict,
} from '../../../src/domains/payouts/rails/file-rail.ts';
import { UnreadableFile } from '../../../src/platform/xml/read-xml.ts';

/** How the bank of a file rail writes. */
export interface FileDouble {
  rail: FileRail;
  /** Payments to payees whom the rail pays, with these amounts in minor units. */
  orders(amounts: readonly number[]): FileOrder[];
  /** The amounts and the count of a file, as somebody else reads them. */
  sums(file: Uint8Array): { count: number; amounts: string[]; total: string; control: string };
  /** The outcome of each status of a payment. */
  states: Readonly<Record<string, Verdict['outcome']>>;
  /** The same of a whole file. */
  statesOfFiles: Readonly<Record<string, Verdict['outcome']>>;
  reasons: Readonly<Record<string, FaultClass>>;
  /** Status files about a file: of payments, or of all of it. */
  status(fileId: string, said: { whole?: Word; lines?: readonly (Word & { order: FileOrder })[] }): Buffer;
  /** A booking of each order, as two kinds of statements have it. */
  statements(orders: readonly FileOrder[]): [Buffer, Buffer];
  /** What is no message of a bank. */
  hostile: Readonly<Record<string, Uint8Array>>;
}

interface Word {
  code: string;
  reason?: string;
}

export const META: FileMeta = {
  id: '20261130-000001-DE3000-TEST',
  createdAt: new Date('2026-11-28T08:00:00.000Z'),
  executionDate: '2026-11-30',
  isInstant: false,
};

export const keyOf = (n: number): string => attemptKey(`01990000-0000-7000-8000-${String(n).padStart(12, '0')}`, 1);

const statusOf = (file: StatusFile | StatementFile): StatusFile => {
  if (file.kind !== 'status') throw new Error('no status file');
  return file;
};

const bookingsOf = (file: StatusFile | StatementFile): Booking[] => {
  if (file.kind !== 'statement') throw new Error('no statement');
  return file.statements.flatMap(({ bookings }) => bookings);
};

/** Cases that every rail with files passes; that files are valid is judged by what others wrote, see `test/system`. */
export const fileConformance = (name: string, double: FileDouble): void => {
  const { rail } = double;
  const [order] = double.orders([1_250]) as [FileOrder];

  test(`${name} 2: the same input gives the same bytes, and another name of the file others`, () => {
    const orders = double.orders([1, 2, 3]);
    expect(rail.render(orders, META)).toEqual(rail.render(orders, META));
    expect(rail.render(orders, META)).not.toEqual(rail.render(orders, { ...META, id: `${META.id.slice(0, -1)}X` }));
  });

  test(`${name} 3, 10: the sums of a file are those of its payments, from a cent to the maximum`, () => {
    const orders = double.orders([1, 10, 100, 99_999_999_999, 12_345]);
    const { count, amounts, total, control } = double.sums(rail.render(orders, META));
    expect(amounts).toEqual(['0.01', '0.10', '1.00', '999999999.99', '123.45']);
    expect([count, control]).toEqual([5, total]);
  });

  test(`${name} 4: each status of a payment has its outcome, and one that nobody documented needs a person`, () => {
    for (const [code, outcome] of [...Object.entries(double.states), ['XYZW', 'needs_person'] as const]) {
      const [report] = statusOf(rail.read(double.status(META.id, { lines: [{ order, code }] }))).reports;
      expect(report).toMatchObject({ fileId: META.id, whole: null, lines: [{ outcome, state: code }] });
      expect(report?.lines[0]?.idempotencyKey).toBe(order.idempotencyKey);
    }
  });

  test(`${name} 4: each reason blames whom its table says, and one that nobody documented blames nobody`, () => {
    for (const [reason, fault] of [...Object.entries(double.reasons), ['XX99', 'unclear'] as const]) {
      const [report] = statusOf(rail.read(double.status(META.id, { lines: [{ order, code: 'RJCT', reason }] }))).reports;
      expect([reason, report?.lines[0]?.fault]).toEqual([reason, { class: fault, code: reason }]);
    }
  });

  test(`${name} 5: what is said of a whole file stands for each payment that no line names`, () => {
    for (const [code, outcome] of Object.entries(double.statesOfFiles)) {
      const [report] = statusOf(rail.read(double.status(META.id, { whole: { code, reason: 'FF01' } }))).reports;
      expect([code, report?.whole?.outcome, report?.lines]).toEqual([code, outcome, []]);
    }
  });

  test(`${name} 6, 7: two statements that report one booking give it one key`, () => {
    const orders = double.orders([500, 500, 700]);
    const [first, second] = double.statements(orders).map((file) => bookingsOf(rail.read(file)));
    expect(first?.map(({ key }) => key)).toEqual(second?.map(({ key }) => key));
    expect(new Set(first?.map(({ key }) => key)).size).toBe(3);
    expect(first?.map(({ idempotencyKey }) => idempotencyKey)).toEqual(orders.map(({ idempotencyKey }) => idempotencyKey));
  });

  test(`${name} 8: ids that are not ours are listed`, () => {
    const stranger = { ...order, idempotencyKey: 'of-another' };
    const found = statusOf(rail.read(double.status(META.id, { lines: [{ order: stranger, code: 'ACSC' }] })));
    expect(found).toMatchObject({ reports: [{ lines: [] }], unread: ['of-another'] });
  });

  test.each(Object.keys(double.hostile))(`${name} 9: %s is refused in words`, (what) => {
    expect(() => rail.read(double.hostile[what] ?? Buffer.of())).toThrow(UnreadableFile);
  });
};
