import { randomUUID } from 'node:crypto';
import { PAGES } from '../../src/console/pages/index.ts';
import type { ActingAs } from '../../src/console/sessions.ts';
import { SCOPES_OF } from '../../src/contracts/scopes.ts';
import { callerOf } from '../../src/platform/context.ts';
import { accessProblems, makeAffiliateActing, makeMerchantActing, useConsole } from '../support/console.ts';

const pages = useConsole(PAGES);

/** Pages of sessions are for people: a key has none. */
const asPerson = (acting: ActingAs): ActingAs => {
  const { keyType, ownerId, scopes } = callerOf(acting);
  const [personId, sessionId, grantId] = [randomUUID(), randomUUID(), randomUUID()];
  const type = keyType === 'affiliate' ? keyType : 'merchant';
  const proof = { passkeyAt: new Date(), codeAt: null, hasPasskey: true };
  return { ...acting, actor: { kind: 'person', personId, sessionId, grantId, keyType: type, ownerId, scopes, proof } };
};

test('every page and form is open to whom the access rules of its operations let in, and is a whole page', async () => {
  const [owner, reader] = [await makeMerchantActing(pages), await makeMerchantActing(pages, ['merchant:read', 'programs:read'])];
  const { sessions } = pages;
  const affiliate = asPerson(await makeAffiliateActing(pages));
  const visitors = [
    { name: 'nobody', session: undefined },
    { name: 'an owner', session: sessions.open({ merchant: asPerson(owner) }) },
    { name: 'somebody with two scopes', session: sessions.open({ merchant: asPerson(reader) }) },
    // On pages of merchants, requests of one person are few: each visit is by a new one.
    { name: 'an affiliate', session: () => sessions.open({ affiliate }) },
    { name: 'somebody without an account', session: () => sessions.open({}) },
  ];
  expect(await accessProblems(pages, PAGES, visitors)).toEqual([]);
});

test('every page of merchants is open with the scopes of its operations, and with none missing', async () => {
  const own = PAGES.filter(({ audience }) => audience === 'merchant');
  const acting = asPerson(await makeMerchantActing(pages));
  const as = (scopes: readonly string[]) =>
    pages.sessions.open({ merchant: { ...acting, actor: { ...acting.actor, scopes } as typeof acting.actor } });
  const all: readonly string[] = SCOPES_OF.merchant;
  const visitors = all.flatMap((scope) => [
    { name: `only ${scope}`, session: as([scope]) },
    { name: `all but ${scope}`, session: as(all.filter((each) => each !== scope)) },
  ]);
  expect(await accessProblems(pages, own, visitors)).toEqual([]);
});
