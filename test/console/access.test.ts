import { randomUUID } from 'node:crypto';
import { type OperationId, operationOf } from '../../src/api/pipeline/call-operation.ts';
import { PAGES } from '../../src/console/pages/index.ts';
import type { ActingAs } from '../../src/console/sessions.ts';
import { SCOPES_OF, type Scope } from '../../src/contracts/scopes.ts';
import { callerOf } from '../../src/platform/context.ts';
import { scopeFor } from '../../src/platform/http/operation.ts';
import { accessProblems, makeAffiliateActing, makeMerchantActing, useConsole } from '../support/console.ts';

const pages = useConsole(PAGES);

/** That a merchant needs. */
const scopeOf = (id: OperationId): Scope | null => {
  const { access } = operationOf(id);
  return access === 'public' || !access.keys.includes('merchant') ? null : scopeFor(access, 'merchant');
};

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

test('every page of merchants is open with exactly the scopes of its operations, and with none of them missing', async () => {
  const acting = asPerson(await makeMerchantActing(pages));
  const as = (scopes: readonly string[]) =>
    pages.sessions.open({ merchant: { ...acting, actor: { ...acting.actor, scopes } as typeof acting.actor } });
  const problems: string[] = [];
  for (const page of PAGES.filter(({ audience }) => audience === 'merchant')) {
    const uses = [...page.uses, ...Object.values(page.forms).flatMap((form) => form.uses)];
    const needed = [...new Set(uses.flatMap((id) => scopeOf(id) ?? []))];
    const visitors = [
      { name: `only ${needed}`, session: as(needed) },
      ...needed.map((scope) => ({ name: `all but ${scope}`, session: as(SCOPES_OF.merchant.filter((each) => each !== scope)) })),
    ];
    problems.push(...(await accessProblems(pages, [page], visitors)));
  }
  expect(problems).toEqual([]);
});
