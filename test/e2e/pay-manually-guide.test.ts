import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PAYMENT_COLUMNS } from '../../src/domains/payouts/payment-files.ts';
import { useOwnApi } from '../support/api.ts';
import { makePayable } from '../support/factories.ts';

const GUIDE = fileURLToPath(new URL('../../docs/guides/pay-manually.md', import.meta.url));
const api = useOwnApi();

test('the commands of docs/guides/pay-manually.md pay an affiliate, as printed', async () => {
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = api.app.server.address() as AddressInfo;
  const { key } = await makePayable(api, { local: { holder: 'Ada Example' } });
  const commands = [...(await readFile(GUIDE, 'utf8')).matchAll(/^```bash\n(.*?)^```/gms)].map(([, code]) => code);
  expect(commands).toHaveLength(6);
  const folder = await mkdtemp(join(tmpdir(), 'tributary-guide-'));
  try {
    await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands.join('\n')], {
      cwd: folder,
      env: { PATH: process.env['PATH'], TRIBUTARY_URL: `http://127.0.0.1:${port}`, TRIBUTARY_KEY: key },
      timeout: 120_000,
    });
    const { data } = JSON.parse(await readFile(join(folder, 'instructions.json'), 'utf8'));
    expect(data).toMatchObject({
      amountDecimal: '20.00',
      recipient: { bankIban: 'DE89370400440532013000', bankAccountHolder: 'Ada Example' },
    });
    const paid = await api.call('GET', `/payouts/${data.payoutId}`, { key });
    expect(paid.data).toMatchObject({ status: 'completed', rail: 'manual', method: 'bank_transfer' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('the guide lists the columns of the export in their order', async () => {
  const [, table = ''] = (await readFile(GUIDE, 'utf8')).split('| Column | Content |');
  expect([...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)).toEqual(Object.keys(PAYMENT_COLUMNS));
});
