import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY, makeBankPayouts } from '../api/bank-files/support.ts';
import { useOwnApi } from '../support/api.ts';
import { makeMerchant } from '../support/factories.ts';
import { rowsOf } from '../support/rail-payouts.ts';
import { operatorEnv, runProgram } from '../support/run-program.ts';

const api = useOwnApi();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-bank-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const importFile = async (merchantId: string, bytes: string | Buffer) => {
  const file = join(folder, 'bank.xml');
  await writeFile(file, bytes);
  const env = operatorEnv(api.runtime.config.DATABASE_URL);
  const { code, out, err } = await runProgram(
    ['bin/admin.ts', 'import-bank-file', '--merchant', merchantId, '--file', file, '--json'],
    env,
  );
  return { code, err, said: out === '' ? null : JSON.parse(out) };
};

it('import-bank-file applies what a bank says, with a line in the audit log, and the same file twice changes nothing', async () => {
  const { merchantId, bank, makeAndSend, states, call } = await makeBankPayouts(api, ['Ada A', 'Bob ERRAC04RJCT']);
  const { file } = await makeAndSend();
  const [status, booked] = bank.execute(file.messageId, DAY);
  expect(await importFile(merchantId, status?.bytes ?? '')).toMatchObject({
    code: 0,
    err: 'Status file: 2 payments changed, 0 known before, 0 not about payouts, 0 without a match.\n',
    said: { kind: 'status', repeated: false, changed: 2 },
  });
  expect(await importFile(merchantId, booked?.bytes ?? '')).toMatchObject({ code: 0, said: { kind: 'statement', changed: 1 } });
  expect(await states()).toEqual(['paid', 'failed']);
  expect(await importFile(merchantId, booked?.bytes ?? '')).toMatchObject({
    code: 0,
    err: 'This file was imported before: nothing changed.\n',
    said: { repeated: true },
  });
  const log = await rowsOf(api, `select actor, action from audit_log where owner_id = ? and action = 'bank_statement.imported'`, [
    merchantId,
  ]);
  expect(log).toEqual(Array.from({ length: 2 }, () => ({ actor: 'system:operator', action: 'bank_statement.imported' })));
  const { data } = await call('GET', '/bank-files/statements');
  expect(data.map(({ importedBy }: { importedBy: string }) => importedBy)).toEqual(['system:operator', 'system:operator']);
});

it('a file that is no message of a bank, or about an account of somebody else, is refused in words', async () => {
  const { merchantId, bank } = await makeBankPayouts(api, ['Ada A']);
  const other = await makeMerchant(api.runtime);
  const statement = bank.statement('DE89370400440532013000', DAY, DAY).bytes;
  for (const [id, bytes, message] of [
    [merchantId, '<a/>', 'content'],
    [merchantId, bank.statement('NL91ABNA0417164300', DAY, DAY).bytes, 'an account that is not connected here'],
    [other.merchantId, statement, 'There is no bank account'],
    ['01990000-0000-7000-8000-000000000000', statement, 'not found'],
  ] as const) {
    expect(await importFile(id, bytes)).toEqual({ code: 1, said: null, err: expect.stringContaining(message) });
  }
});
