import { createAffiliate } from '../../../src/domains/applications/index.ts';
import { raiseFlag } from '../../../src/domains/flags/index.ts';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { eraseProfile } from '../../../src/domains/me/erase-profile.steps.ts';
import { erasePerson } from '../../../src/domains/me/index.ts';
import { type Broadcast, inTransaction } from '../../../src/platform/context.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { emailDigest } from '../../../src/platform/email.ts';
import { useOwnApi } from '../../support/api.ts';
import {
  makeAffiliateKey,
  makeClick,
  makeMerchant,
  makePayable,
  makeProgram,
  saleEvent,
  sendEvent,
  sendIdentification,
  sendSale,
  unique,
} from '../../support/factories.ts';
import { untilSomebodyWaits } from '../../support/lock-waits.ts';

const api = useOwnApi();

const system = () => api.runtime.context({ kind: 'system', name: 'test' });

/** Every table as text; bytes as text too. */
const dump = async (): Promise<Record<string, string>> => {
  const { em } = system();
  const tables = await rows(em, sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public'`);
  const found: Record<string, string> = {};
  for (const { name } of tables) {
    const lines = await rows(em, sql<{ line: string }>`select t::text as line from ${sql.table(name)} t order by 1`);
    const text = lines.map(({ line }) => line).join('\n');
    const bytes = [...text.matchAll(/\\x([0-9a-f]{2,})/g)].map(([, hex = '']) => Buffer.from(hex, 'hex').toString('utf8'));
    found[name] = [text, ...bytes].join('\n').toLowerCase();
  }
  return found;
};

/** The tables that contain one of the terms. */
const tablesWith = async (...terms: string[]): Promise<string[]> =>
  Object.entries(await dump()).flatMap(([table, text]) =>
    terms.some((term) => text.includes(term.toLowerCase())) ? [table] : [],
  );

/** A person in a program, who earned and bought there, and about whom the merchant wrote. */
const makePerson = async () => {
  const mark = unique();
  const [email, name] = [`grace.${mark}+x@example.com`, `Grace ${mark} Hopper`];
  const merchant = await makeMerchant(api.runtime);
  const { key } = merchant;
  const hook = {
    name: 'Sink',
    url: 'https://1.1.1.1/hook',
    subscribedEvents: ['affiliate.joined', 'affiliate.blocked', 'conversion.created'],
  };
  await api.call('POST', '/webhooks', { key, body: hook });
  const program = await makeProgram(api, key);
  const payout = { bankIban: 'DE89370400440532013000', bankAccountHolder: name };
  const person = { programId: program.programId, email, name, source: 'api' as const, payout, code: `code-${unique()}` };
  const affiliate = await createAffiliate(system(), person);
  const affiliateKey = await makeAffiliateKey(api.runtime, affiliate.profileId);
  await api.call('POST', '/me/links', { key: affiliateKey, body: { name: `Blog of ${name}` } });
  const sell = (saleId: string) =>
    sendEvent(
      api,
      program,
      saleEvent({
        saleId,
        referralCode: affiliate.code,
        customer: { id: email, email },
        metadata: { buyer: email.toUpperCase() },
      }),
    );
  await sell(`sale-${mark}`);
  const path = `/affiliates/${affiliate.affiliateId}`;
  const adjustment = { kind: 'bonus', amount: 100, note: `For ${name}, ${email}` };
  await api.call('POST', `${path}/adjustments`, { key, body: adjustment, headers: { 'idempotency-key': unique() } });
  await api.call('POST', `${path}/block`, { key, body: { reason: `Asked\n${name}` }, headers: { 'idempotency-key': unique() } });
  await api.call('POST', `${path}/unblock`, { key });
  const { affiliateId } = affiliate;
  const pay = async (): Promise<string> => {
    // The person bought by their own link.
    for (const { id } of (await api.call('GET', '/flags', { key, query: { affiliateId, status: 'open' } })).data)
      await api.call('POST', `/flags/${id}/resolve`, { key, body: { status: 'dismissed', note: `It is ${name}` } });
    const body = { affiliateId, programId: program.programId, notes: `To ${name}` };
    return (await api.call('POST', '/payouts', { key, body })).data.id;
  };
  const act = (id: string, verb: string, body?: object) => api.call('POST', `/payouts/${id}/${verb}`, { key, body });
  return { ...merchant, program, programId: program.programId, ...affiliate, affiliateKey, email, name, mark, sell, pay, act };
};

test('after an erasure, no table contains the address, the name or a hash of the address, and the books are as before', async () => {
  const person = await makePerson();
  const { email, name, mark, key, affiliateId } = person;
  const paid = await person.pay();
  await person.act(paid, 'process');
  await person.act(paid, 'complete', { note: `Paid to ${name}` });
  await person.sell(`second-${mark}`);
  const digest = api.runtime.cipher.digest(email, 'customer-email');
  const canonical = emailDigest(api.runtime.cipher, email);
  const terms = [email, name, digest, canonical, `guest_${digest.slice(0, 32)}`];
  const before = await tablesWith(...terms);
  expect(before).toEqual(
    expect.arrayContaining([
      'affiliate',
      'affiliate_profile',
      'commission_adjustment',
      'idempotency_record',
      'link',
      'payout',
      'sale',
      'webhook_event',
    ]),
  );
  const ledger = (await dump())['ledger_entry'];
  const erased = await erasePerson(system(), { email: ` ${email.toUpperCase()} ` });
  expect(await tablesWith(...terms)).toEqual([]);
  expect(erased).toMatchObject({
    profileId: person.profileId,
    erased: { memberships: 1, keys: 1, payouts: 1, sales: 2, events: expect.any(Number), responses: 2 },
  });
  expect((await dump())['ledger_entry']).toBe(ledger);
  expect((await verifyLedger(system())).filter(({ subject }) => subject === affiliateId)).toEqual([]);
  const shown = await api.call('GET', `/affiliates/${affiliateId}`, { key, query: { include: 'stats' } });
  expect(shown.data).toMatchObject({
    name: null,
    email: `erased-${person.profileId}@erased.invalid`,
    stats: { paid: 2_100, pending: 2_000 },
  });
});

test('the keys of the person are revoked on all processes, and where they were paid is gone', async () => {
  const person = await makePerson();
  const paid = await person.pay();
  await person.act(paid, 'process');
  await person.act(paid, 'complete');
  // Not in the cache of a process yet.
  const key = await makeAffiliateKey(api.runtime, person.profileId);
  const sent: Broadcast[] = [];
  await erasePerson({ ...system(), publish: async (broadcast) => void sent.push(broadcast) }, { email: person.email });
  expect(sent.map(({ channel }) => channel)).toEqual(['key-changed', 'key-changed']);
  expect((await api.call('GET', '/me', { key })).status).toBe(401);
  const instructions = await api.call('GET', `/payouts/${paid}/instructions`, { key: person.key });
  expect(instructions).toMatchObject({
    status: 200,
    data: { amount: 2_100, recipient: { paypalEmail: null, bankIban: null, bankBic: null, bankAccountHolder: null } },
  });

  const bonus = { kind: 'bonus', amount: 2_000, note: 'Owed' };
  await api.call('POST', `/affiliates/${person.affiliateId}/adjustments`, { key: person.key, body: bonus });
  const again = await api.call('POST', '/payouts', {
    key: person.key,
    body: { affiliateId: person.affiliateId, programId: person.program.programId },
  });
  expect(again).toMatchObject({ status: 409, error: { details: { reason: 'PAYOUT_DETAILS_MISSING' } } });
});

test('clicks of the person keep neither an address nor a browser, whether they bought or signed up with them', async () => {
  const { program, programId, affiliateId, code, email } = await makePerson();
  const click = () => makeClick(api.runtime, { programId, affiliateId, code });
  const customer = { id: email, email };
  const { clickToken } = await click();
  await sendEvent(api, program, saleEvent({ clickToken, customer }));
  await sendIdentification(api, program, { clickToken: (await click()).clickToken, customer });
  await erasePerson(system(), { email });
  const clicks = await rows(
    system().em,
    sql`select visitor, address, browser, repeat_key from click where affiliate_id = ${affiliateId}::uuid`,
  );
  const nothing = Buffer.alloc(0);
  const erased = { visitor: nothing, address: nothing, browser: nothing, repeat_key: nothing };
  expect(clicks).toEqual([erased, erased]);
});

test('a payout in progress keeps its recipient until it ends, and the next run erases it', async () => {
  const person = await makePerson();
  const id = await person.pay();
  await person.act(id, 'process');
  const first = await erasePerson(system(), { email: person.email });
  expect(first.kept).toContainEqual(expect.objectContaining({ what: expect.stringContaining('in progress'), count: 1 }));
  const { data } = await api.call('GET', `/payouts/${id}/instructions`, { key: person.key });
  expect(data.recipient.bankIban).toBe('DE89370400440532013000');
  await person.act(id, 'complete');
  const second = await erasePerson(system(), { email: person.email });
  expect(second).toMatchObject({ profileId: null, erased: { payouts: 1, memberships: 0, keys: 0 } });
  expect(second.kept.map(({ what }) => what).filter((what) => what.includes('in progress'))).toEqual([]);
});

test('nobody is written to after the erasure, also when a payout ends', async () => {
  const person = await makePerson();
  const id = await person.pay();
  await person.act(id, 'process');
  await erasePerson(system(), { email: person.email });
  expect((await person.act(id, 'complete')).status).toBe(200);
  expect(await rows(system().em, sql`select kind from mail where subject_id = ${id}::uuid`)).toEqual([]);
});

test('a repeat changes nothing', async () => {
  const person = await makePerson();
  await erasePerson(system(), { email: person.email });
  const before = await dump();
  const { erased } = await erasePerson(system(), { email: person.email });
  expect(Object.values(erased).filter((count) => count > 0)).toEqual([]);
  expect(await dump()).toEqual(before);
});

test('what an interrupted run left is found by the next one, without the profile', async () => {
  const person = await makePerson();
  await eraseProfile(system(), person.email);
  expect(await tablesWith(person.email)).toEqual(expect.arrayContaining(['sale', 'webhook_event']));
  await erasePerson(system(), { email: person.email });
  expect(await tablesWith(person.email)).toEqual([]);
});

test('other people stay as they are, also those whose name or address is similar', async () => {
  const person = await makePerson();
  const other = await createAffiliate(system(), {
    programId: person.program.programId,
    email: `x${person.email}`,
    name: `${person.name} Junior`,
    source: 'api',
    payout: { paypalEmail: 'ok@example.com' },
  });
  const read = async () => (await api.call('GET', `/affiliates/${other.affiliateId}`, { key: person.key })).data;
  const before = await read();
  await erasePerson(system(), { email: person.email });
  expect(await read()).toEqual(before);
  const events = (await dump())['webhook_event'] ?? '';
  expect(events.split(`"x${person.email}"`).length - 1).toBe(2);
  expect(events).toContain(`"${person.name} Junior"`.toLowerCase());
});

test.each(['null', '2000', 'Data', 'evidence'])(
  'a membership whose name is %s leaves events and flags readable',
  async (name) => {
    const person = await makePerson();
    const { key, affiliateId } = person;
    await api.call('POST', '/flags', { key, body: { affiliateId, note: `Ask ${name}` } });
    const other = await makeMerchant(api.runtime);
    const { programId } = await makeProgram(api, other.key);
    await api.call('POST', '/affiliates', { key: other.key, body: { programId, email: person.email, name } });
    await erasePerson(system(), { email: person.email });
    const bodies = await rows(system().em, sql<{ body: string }>`select convert_from(body, 'UTF8') as body from webhook_event`);
    const events = bodies.map(({ body }) => JSON.parse(body)).filter(({ merchantId }) => merchantId === person.merchantId);
    const dataOf = (type: string) => events.find((event) => event.type === type)?.data;
    expect(dataOf('affiliate.blocked')).toMatchObject({
      id: affiliateId,
      commissionPercent: null,
      blockedReason: 'Asked\n[erased]',
    });
    expect(dataOf('conversion.created')).toMatchObject({ affiliateId, commissionAmount: 2_000 });
    const [flag] = (await api.call('GET', '/flags', { key, query: { type: 'manual_review' } })).data;
    expect(flag.details).toMatchObject({ evidenceCount: 1, evidence: [{ note: 'Ask [erased]' }] });
  },
);

test('a line break before the end of a name is not the beginning of that name', async () => {
  const { key, merchantId, program } = await makePayable(api);
  const { programId } = program;
  const email = `nat-${unique()}@example.com`;
  const { data } = await api.call('POST', '/affiliates', { key, body: { programId, email, name: 'Nat' } });
  const note = 'Meet me\nat noon,\nNat or \\Nat';
  await api.call('POST', '/flags', { key, body: { affiliateId: data.id, note } });
  await api.call('POST', `/affiliates/${data.id}/block`, { key, body: { reason: note } });
  await erasePerson(system(), { email });
  const erased = 'Meet me\nat noon,\n[erased] or \\[erased]';
  const [flag] = (await api.call('GET', '/flags', { key, query: { affiliateId: data.id } })).data;
  expect([flag.note, flag.details.evidence[0].note]).toEqual([erased, erased]);
  const bodies = await rows(
    system().em,
    sql<{ body: string }>`select convert_from(body, 'UTF8') as body from webhook_event
      where merchant_id = ${merchantId}::uuid and type = 'affiliate.blocked'`,
  );
  expect(bodies.map(({ body }) => JSON.parse(body).data.blockedReason)).toEqual([erased]);
});

test.each(['100', 'true', 'evidence'])('the name "%s" is no key or number of a document', async (name) => {
  const { key, merchantId, program } = await makePayable(api);
  const { programId } = program;
  const email = `named-${unique()}@example.com`;
  const added = await api.call('POST', '/affiliates', { key, body: { programId, email, name } });
  const affiliateId = added.data.id as string;
  const details = { clicksPerMinute: 100, isBusy: true, text: `by ${name}` };
  await raiseFlag(system(), { affiliateId, programId, merchantId, type: 'high_click_frequency', details, conversionIds: [] });
  await erasePerson(system(), { email });
  const { data } = await api.call('GET', '/flags', { key, query: { affiliateId } });
  const evidence = [{ at: expect.any(String), clicksPerMinute: 100, isBusy: true, text: 'by [erased]' }];
  expect(data[0].details).toEqual({ evidenceCount: 1, evidence });
  const bodies = await rows(
    system().em,
    sql<{ body: object }>`select convert_from(body, 'UTF8')::jsonb as body from webhook_event
      where merchant_id = ${merchantId}::uuid and type = 'affiliate.approved' and convert_from(body, 'UTF8') like ${`%${affiliateId}%`}`,
  );
  expect(bodies).toEqual([{ body: expect.objectContaining({ data: expect.objectContaining({ name: null }) }) }]);
});

test('a person who only bought is erased from the sales, and the sales of the same customer stay together', async () => {
  const own = await makePayable(api);
  const email = `buyer-${unique()}@example.org`;
  const customer = { id: email, email };
  for (let n = 0; n < 2; n++) await sendSale(api, own.program, { referralCode: own.code, customer, subscriptionId: 'sub_1' });
  const { profileId, erased } = await erasePerson(system(), { email });
  expect([profileId, erased.sales, await tablesWith(email)]).toEqual([null, 2, []]);
  const { data } = await api.call('GET', '/conversions', { key: own.key });
  const customers = data.slice(0, 2).map(({ customerId }: { customerId: string }) => customerId);
  expect(customers).toEqual([customers[0], customers[0]]);
  expect(customers[0]).toMatch(/^erased_/);
});

test('notes of the operator on events of Stripe lose the address', async () => {
  const email = `buyer-${unique()}@example.org`;
  const { merchantId } = await makeMerchant(api.runtime);
  await system().em.execute(
    `insert into sale_problem (id, merchant_id, event_id, event_type, reason, created_at, note)
      values (uuidv7(), ?, ?, 'charge.refunded', 'UNREADABLE', now(), ?)`,
    [merchantId, `evt_${unique()}`, `Refunded to ${email}, see the mail`],
  );
  await erasePerson(system(), { email });
  const notes = await rows(
    system().em,
    sql<{ note: string }>`select note from sale_problem where merchant_id = ${merchantId}::uuid`,
  );
  expect(notes).toEqual([{ note: 'Refunded to [erased], see the mail' }]);
});

test('text that is no address is refused', async () => {
  await expect(erasePerson(system(), { email: '%' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});

test('the application may not change an event except by an erasure', async () => {
  const { em } = system();
  await expect(em.execute("set tributary.erasing = 'on'; update webhook_event set body = ''")).rejects.toThrow(
    /permission denied/,
  );
});

test('invites for the address are erased and expire, also of somebody who never joined; labels of claimed ones lose the name', async () => {
  const person = await makePerson();
  const { key, program, email, name, mark } = person;
  const strangerEmail = `stranger.${mark}@example.com`;
  const invite = async (programId: string, body: object) => {
    const made = await api.call('POST', `/programs/${programId}/invites`, { key, body });
    expect(made.status).toBe(201);
    return made.data.token as string;
  };
  const other = await makeProgram(api, key);
  const claimed = await invite(other.programId, { name: `For ${name}` });
  expect((await api.call('POST', `/invites/${claimed}/claim`, { key: person.affiliateKey })).status).toBe(201);
  const open = [await invite(program.programId, { email, name }), await invite(program.programId, { email: strangerEmail })];
  await erasePerson(system(), { email });
  await erasePerson(system(), { email: strangerEmail });
  expect(await tablesWith(email, name, strangerEmail)).toEqual([]);
  for (const token of open) expect((await api.call('GET', `/invites/${token}`)).data.status).toBe('expired');
});

it('a change of the payout info that waits for the erasure stores nothing', async () => {
  const { profileId } = await makePayable(api);
  const key = await makeAffiliateKey(api.runtime, profileId);
  const row = async () => {
    const found = sql<{ email: string; details: string | null }>`select email, payout_details as details from affiliate_profile
      where id = ${profileId}::uuid`;
    return (await rows(system().em, found))[0];
  };
  const email = (await row())?.email ?? '';
  const changed = await inTransaction(system(), async (ctx) => {
    await eraseProfile(ctx, email);
    const change = api.call('PATCH', '/me/payout-info', { key, body: { paypalEmail: 'grace@example.com' } });
    await untilSomebodyWaits(api);
    return () => change;
  });
  expect((await changed()).status).toBe(401);
  expect(await row()).toMatchObject({ details: null });
});
