import { createApiKey } from '../../../src/domains/auth/index.ts';
import { erasePerson } from '../../../src/domains/me/index.ts';
import { createSignInLink } from '../../../src/domains/people/index.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeAffiliateKey, makePayable, unique } from '../../support/factories.ts';
import { callAs, signedIn, tokenIn } from '../../support/people.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { emailOf, mailsAbout } from '../notifications/support.ts';

const api = useOwnApi();
const system = { kind: 'system', name: 'test' } as const;
const anybody = { kind: 'anonymous' } as const;
const HOUR_MS = 3_600_000;

const signInAs = async (email: string) => {
  const { url } = await createSignInLink(api.runtime.context(system), { email });
  const { token } = (await callAs(api, anybody, 'signIn', { body: { token: tokenIn(url) } })).data;
  const actor = (await signedIn(api, token))?.affiliate?.actor;
  if (!actor) throw new Error('no affiliate is signed in');
  return { token, actor };
};

/** An affiliate with a payable commission and a PayPal account, who is signed in. */
const makeSignedIn = async () => {
  const own = await makePayable(api, { local: `ada-${unique()}` });
  const { key, affiliateId, programId, profileId } = own;
  const email = await emailOf(api.runtime, profileId);
  const { token, actor } = await signInAs(email);
  const before = (await callAs(api, actor, 'getPayoutInfo', {})).data;
  const change = (paypalEmail: string, by = actor) => callAs(api, by, 'updatePayoutInfo', { body: { paypalEmail } });
  const read = async () => (await callAs(api, (await signInAs(email)).actor, 'getPayoutInfo', {})).data;
  const pay = () => api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const mails = () => mailsAbout(api.runtime, profileId);
  /** Finds the link in the latest mail to an address. */
  const linkTo = async (address: string) =>
    /\/payout-details\/restore\?token=([\w-]+)/.exec((await mails()).findLast(({ to }) => to === address)?.text ?? '')?.[1] ?? '';
  const restore = (linkToken: string) => callAs(api, anybody, 'restorePayoutInfo', { body: { token: linkToken } });
  const later = (time: string) =>
    rowsOf(
      api,
      `update affiliate_profile set payout_cooldown_until = payout_cooldown_until - ?::interval,
        payout_details_changed_at = payout_details_changed_at - ?::interval where id = ?`,
      [time, time, profileId],
    );
  return { ...own, email, token, actor, before, change, read, pay, mails, linkTo, restore, later };
};

const waits = { status: 409, error: { details: { reason: 'DETAILS_JUST_CHANGED' } } };

describe('details that a person changes in the portal', () => {
  it('are not paid to for 72 hours, whatever the merchant waits', async () => {
    const { change, pay, read, later } = await makeSignedIn();
    await change('thief@example.com');
    const refused = await pay();
    expect(refused).toMatchObject(waits);
    const until = Date.parse(refused.error.details.detailsCooldownUntil) - Date.now();
    expect([until > 72 * HOUR_MS - 60_000, until <= 72 * HOUR_MS]).toEqual([true, true]);
    expect((await read()).detailsCooldownUntil).toBe(refused.error.details.detailsCooldownUntil);
    await later('72 hours');
    expect((await read()).detailsCooldownUntil).toBeNull();
    expect((await pay()).status).toBe(201);
  });

  it('are told to the mailbox of new addresses ten times a day, however it is spelled and whoever enters it', async () => {
    const mailbox = `neighbor-${unique()}`;
    const told: string[] = [];
    for (const who of ['one', 'another']) {
      const { change, mails } = await makeSignedIn();
      for (let n = 0; n < 6; n++) await change(`${mailbox}+${who}${n}@example.com`);
      told.push(...(await mails()).map(({ to }) => to).filter((to) => to.startsWith(mailbox)));
    }
    expect(told).toHaveLength(10);
  });

  it('wait for as long as a merchant wants, if that is longer', async () => {
    const { change, pay, later, key } = await makeSignedIn();
    await api.call('PATCH', '/merchant', { key, body: { detailsCooldownHours: 100 } });
    await change('thief@example.com');
    await later('73 hours');
    expect(await pay()).toMatchObject(waits);
    await later('27 hours');
    expect((await pay()).status).toBe(201);
  });

  it('are taken back by the link in the mailbox, once: the previous details are paid', async () => {
    const { change, pay, before, read, linkTo, restore, email } = await makeSignedIn();
    await change('thief@example.com');
    const token = await linkTo(email);
    expect((await restore(token)).data).toEqual({ success: true });
    expect(await read()).toEqual(before);
    expect((await pay()).data.status).toBe('pending');
    expect(await restore(token)).toMatchObject({ status: 404 });
  });

  it('are those before the first change that waits, by the link of any mail', async () => {
    const { change, before, read, linkTo, restore, email, actor } = await makeSignedIn();
    await change('thief@example.com');
    const first = await linkTo(email);
    await callAs(api, actor, 'updatePayoutInfo', {
      body: { bankIban: 'DE89370400440532013000', bankAccountHolder: 'A Thief', payoutMethod: 'bank_transfer' },
    });
    expect(await linkTo(email)).toBe(first);
    await restore(first);
    expect(await read()).toEqual(before);
  });

  it('cannot be taken back any more once they are paid to', async () => {
    const { change, linkTo, restore, read, later, email } = await makeSignedIn();
    await change('mine@example.com');
    await later('72 hours');
    expect(await restore(await linkTo(email))).toMatchObject({ status: 404 });
    expect((await read()).paypalEmail).toBe('mine@example.com');
    await change('mine2@example.com', (await signInAs(email)).actor);
    await restore(await linkTo(email));
    expect((await read()).paypalEmail).toBe('mine@example.com');
  });

  it('are taken back by the first link, however often they were changed back and forth', async () => {
    const { change, pay, before, read, restore, linkTo, email } = await makeSignedIn();
    await change('thief@example.com');
    const token = await linkTo(email);
    await change(before.paypalEmail ?? '');
    expect(await pay()).toMatchObject(waits);
    await change('thief2@example.com');
    expect((await restore(token)).status).toBe(200);
    expect(await read()).toEqual(before);
  });
});

it('only the mailbox of the sign-in gets the link; both PayPal addresses are told', async () => {
  const { change, mails, linkTo, email, before } = await makeSignedIn();
  await change('thief@example.com');
  const sent = await mails();
  const payoutAddress = before.paypalEmail ?? '';
  expect(sent.map(({ to }) => to).sort()).toEqual([...new Set([email, payoutAddress, 'thief@example.com'])].sort());
  expect(await linkTo(email)).toMatch(/^[\w-]{43}$/);
  const others = sent.filter(({ to }) => to !== email);
  expect(others.filter(({ text }) => text.includes('/payout-details/'))).toEqual([]);
  expect(sent.filter(({ text }) => /thief@/.test(text))).toEqual([]);
});

it('taking a change back signs the person out everywhere, removes new passkeys and keys with those made with them, and tells them', async () => {
  const { change, linkTo, restore, email, token, actor, profileId, mails } = await makeSignedIn();
  const old = await createApiKey(api.runtime.context(actor), { keyType: 'affiliate', ownerId: profileId, name: 'old' });
  await rowsOf(api, `update api_key set created_at = now() - interval '80 hours' where id = ?`, [old.key.id]);
  for (const [credential, age] of [
    ['old', '80 hours'],
    ['new', '1 minute'],
  ])
    await rowsOf(
      api,
      `insert into passkey (id, person_id, credential_id, public_key, use_count, transports, name, created_at)
        values (gen_random_uuid(), ?, ?, '', 0, '{}', ?, now() - ?::interval)`,
      [actor.personId, `${credential} ${actor.personId}`, credential, age],
    );
  const made = await createApiKey(api.runtime.context(actor), { keyType: 'affiliate', ownerId: profileId, name: 'new' });
  const child = (await api.call('POST', '/auth/keys', { key: made.value, body: { name: 'child', scopes: ['profile:read'] } }))
    .data;
  await change('thief@example.com');
  await restore(await linkTo(email));
  expect(await signedIn(api, token)).toBeNull();
  const keys = await rowsOf(api, 'select id, revoked_at is null as works from api_key where owner_id = ?', [profileId]);
  const works = (id: string) => keys.find((key) => key.id === id)?.works;
  expect([works(made.key.id), works(child.key.id), works(old.key.id)]).toEqual([false, false, true]);
  const left = await rowsOf(api, 'select name from passkey where person_id = ? and deleted_at is null', [actor.personId]);
  expect(left).toEqual([{ name: 'old' }]);
  expect((await mails()).at(-1)).toMatchObject({ to: email, subject: 'Your previous payout details are back' });
});

describe('the first details', () => {
  it('wait for nobody', async () => {
    const own = await makePayable(api, { local: null });
    const { actor } = await signInAs(await emailOf(api.runtime, own.profileId));
    await api.call('PATCH', '/merchant', { key: own.key, body: { detailsCooldownHours: 24 } });
    await callAs(api, actor, 'updatePayoutInfo', { body: { firstName: 'Ada' } });
    await callAs(api, actor, 'updatePayoutInfo', { body: { paypalEmail: 'ok@example.com' } });
    const body = { affiliateId: own.affiliateId, programId: own.programId };
    expect((await api.call('POST', '/payouts', { key: own.key, body })).status).toBe(201);
  });

  it('are not first after others were removed', async () => {
    const { actor, change, pay } = await makeSignedIn();
    await callAs(api, actor, 'updatePayoutInfo', { body: { payoutMethod: null, paypalEmail: null } });
    await change('thief@example.com');
    expect(await pay()).toMatchObject(waits);
  });
});

describe('details that a key changes', () => {
  const setUp = async (createdAgo: string) => {
    const own = await makeSignedIn();
    const { key, value } = await createApiKey(api.runtime.context(own.actor), {
      keyType: 'affiliate',
      ownerId: own.profileId,
      name: 'test',
    });
    await rowsOf(api, 'update api_key set created_at = now() - ?::interval where id = ?', [createdAgo, key.id]);
    await api.call('PATCH', '/me/payout-info', { key: value, body: { paypalEmail: 'ok+new@example.com' } });
    return own;
  };

  it('wait when a person made it less than 72 hours ago', async () => {
    expect(await (await setUp('71 hours')).pay()).toMatchObject(waits);
  });

  it('do not wait when it is older', async () => {
    expect((await (await setUp('73 hours')).pay()).status).toBe(201);
  });

  it('do not wait when the operator made it', async () => {
    const { profileId, pay, mails } = await makeSignedIn();
    const key = await makeAffiliateKey(api.runtime, profileId);
    await api.call('PATCH', '/me/payout-info', { key, body: { paypalEmail: 'ok+new@example.com' } });
    expect((await pay()).status).toBe(201);
    expect((await mails()).filter(({ text }) => text.includes('/payout-details/'))).toEqual([]);
  });

  it('do not end the wait of a change before', async () => {
    const { profileId, change, pay, linkTo, restore, read, before, email } = await makeSignedIn();
    await change('thief@example.com');
    const key = await makeAffiliateKey(api.runtime, profileId);
    await api.call('PATCH', '/me/payout-info', { key, body: { paypalEmail: 'ok+new@example.com' } });
    expect(await pay()).toMatchObject(waits);
    await restore(await linkTo(email));
    expect(await read()).toEqual(before);
  });
});

it('of two who use the link at once, one takes the change back', async () => {
  const { change, linkTo, restore, email } = await makeSignedIn();
  await change('thief@example.com');
  const token = await linkTo(email);
  const answers = await Promise.all([restore(token), restore(token), restore(token)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
});

it('an unknown link is 404, and that of an erased person is gone with what it held', async () => {
  const { change, linkTo, restore, email, profileId } = await makeSignedIn();
  await change('thief@example.com');
  const token = await linkTo(email);
  await erasePerson(api.runtime.context(system), { email });
  expect([(await restore(token)).status, (await restore('x'.repeat(43))).status]).toEqual([404, 404]);
  const [row] = await rowsOf(
    api,
    'select payout_undo, payout_undo_hash, payout_cooldown_until from affiliate_profile where id = ?',
    [profileId],
  );
  expect(row).toEqual({ payout_undo: null, payout_undo_hash: null, payout_cooldown_until: null });
});
