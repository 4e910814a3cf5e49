import { mountConsole } from '../../src/console/index.ts';
import { startMailTry } from '../../src/domains/notifications/index.ts';
import { mailHeldAccount } from '../../src/domains/notifications/mail-held-account.steps.ts';
import { useOwnApi } from '../support/api.ts';
import { pageProblems } from '../support/console.ts';
import { shownProblems, useBrowserOn } from '../support/page-checks.ts';
import { draftRun, makePayees, transactionAs } from '../support/payout-runs.ts';
import { makePayout } from '../support/payouts.ts';
import { makePerson, type TestPerson } from '../support/people.ts';
import { rowsOf } from '../support/rail-payouts.ts';

const api = useOwnApi({ PUBLIC_URL: 'http://localhost:3000' }, { mounts: [mountConsole], asOwner: true });
const site = useBrowserOn(api);

const PAYPAL = '/console/settings/payout-accounts/paypal';
const WORD = 'PayPal refused: there isn&#39;t enough money in the account (INSUFFICIENT_FUNDS)';
const SINCE = '2026-11-20T08:30:00Z';

const FREE = "status = 'ready', held_code = null, held_since = null, probe_at = null";
const HELD = "status = 'failing', held_code = 'INSUFFICIENT_FUNDS', held_since = now(), probe_at = now()";
const change = (accountId: string, to: string) => rowsOf(api, `update rail_account set ${to} where id = ?`, [accountId]);

/** Two payees, and an account of PayPal that ran out of money. */
const start = async () => {
  const of = await makePayees(api, [{ amount: 40_000 }, { amount: 20_000 }]);
  const [account] = await rowsOf(
    api,
    `insert into rail_account (id, merchant_id, rail, identity, settings, secrets, status, held_code, held_since, probe_at, created_at, updated_at)
      values (uuidv7(), ?, 'paypal', 'sandbox client', '{"environment":"sandbox","clientId":"client-1234"}', 'x', 'failing',
        'INSUFFICIENT_FUNDS', ?, now() + interval '1 hour', now(), now()) returning id`,
    [of.merchantId, SINCE],
  );
  await rowsOf(api, `update merchant set payout_rails = '{"paypal":"paypal"}' where id = ?`, [of.merchantId]);
  const owner = await makePerson(api, { merchantId: of.merchantId });
  return { ...of, owner, accountId: account?.['id'] as string };
};

const open = async ({ token }: Pick<TestPerson, 'token'>, path: string) => {
  const response = await fetch(`${site.origin}${path}`, { headers: { cookie: `tributary_session_3000=${token}` } });
  return { status: response.status, html: await response.text() };
};

test('Home says which account cannot pay and why, and leads to it', async () => {
  const { owner } = await start();
  const { html } = await open(owner, '/console');
  expect(html).toContain(WORD);
  expect(html).toMatch(
    new RegExp(
      `<a href="${PAYPAL}">Payout account on hold</a>.*<a class="button secondary small" href="${PAYPAL}">Check</a>`,
      's',
    ),
  );
});

test('a payout that waits for the account leads to it, also once it is disconnected', async () => {
  const { owner, accountId, ...merchant } = await start();
  await change(accountId, FREE);
  const { payoutId } = await makePayout(api, { merchant });
  await change(accountId, HELD);
  const at = `/console/payouts/${payoutId}`;
  const { html } = await open(owner, at);
  expect(html).toContain('On hold');
  expect(html).toContain(`Then choose “Check again”. <a href="${PAYPAL}">Open the payout account</a>`);
  await change(accountId, 'is_current = false');
  expect((await open(owner, at)).html).toContain(`Connect the account again, or cancel the payout. <a href="${PAYPAL}">`);
});

test('a run whose account cannot pay says so above its payees until nothing waits for the account, and is not confirmed', async () => {
  const { owner, accountId, key, programId } = await start();
  const { runId, confirm } = await draftRun(api, { key, programId });
  expect((await confirm()).error.details.reason).toBe('RAIL_ACCOUNT_FAILING');
  const at = `/console/pay/runs/${runId}`;
  const { html } = await open(owner, at);
  expect(html).toContain(`Payouts from your PayPal account wait. ${WORD} (since <time datetime="2026-11-20T08:30:00.000Z"`);
  expect(html).toMatch(new RegExp(`href="${PAYPAL}">Open the payout account</a>.*<h2>Affiliates</h2>`, 's'));
  expect(pageProblems(html)).toEqual([]);
  expect(await shownProblems({ ...site, cookies: { tributary_session_3000: owner.token } }, at)).toEqual([]);
  await change(accountId, FREE);
  expect((await open(owner, at)).html).not.toContain('Open the payout account');
});

test('the email about a hold says why in words and leads to the account', async () => {
  const { merchantId, accountId } = await start();
  const held = { merchantId, accountId, rail: 'paypal', code: 'INSUFFICIENT_FUNDS', since: new Date(SINCE) } as const;
  await transactionAs(api, (ctx) => mailHeldAccount(ctx, held));
  const [mail] = await rowsOf(api, `select id from mail where kind = 'rail_account_held' and merchant_id = ?`, [merchantId]);
  const step = await startMailTry(api.runtime.context({ kind: 'system', name: 'test' }), { mailId: mail?.['id'] as string });
  const text = step.kind === 'send' ? step.mail.text : '';
  expect(text).toContain("there isn't enough money in the account (INSUFFICIENT_FUNDS)");
  expect(text).toContain('Fix this at PayPal, then choose “Check again”');
  expect(text).toContain(`http://localhost:3000${PAYPAL}`);
});
