import { PAGES } from '../../src/console/pages/index.ts';
import { SCOPES_OF } from '../../src/contracts/scopes.ts';
import { actingFor, useConsole } from '../support/console.ts';
import { makeMerchant, makeProgram, sendSale, unique } from '../support/factories.ts';

const pages = useConsole(PAGES);
const { api, sessions } = pages;

const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
/** Read from the right, its end would be something else. */
const turned = (name: string): string => `\u202e\u2067${name}\u202c \u200fgnp.exe`;

const makeTurned = async () => {
  const merchant = await makeMerchant(api.runtime);
  const { key } = merchant;
  const send = async (method: 'POST' | 'PATCH', path: string, body: object) => {
    const response = await api.call(method, path, { key, body });
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.text}`);
    return response.data;
  };
  const program = await makeProgram(api, key, { name: turned('Partners') });
  const { programId } = program;
  await send('PATCH', '/merchant', { companyName: turned('Acme') });
  await send('POST', '/auth/keys', { name: turned('Backend'), preset: 'readonly' });
  const paypalEmail = `ok+${unique()}@example.com`;
  const add = (name: string) =>
    send('POST', '/affiliates', { programId, email: `a-${unique()}@blog.example`, name: turned(name), paypalEmail });
  const [paid, drafted] = [await add('Ada'), await add('Bob')];
  for (const { code } of [paid, drafted]) await sendSale(api, program, { referralCode: code });
  const payout = await send('POST', '/payouts', { affiliateId: paid.id, programId });
  const run = await send('POST', '/payout-runs', { name: turned('March'), programId });
  return { ...merchant, payoutId: payout.id as string, runId: run.id as string };
};

test('NS14: no page of the console shows a character that turns the direction of what is read', async () => {
  const made = await makeTurned();
  const session = sessions.open({
    name: turned('Grace'),
    merchant: { ...actingFor(made, SCOPES_OF.merchant), name: turned('Acme') },
  });
  const plain = PAGES.map(({ path }) => path).filter((path) => path.startsWith('/console') && !path.includes('{'));
  const paths = [...plain, `/console/payouts/${made.payoutId}`, `/console/pay/runs/${made.runId}`];
  const found = [];
  for (const path of paths) found.push({ path, ...(await pages.get(path, { session })) });
  expect(found.filter(({ html }) => DIRECTIONS.test(html)).map(({ path }) => path)).toEqual([]);
  const shown = found
    .filter(({ status }) => status === 200)
    .map(({ html }) => html)
    .join('');
  for (const name of ['Partners', 'Backend', 'Ada', 'March']) expect(shown).toContain(`<bdi>${name} gnp.exe</bdi>`);
});
