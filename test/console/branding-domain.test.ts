import { PAGES } from '../../src/console/pages/index.ts';
import { hiddenFields, makeMerchantActing, pageProblems, SCRIPT_TEXT, useConsole } from '../support/console.ts';
import { newHost, useDnsServer } from '../support/dns-server.ts';
import { makeProgram } from '../support/factories.ts';

const pages = useConsole(PAGES);
const { api, sessions } = pages;
const dns = useDnsServer();
beforeAll(() => {
  api.runtime.settings.findTxtRecords = dns.find;
});

const make = async () => {
  const merchant = await makeMerchantActing(pages);
  const { programId } = await makeProgram(api, merchant.key);
  const at = `/console/settings/branding/${programId}`;
  const session = sessions.open({ merchant });
  const open = async () => (await pages.get(at, { session })).html;
  return {
    merchant,
    at,
    open,
    send: async (sentForm: string, fields: Record<string, string> = {}) =>
      pages.post(at, { ...hiddenFields(await open()), sentForm, ...fields }, { session }),
    read: async () => (await api.call('GET', `/programs/${programId}/portal`, { key: merchant.key })).data.domain,
  };
};

test('a merchant sets a domain, is shown its record, verifies it and removes it', async () => {
  const { at, open, send, read } = await make();
  const host = newHost();
  expect((await send('domain', { host })).location).toBe(at);
  const { record } = await read();
  const set = await open();
  expect([record.name, record.content, 'Not verified', 'then verify it'].filter((text) => !set.includes(text))).toEqual([]);
  const early = await send('verify');
  expect([early.status, early.html.includes('The TXT record was not found'), (await read()).isVerified]).toEqual([
    409,
    true,
    false,
  ]);
  await dns.set(record.name, [record.content]);
  expect((await send('verify')).location).toBe(at);
  const verified = await open();
  expect([verified.includes('Keep the record'), verified.includes('value="verify"'), pageProblems(verified)]).toEqual([
    true,
    false,
    [],
  ]);
  expect((await send('removeDomain')).location).toBe(at);
  expect(await read()).toBeNull();
});

test('what is no domain is refused beside its field', async () => {
  const { send, read } = await make();
  const { status, html } = await send('domain', { host: SCRIPT_TEXT });
  expect([status, html.includes('must be the name of a host'), pageProblems(html)]).toEqual([422, true, []]);
  expect(await read()).toBeNull();
});

test('who may only read sees the domain and no form', async () => {
  const { merchant, at, send } = await make();
  await send('domain', { host: newHost() });
  const reader = sessions.open({ merchant: { ...merchant, actor: { ...merchant.actor, scopes: ['programs:read'] } as never } });
  const { status, html } = await pages.get(at, { session: reader });
  expect([status, html.includes('_tributary.'), html.includes('sentForm')]).toEqual([200, true, false]);
});
