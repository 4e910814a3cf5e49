import { OPERATIONS, PERSON_OPERATIONS } from '../../src/api/routes.ts';
import { PROTECTED_SETTINGS } from '../../src/contracts/approvals.ts';
import { KEY_TYPES, type KeyType, SCOPES_OF, type Scope } from '../../src/contracts/scopes.ts';
import { type FreshCheck, type Operation, scopeFor } from '../../src/platform/http/operation.ts';

/*
 * The access rules as the specification lists them, written a second time, so that a rule cannot change by mistake. That they are
 * enforced is in test/unit/pipeline/authorize.test.ts and test/api/pipeline/access.test.ts.
 */

const ALL = [...OPERATIONS, ...PERSON_OPERATIONS];

const isRead = (op: Operation): boolean => op.method === 'GET' && !op.audited;

const KEYS: Readonly<Record<string, readonly KeyType[]>> = {
  getMe: ['merchant', 'affiliate', 'onboarding'],
  listApiKeys: ['merchant', 'affiliate'],
  createApiKey: ['merchant', 'affiliate'],
  revokeApiKey: ['merchant', 'affiliate'],
  claimInvite: ['affiliate', 'merchant'],
  setUpMerchant: ['merchant', 'onboarding'],
  createProgram: ['merchant', 'onboarding'],
  getProgram: ['merchant', 'onboarding'],
  connectStripe: ['merchant', 'onboarding'],
  disconnectStripe: ['merchant', 'onboarding'],
};
const keysOf = ({ id, path }: Operation): readonly KeyType[] =>
  KEYS[id] ?? (/^\/(me|marketplace)(\/|$)/.test(path) ? ['affiliate'] : ['merchant']);

type ScopesOfPath = [path: RegExp, read: Scope, write: Scope];

const OF_MERCHANTS: readonly ScopesOfPath[] = [
  [/marketing-resources/, 'marketing_resources:read', 'marketing_resources:write'],
  [/^\/flags/, 'flags:read', 'flags:write'],
  [/\/stats$/, 'stats:read', 'stats:read'],
  [/\/adjustments(\/|$)/, 'payouts:read', 'payouts:write'],
  [/^\/(programs\/{id}\/)?affiliates/, 'affiliates:read', 'affiliates:manage'],
  [/^\/applications/, 'affiliates:read', 'affiliates:manage'],
  [/^\/embed-tokens/, 'affiliates:read', 'affiliates:manage'],
  [/^\/billing/, 'billing:read', 'billing:write'],
  [/^\/onboarding/, 'merchant:read', 'merchant:manage'],
  [/^\/auth\//, 'merchant:manage', 'merchant:manage'],
  // Whoever only runs programs does not move the sign-in of affiliates elsewhere.
  [/^\/programs\/{id}\/portal\/domain\/verify$/, 'merchant:manage', 'merchant:manage'],
  [/^\/invites\/{token}$/, 'invites:claim', 'affiliates:manage'],
  [/^\/invites/, 'invites:claim', 'invites:claim'],
  [/^\/programs\/{id}\/invites/, 'affiliates:read', 'affiliates:manage'],
  [/^\/(programs\/{id}\/)?coupons/, 'programs:read', 'programs:write'],
  [/^\/conversions/, 'conversions:read', 'conversions:read'],
  [/^\/customers/, 'conversions:read', 'conversions:read'],
  [/^\/merchant\/rail-accounts\/{rail}\/check$/, 'payouts:write', 'payouts:write'],
  [/^\/merchant\/rail-accounts/, 'payouts:read', 'merchant:manage'],
  [/^\/merchant/, 'merchant:read', 'merchant:manage'],
  [/^\/audit-log/, 'merchant:manage', 'merchant:manage'],
  // Payment instructions and files hold bank accounts.
  [/^\/(payouts|payout-runs)\/{id}\/(instructions|file)$/, 'payouts:write', 'payouts:write'],
  [/^\/bank-files\/({id}\/(content|lines)|preview)$/, 'payouts:write', 'payouts:write'],
  [/^\/bank-files/, 'payouts:read', 'payouts:write'],
  [/^\/(payouts|payout-runs|ledger|reconciliation)/, 'payouts:read', 'payouts:write'],
  [/^\/programs/, 'programs:read', 'programs:write'],
  [/^\/sales/, 'conversions:read', 'affiliates:manage'],
  [/^\/sale-problems/, 'conversions:read', 'affiliates:manage'],
  [/^\/event/, 'webhooks:read', 'webhooks:write'],
  [/^\/webhooks\/{id}\/settings/, 'webhooks:write', 'webhooks:write'],
  [/^\/webhook/, 'webhooks:read', 'webhooks:write'],
];

const OF_AFFILIATES: readonly ScopesOfPath[] = [
  [/marketing-resources/, 'marketing_resources:read', 'marketing_resources:read'],
  [/^\/auth\//, 'profile:write', 'profile:write'],
  [/^\/invites/, 'invites:claim', 'invites:claim'],
  [/^\/marketplace/, 'marketplace:read', 'marketplace:apply'],
  [/^\/me\/applications/, 'marketplace:read', 'marketplace:apply'],
  [/^\/me\/(overview|clicks)/, 'stats:read', 'stats:read'],
  [/^\/me\/earnings/, 'earnings:read', 'earnings:read'],
  [/^\/me\/customers/, 'conversions:read', 'conversions:read'],
  [/^\/me\/(payouts|next-payments)/, 'payouts:read', 'payouts:read'],
  [/^\/me\/(links|code)/, 'links:read', 'links:write'],
  [/^\/me\/(programs|payout-info|stripe-connections|notifications)/, 'profile:read', 'profile:write'],
];

const OF_ONBOARDING: readonly ScopesOfPath[] = [
  [/^\/onboarding/, 'merchant:manage', 'merchant:manage'],
  [/^\/programs/, 'programs:read', 'programs:write'],
];

const TABLES: Readonly<Record<KeyType, readonly ScopesOfPath[]>> = {
  merchant: OF_MERCHANTS,
  affiliate: OF_AFFILIATES,
  onboarding: OF_ONBOARDING,
};

const expectedScope = (op: Operation, keyType: KeyType): Scope | null | undefined => {
  if (op.id === 'getMe') return null;
  const [, read, write] = TABLES[keyType].find(([path]) => path.test(op.path)) ?? [];
  return isRead(op) ? read : write;
};

const idsOf = (operations: readonly Operation[], isOne: (op: Operation) => boolean): string[] =>
  operations
    .filter(isOne)
    .map(({ id }) => id)
    .sort();

test('only the server description and the invite of a token are public, and every other operation has an access rule', () => {
  expect(idsOf(OPERATIONS, ({ access }) => access === 'public')).toEqual(['getInvite', 'getMeta']);
  expect(idsOf(OPERATIONS, ({ access }) => access !== 'public' && (access.keys.length === 0 || !access.scope))).toEqual([]);
});

test('every operation accepts the key types of its resource', () => {
  const wrong = OPERATIONS.flatMap((op) =>
    op.access !== 'public' && op.access.keys.join() !== keysOf(op).join()
      ? [`${op.id} accepts ${op.access.keys}, expected: ${keysOf(op)}`]
      : [],
  );
  expect(wrong).toEqual([]);
});

test('every operation requires the scope of its resource from each key type', () => {
  const wrong = OPERATIONS.flatMap((op) => {
    const { access } = op;
    if (access === 'public') return [];
    return access.keys
      .filter((keyType) => scopeFor(access, keyType) !== expectedScope(op, keyType))
      .map((keyType) => `${op.id}: ${scopeFor(access, keyType)} of ${keyType} keys, expected: ${expectedScope(op, keyType)}`);
  });
  expect(wrong).toEqual([]);
});

test('no rule of a path is unused, and each key type can have the scopes of its rules', () => {
  const unused = KEY_TYPES.flatMap((keyType) =>
    TABLES[keyType]
      .filter((rule) => !OPERATIONS.some((op) => TABLES[keyType].find(([path]) => path.test(op.path)) === rule))
      .map(([path]) => `${keyType}: ${path}`),
  );
  expect(unused).toEqual([]);
  const impossible = KEY_TYPES.flatMap((keyType) =>
    TABLES[keyType].flatMap(([, ...scopes]) => scopes).filter((scope) => !SCOPES_OF[keyType].includes(scope)),
  );
  expect(impossible).toEqual([]);
});

test('embedded pages and domains of programs reach only what shows nothing of other merchants', () => {
  const withRule = (rule: 'embed' | 'domain') => idsOf(ALL, ({ access }) => access !== 'public' && access[rule] === true);
  expect(withRule('embed')).toEqual(['getMyEarnings', 'listLinks', 'listMyPayouts', 'listMyPrograms']);
  expect(withRule('domain')).toEqual([
    'acceptInvite',
    'changeMyCode',
    'createLink',
    'getInvitedProgram',
    'getMyPayoutRemittance',
    'joinProgram',
    'listMyPayoutItems',
    'listMyPayouts',
    'listNextPayments',
    'listProgramEarnings',
  ]);
});

test('people prove again who they are before they release money or change access', () => {
  const asked = (check: FreshCheck) => idsOf(ALL, (op) => op.freshCheckFor({} as never) === check);
  expect(asked('passkey')).toEqual([
    'approveAdjustment',
    'approvePayout',
    'approvePayoutRun',
    'approvePendingChange',
    'changePersonRole',
    'confirmApprover',
    'connectRailAccount',
    'discardBankFile',
    'disconnectRailAccount',
    'invitePerson',
    'removePerson',
    'revokePersonInvite',
    'startPasskeyReplacement',
    'updateRailAccount',
  ]);
  expect(asked('code')).toEqual([
    'confirmPayoutInfo',
    'createApiKey',
    'createStripeConnection',
    'deletePasskey',
    'deleteStripeConnection',
    'getBankFileContent',
    'getPayoutInstructions',
    'getPayoutRunFile',
    'registerPasskey',
    'removePortalDomain',
    'revokeApiKey',
    'setPortalDomain',
    'startPasskeyRegistration',
    'updatePayoutInfo',
    'verifyPortalDomain',
  ]);
  for (const id of ['createProgram', 'updateProgram']) {
    const checkOf = OPERATIONS.find((op) => op.id === id)?.freshCheckFor;
    expect([checkOf?.({ embedOrigins: [] } as never), checkOf?.({ name: 'Acme' } as never)]).toEqual(['code', null]);
  }
  const { freshCheckFor } = OPERATIONS.find(({ id }) => id === 'updateMerchant') as Operation;
  const free = PROTECTED_SETTINGS.filter((setting) => freshCheckFor({ [setting]: null } as never) !== 'passkey');
  expect([free, freshCheckFor({ companyName: 'Acme' } as never)]).toEqual([[], null]);
});

/** What somebody does who has no account or is not signed in: a link, a code or a passkey proves who they are. */
const WITHOUT_SESSION = [
  'acceptPersonInvite',
  'createCompanyByCode',
  'createCompanyByLink',
  'getPersonInvite',
  'getProgramToJoin',
  'getSignInLink',
  'getSignUp',
  'restorePayoutInfo',
  'signIn',
  'signInByCode',
  'signInByPasskey',
  'signOut',
  'signUpByCode',
  'signUpByLink',
  'startJoiningByInvite',
  'startJoiningProgram',
  'startPasskeySignIn',
  'startSignIn',
  'startSignUp',
  'stopPasskeyReplacement',
];

test('operations of people need a session, and those about a company or a program its rights', () => {
  expect(idsOf(PERSON_OPERATIONS, ({ access }) => access === 'public')).toEqual(WITHOUT_SESSION);
  const withRule = (keys: string, scope: string) =>
    idsOf(PERSON_OPERATIONS, ({ access }) => access !== 'public' && `${access.keys}` === keys && access.scope === scope);
  const ofCompany = withRule('merchant', 'merchant:manage');
  expect(ofCompany).toEqual([
    'cancelPasskeyReplacement',
    'changePersonRole',
    'getPasskeyReplacement',
    'invitePerson',
    'listPeople',
    'listPersonInvites',
    'listPersonKeys',
    'removePerson',
    'revokePersonInvite',
    'startPasskeyReplacement',
  ]);
  expect(withRule('merchant', 'payouts:write')).toEqual(['confirmApprover', 'listNewApprovers']);
  expect(withRule('affiliate', 'marketplace:apply')).toEqual(['joinProgram']);
  expect(withRule('affiliate', 'invites:claim')).toEqual(['acceptInvite', 'getInvitedProgram']);
  const ofAccount = withRule('merchant,affiliate', 'any');
  expect(WITHOUT_SESSION.length + ofCompany.length + ofAccount.length + 5).toBe(PERSON_OPERATIONS.length);
});
