import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeManualRun } from '../api/payout-runs/by-hand.ts';
import { useOwnApi } from '../support/api.ts';
import { operatorEnv, runProgram } from '../support/run-program.ts';

const api = useOwnApi();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-import-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const importFile = async (bytes: string | Buffer, args: readonly string[] = []) => {
  const file = join(folder, 'results.csv');
  await writeFile(file, bytes);
  const env = operatorEnv(api.runtime.config.DATABASE_URL);
  return runProgram(['bin/admin.ts', 'import-results', '--file', file, '--json', ...args], env);
};

it('MN1: import-results reads what a German Excel saved, and books nothing as paid without a result', async () => {
  const { key, payoutIds, act, statuses } = await makeManualRun(api, 3);
  const [first = '', second = '', third = ''] = payoutIds;
  await act('process');
  const rows = [`${first};M\u00FCller;bezahlt`, `${second};;fehlgeschlagen`, `${third};SCT 3;`];
  const imported = await importFile(Buffer.from(['payoutId;bankReference;RESULT', ...rows, ''].join('\r\n'), 'latin1'));
  expect([imported.code, JSON.parse(imported.out)]).toEqual([0, { done: 2, unchanged: 0, refused: 1, remaining: 0 }]);
  expect(imported.err).toBe(
    `line 4: ${third}: The line has no result: write paid, failed, or returned in the column result (NO_RESULT)\n`,
  );
  expect(await statuses()).toEqual(['completed', 'failed', 'processing']);
  expect((await api.call('GET', `/payouts/${first}`, { key })).data.bankReference).toBe('M\u00FCller');
});

it('MN1: a file without a column for the result, or that is cut, is refused', async () => {
  const { payoutIds, act, statuses } = await makeManualRun(api, 1);
  await act('process');
  for (const [csv, message] of [
    [`payoutId,bankReference\n${payoutIds[0]},SCT 1\n`, 'must have a header with result'],
    [`payoutId,bankReference,result\n${payoutIds[0]},"SCT 1`, 'a quotation mark is not closed'],
  ] as const) {
    const { code, out, err } = await importFile(csv);
    expect([code, out, err]).toEqual([1, '', expect.stringContaining(message)]);
  }
  const cut = await importFile(`payoutId,bankReference,result\n${payoutIds[0]},SCT 1`);
  expect([cut.code, JSON.parse(cut.out)]).toEqual([0, { done: 0, unchanged: 0, refused: 1, remaining: 0 }]);
  expect(await statuses()).toEqual(['processing']);
});
