import { PAGES } from '../../src/console/pages/index.ts';
import { SCOPES_OF } from '../../src/contracts/scopes.ts';
import { situationForAffiliate } from '../../src/contracts/situations/my-payout.ts';
import { createRunPayouts } from '../../src/domains/payout-runs/index.ts';
import { payoutForAffiliate as german } from '../../src/texts/payout.affiliate.de.ts';
import { payoutForAffiliate as english } from '../../src/texts/payout.affiliate.en.ts';
import { payoutForMerchant } from '../../src/texts/payout.merchant.en.ts';
import { makeApprovals, makeProtected } from '../support/approvals.ts';
import { actingFor, hiddenFields, pageProblems, useConsole } from '../support/console.ts';
import { makeAffiliate, makeKey, makePayable, sendSale, unique } from '../support/factories.ts';
import { draftRun, makePayees } from '../support/payout-runs.ts';
import { makeManualPayout, makePayout } from '../support/payouts.ts';
import { rowsOf } from '../support/rail-payouts.ts';
import { makePayoutIn, PAYOUT_CASES } from '../support/situations.ts';

const pages = useConsole(PAGES);
const { api, sessions } = pages;

const signInFor = (merchant: { merchantId: string; keyId: string }, scopes = SCOPES_OF.merchant) => ({
  session: sessions.open({ merchant: actingFor(merchant, scopes) }),
});

const textOf = (html: string): string =>
  html
    .replace(/^.*<main/s, '<main')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll(/\s+/g, ' ');

const affiliateOf = async (profileId: string, locale = 'en-US') => {
  const { keyId } = await makeKey(api.runtime, { ownerId: profileId, keyType: 'affiliate' });
  const actor = { kind: 'key', keyId, keyType: 'affiliate', ownerId: profileId, scopes: SCOPES_OF.affiliate } as const;
  return { session: sessions.open({ affiliate: { actor, ownerId: profileId, name: 'Ada Test', perMinute: 1_000 }, locale }) };
};

const shown = async (path: string, by: { session: string }): Promise<string> => {
  const { status, html } = await pages.get(path, by);
  expect({ path, status, problems: pageProblems(html) }).toEqual({ path, status: 200, problems: [] });
  return textOf(html);
};

/** Buttons of forms, by the form. */
const offered = async (path: string, by: { session: string }): Promise<string[]> =>
  [...(await pages.get(path, by)).html.matchAll(/name="sentForm" value="(\w+)"/g)].map(([, name = '']) => name).sort();

const FORMS = { return: 'comeBack', read_instructions: 'instructions' } as const;
const formOf = (action: string): string => FORMS[action as keyof typeof FORMS] ?? action;

describe('each state of a payout, on each page that shows it', () => {
  const cases = PAYOUT_CASES.map((of) => [`${of.state} ${of.reason ?? ''}`.trim(), of] as const);

  it.each(cases)('%s', async (_name, of) => {
    const payout = await makePayoutIn(api, of);
    const record = await payout.read();
    const { label } = payoutForMerchant.states[of.state];
    // Somebody other than its creator.
    const { keyId } = await makeKey(api.runtime, { ownerId: payout.merchantId });
    const by = signInFor({ merchantId: payout.merchantId, keyId });
    const file = await shown(`/console/payouts/${payout.payoutId}`, by);
    expect(file).toContain(label);
    expect(file).toContain(payoutForMerchant.states[of.state].text);
    const next = record.situation.next as keyof typeof payoutForMerchant.next | null;
    // A key that is newer than the payout cannot approve it.
    const toDo = next === 'approve' ? 'Someone else has to approve it' : next && payoutForMerchant.next[next];
    if (toDo !== null) expect(file).toContain(toDo);
    expect(await shown('/console/payouts', by)).toContain(label);
    expect(file).not.toMatch(/Sends automatically|never received|(person|key|system):/);

    const mine = situationForAffiliate(record.situation, record);
    for (const [locale, texts] of [
      ['en-US', english],
      ['de-DE', german],
    ] as const) {
      const portal = await shown('/portal/payouts', await affiliateOf(payout.profileId, locale));
      expect(portal).toContain(texts.states[mine.state].label);
      if (mine.next !== null) expect(portal).toContain(texts.next[mine.next]);
      for (const secret of ['contradiction', 'fraud', record.railReason].filter((word) => word !== null))
        expect(portal.toLowerCase()).not.toContain(secret);
    }
  });
});

test('TR1: a payout of a paused run says on hold and why, and offers no payment', async () => {
  const paused = PAYOUT_CASES.find(({ reason }) => reason === 'run_paused');
  if (!paused) throw new Error('no case of a paused run');
  const payout = await makePayoutIn(api, paused);
  const text = await shown(`/console/payouts/${payout.payoutId}`, signInFor(payout));
  expect(text).toMatch(
    /On hold.*Its payout run is paused\. Don't pay it until the hold ends\. Resume or cancel its payout run\./,
  );
  expect(text).not.toContain('automatically');
  expect(await offered(`/console/payouts/${payout.payoutId}`, signInFor(payout))).toEqual(['cancel']);
});

test('TR2: an affiliate with an open contradiction cannot be paid, and is not ready', async () => {
  const payable = await makePayable(api);
  const by = signInFor(payable);
  expect(await shown('/console/pay', by)).toContain('Can be paid');
  const { key, affiliateId, programId, program, code } = payable;
  const { data } = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  await rowsOf(
    api,
    `update payout set rail = 'manual', status = 'failed', processing_at = now(), failed_at = now(), failure_code = 'marked_failed' where id = ?`,
    [data.id],
  );
  await rowsOf(
    api,
    `insert into payout_attempt (id, payout_id, n, rail, idempotency_key, outcome, created_at, updated_at)
      values (uuidv7(), ?, 1, 'manual', uuidv7()::text, 'failed', now(), now())`,
    [data.id],
  );
  await rowsOf(
    api,
    `insert into payout_contradiction (payout_id, n, attempt_id, recorded, reported, opened_at)
      select payout_id, 1, id, 'failed', 'paid', now() from payout_attempt where payout_id = ?`,
    [data.id],
  );
  await sendSale(api, program, { referralCode: code, amount: 20_000 });
  const text = await shown('/console/pay', by);
  expect(text).toMatch(/Not yet.*Another payout to the affiliate has to be resolved first/);
  expect(text).not.toContain('Can be paid');
  expect(await shown('/console/pay?ready=true', by)).toContain('Nobody can be paid right now');
});

test('TR4, TR5: figures of Home leave out what cannot be paid, and each links to what it adds up', async () => {
  const payout = await makeManualPayout(api);
  const { key, program, programId } = payout;
  const by = signInFor(payout);
  const addMember = async (local: string | null | undefined, amount = 10_000) => {
    const member = await makeAffiliate(api.runtime, programId, local);
    const { data } = await sendSale(api, program, { referralCode: member.code, amount });
    return { ...member, conversionId: data.conversionId as string };
  };
  const flagged = await addMember(undefined);
  const body = { affiliateId: flagged.affiliateId, conversionIds: [flagged.conversionId], note: 'Bids on our brand name' };
  expect((await api.call('POST', '/flags', { key, body })).status).toBe(201);
  const blocked = await addMember(undefined);
  await api.call('POST', `/affiliates/${blocked.affiliateId}/block`, { key, body: {} });
  await addMember(null);
  await addMember(undefined, 1_000);
  const ready = await addMember(undefined, 35_000);

  const figureOf = async (label: string) => {
    const { html } = await pages.get('/console', by);
    const [, href = '', value = ''] = new RegExp(`<a href="([^"]*)">${label}</a></span><strong>([^<]*)`).exec(html) ?? [];
    return { href, value };
  };
  expect(await figureOf('Ready to pay')).toEqual({ href: '/console/pay?ready=true', value: '$70.00' });
  const listed = (await pages.get('/console/pay?ready=true', by)).html;
  expect([listed.includes(ready.code), listed.includes(flagged.code), listed.includes(blocked.code)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(await figureOf('Not started')).toEqual({ href: '/console/payouts?status=pending', value: '$20.00' });
  expect(await figureOf('Processing')).toEqual({ href: '/console/payouts?status=processing', value: '–' });
  await payout.act('process');
  expect(await figureOf('Processing')).toEqual({ href: '/console/payouts?status=processing', value: '$20.00' });
  expect((await pages.get('/console/payouts?status=processing', by)).html).toContain(payout.payoutId);
});

test('TR6: a paused run says paused, and what is on hold is so because of a flag, a dispute or a block', async () => {
  const of = await makePayees(api, [{ amount: 40_000 }]);
  const run = await draftRun(api, of);
  await run.confirm();
  await run.act('pause');
  const text = await shown(`/console/pay/runs/${run.runId}`, signInFor(of));
  expect(text).toMatch(/Paused.*No new payouts are created or started\./);
  expect(text).not.toMatch(/on hold/i);
  const { profileId } = await makePayable(api, { program: { commissionHoldDays: 7 } });
  expect(await shown('/portal', await affiliateOf(profileId))).not.toMatch(/on hold|held/i);
});

test('TR7: the portal names a fraud review, an approval and a refusal as what they are, in English and German', async () => {
  const flagged = await makePayable(api, { program: { commissionHoldDays: 7 } });
  const { key, affiliateId, conversionId } = flagged;
  const body = { affiliateId, conversionIds: [conversionId], note: 'Bids on our brand name' };
  expect((await api.call('POST', '/flags', { key, body })).status).toBe(201);
  const overviewOf = async (profileId: string, locale?: string) => shown('/portal', await affiliateOf(profileId, locale));
  const held = await overviewOf(flagged.profileId);
  expect(held).toContain('$20.00 is on hold while sales are in dispute or under review.');
  expect(held).not.toContain('is in the hold period');
  expect(await overviewOf(flagged.profileId, 'de-DE')).toMatch(/20,00 \$ werden zurückgehalten/);

  const waiting = await makePayout(api);
  await rowsOf(api, 'update payout set approval_required_at = now() where id = ?', [waiting.payoutId]);
  const approval = await overviewOf(waiting.profileId);
  expect(approval).toMatch(/Payout of \$20\.00: Awaiting approval The company has to approve it before it is sent\./);
  expect(approval).not.toContain('The rest follows');
  expect(await overviewOf(waiting.profileId, 'de-DE')).toContain('Wartet auf Freigabe');

  const refused = await makePayout(api);
  await refused.act('process');
  await refused.act('fail', { note: 'The account is closed' });
  await rowsOf(api, `update payout set failure_code = 'rail_rejected', rail_reason = 'account_closed' where id = ?`, [
    refused.payoutId,
  ]);
  const failed = await overviewOf(refused.profileId);
  expect(failed).toMatch(
    /Your last payout of \$20\.00 failed\. The payment provider rejected the payment\..*Check your payout details/,
  );
  expect(failed).toContain('Check payout details');
  expect(await overviewOf(refused.profileId, 'de-DE')).toMatch(
    /Ihre letzte Auszahlung von 20,00 \$ ist fehlgeschlagen\..*Prüfen Sie/,
  );
});

test('TR8: saved approval rules say that something waits only when something does', async () => {
  const made = await makeProtected(api);
  const by = signInFor(made);
  const save = async (dailyLimit: string) => {
    const { html } = await pages.get('/console/settings', by);
    const { idempotencyKey = '', shown: before = '' } = hiddenFields(html);
    const rules = {
      shown: before.replaceAll('&quot;', '"'),
      payoutApprovalThreshold: ['USD', '50'],
      payoutDailyLimit: ['USD', dailyLimit],
      detailsCooldownHours: '48',
    };
    const { cookies } = await pages.post('/console/settings', { sentForm: 'change', idempotencyKey, ...rules }, by);
    return textOf((await pages.get('/console/settings', { ...by, cookies: { flash: cookies['flash'] ?? '' } })).html);
  };
  const stricter = await save('800');
  expect(stricter).toContain('Saved');
  expect(stricter).not.toMatch(/waits below|Pending changes/);
  expect(await save('1000')).toMatch(/Your change makes payouts less safe, so it waits below until someone else approves it/);
});

test('TR10: a payout that was retried offers no retry, and links the payout that retries it', async () => {
  const payout = await makeManualPayout(api);
  const by = signInFor(payout);
  const url = `/console/payouts/${payout.payoutId}`;
  await payout.act('process');
  await payout.act('fail', { note: 'The account is closed' });
  expect(await offered(url, by)).toContain('retry');
  const { data } = await payout.act('retry');
  expect(await offered(url, by)).toEqual([]);
  expect((await pages.get(url, by)).html).toContain(`href="/console/payouts/${data.id}"`);
});

test('TR10: whoever created a payout or drafted a run is not offered to approve it, and a second person is', async () => {
  const made = await makeApprovals(api, { amount: 40_000 });
  const { id } = (await made.pay()).data;
  const url = `/console/payouts/${id}`;
  const second = signInFor({ merchantId: made.merchantId, keyId: made.otherKeyId });
  expect(await offered(url, signInFor(made))).toEqual(['cancel']);
  expect(await shown(url, signInFor(made))).toContain('Someone else has to approve it');
  expect(await offered(url, second)).toEqual(['approve', 'cancel']);

  const of = await makePayees(api, [{ amount: 40_000 }]);
  const { keyId } = await makeKey(api.runtime, { ownerId: of.merchantId });
  await api.call('PATCH', '/merchant', { key: of.key, body: { payoutApprovalThreshold: { usd: 1_000 } } });
  const run = await draftRun(api, of);
  await run.confirm();
  const at = `/console/pay/runs/${run.runId}`;
  expect(await offered(at, signInFor(of))).toEqual(['cancel']);
  expect(await offered(at, signInFor({ merchantId: of.merchantId, keyId }))).toEqual(['approve', 'cancel']);
});

test('TR10: a payout in each state offers nothing that the API refuses for its state', async () => {
  for (const of of PAYOUT_CASES.filter(({ state }) => state !== 'to_decide' && state !== 'contradiction')) {
    const payout = await makePayoutIn(api, of);
    const forms = await offered(`/console/payouts/${payout.payoutId}`, signInFor(payout));
    const { situation, availableActions } = await payout.read();
    const allowed = availableActions.flatMap(({ action, refusedBecause }: { action: string; refusedBecause: string | null }) =>
      refusedBecause === null ? formOf(action) : [],
    );
    if (situation.state === 'sending') expect(forms).toEqual(allowed);
    if (situation.state === 'on_hold') expect(forms).not.toContain(formOf('process'));
    if (situation.state === 'paid') expect(forms).toContain(formOf('return'));
  }
});

test('TR11: files count by format, and a draft has a draft total', async () => {
  const of = await makePayees(api, [{ amount: 40_000, local: { holder: 'Ada' } }]);
  const run = await draftRun(api, of);
  const url = `/console/pay/runs/${run.runId}`;
  const by = signInFor(of);
  expect(await shown(url, by)).toMatch(/Draft total \$80\.00/);
  await run.confirm();
  expect(await shown(url, by)).toMatch(/Confirmed total \$80\.00/);
  await createRunPayouts(api.runtime.context({ kind: 'system', name: 'payoutRun' }), { runId: run.runId });
  const getFiles = async (format: string) => {
    const { idempotencyKey = '' } = hiddenFields((await pages.get(url, by)).html);
    return textOf((await pages.post(url, { sentForm: 'files', idempotencyKey, format }, by)).html);
  };
  expect(await getFiles('paypal')).toContain('No manual payouts of this payout run are in progress.');
  await run.act('process');
  const files = await getFiles('paypal');
  expect(files).toContain("1 of 1 payout in progress can't be paid with this format. Choose another one for it.");
  expect(files).not.toContain('No manual payouts');
});

test('TR12: the join page says when and from which amount on it pays, beside the hold period', async () => {
  const portalSlug = `join-${unique()}`;
  await makePayable(api, { program: { portalSlug } });
  const text = textOf((await pages.get(`/join/${portalSlug}`)).html);
  expect(text).toMatch(/Hold period None.*Pays Monthly.*Minimum payout \$10\.00/);
  expect(text).not.toContain('payable at once');
});
