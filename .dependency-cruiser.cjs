/** The walls of the house: docs/architecture.md, section "Rooms", as rules. Type-only imports count. */

/** Left to right: a room knocks only on doors to its left. */
const ROOMS = [
  'auth',
  'merchants',
  'programs',
  'affiliates',
  'ledger',
  'links',
  'coupons',
  'invites',
  'applications',
  'tracking',
  'conversions',
  'flags',
  'payouts',
  'billing',
  'resources',
  'onboarding',
  'marketplace',
  'me',
];

/** They hear events: they import no room, and no room imports them. */
const LISTENERS = ['notifications', 'webhooks'];

const anyOf = (names) => `(${names.join('|')})`;
const package_ = (name) => `(^|/)node_modules/${name}(/|$)`;
const PRODUCT = '^(bin|src|workflows|activities|migrations)/';
/** Where a process, the workflow bundle or a spawned child begins. */
const ENTRIES = '^(bin/|workflows/index\\.ts$|src/local-stack/(index|temporal-download-child)\\.ts$)';
const DOOR = '^src/domains/[^/]+/index\\.ts$';
const ENTITY = '\\.entity\\.ts$';

const leftwards = ROOMS.slice(0, -1).map((room, at) => ({
  name: `rooms-knock-leftwards-${room}`,
  comment: `Rooms stand in a row so that nobody waits for each other in a ring: ${room} may use what stands to its left.`,
  severity: 'error',
  from: { path: `^src/domains/${room}/` },
  to: { path: `^src/domains/${anyOf(ROOMS.slice(at + 1))}/`, pathNot: ENTITY },
}));

module.exports = {
  forbidden: [
    {
      name: 'contracts-are-a-leaf',
      comment: 'Words written down outside the process must be readable from everywhere, the workflow sandbox included.',
      severity: 'error',
      from: { path: '^src/contracts/' },
      to: { pathNot: '^src/contracts/' },
    },
    {
      name: 'platform-knows-no-domain',
      comment: 'Technology without business: whoever reads a room must not find half of it here.',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: { pathNot: ['^src/(platform|contracts)/', '(^|/)node_modules/', '^node:'], dependencyTypesNot: ['core'] },
    },
    {
      name: 'rooms-have-one-door',
      comment: 'What a room does not offer in its index.ts it may change without asking; entities are shared as types only.',
      severity: 'error',
      from: { path: '^src/domains/([^/]+)/' },
      to: { path: '^src/domains/[^/]+/', pathNot: ['^src/domains/$1/', DOOR, ENTITY] },
    },
    {
      name: 'entities-travel-as-types',
      comment: 'A room may name the rows of another, but only their owner makes, finds or changes them.',
      severity: 'error',
      from: { path: '^src/domains/([^/]+)/' },
      to: { path: `^src/domains/[^/]+/.*${ENTITY}`, pathNot: '^src/domains/$1/', dependencyTypesNot: ['type-only'] },
    },
    ...leftwards,
    {
      name: 'listeners-know-no-room',
      comment: 'Webhooks and notifications hear events and ask nobody, so that no room can depend on who listens.',
      severity: 'error',
      from: { path: `^src/domains/${anyOf(LISTENERS)}/` },
      to: { path: '^src/domains/', pathNot: `^src/domains/${anyOf(LISTENERS)}/` },
    },
    {
      name: 'listeners-know-no-listener',
      comment: 'Webhooks and notifications hear the same events independently of each other.',
      severity: 'error',
      from: { path: `^src/domains/${anyOf(LISTENERS)}/` },
      to: { path: `^src/domains/${anyOf(LISTENERS)}/`, pathNot: '^src/domains/$1/' },
    },
    {
      name: 'rooms-know-no-listener',
      comment: 'A room announces what happened; who listens is decided in src/runtime.ts.',
      severity: 'error',
      from: { path: `^src/domains/${anyOf(ROOMS)}/` },
      to: { path: `^src/domains/${anyOf(LISTENERS)}/` },
    },
    {
      name: 'every-room-has-its-place',
      comment: 'A new room is put into the row first; without a place no rule would look at it.',
      severity: 'error',
      from: { path: '^src/domains/[^/]+/', pathNot: `^src/domains/${anyOf([...ROOMS, ...LISTENERS])}/` },
      to: {},
    },
    {
      name: 'domains-know-contracts-and-platform',
      comment: 'A rule that needs a route, a process or a setting to be understood is in the wrong place.',
      severity: 'error',
      from: { path: '^src/domains/' },
      to: { path: ['^src/', '^(bin|workflows|activities|migrations)/'], pathNot: '^src/(contracts|platform|domains)/' },
    },
    {
      name: 'domains-know-no-temporal',
      comment: 'A use case commits its decision and is done; it works the same whoever sees it through.',
      severity: 'error',
      from: { path: '^src/(domains|platform|contracts|api|console)/' },
      to: { path: package_('@temporalio') },
    },
    {
      name: 'api-knows-no-temporal',
      comment: 'A Temporal outage delays work and never refuses a request: the API process does not even load its client.',
      severity: 'error',
      from: { path: '^(src/(api|console)/|bin/api\\.ts)' },
      to: { path: [package_('@temporalio'), '^src/relay/', '^workflows/', '^activities/'], reachable: true },
    },
    {
      name: 'api-uses-doors-and-routes',
      comment: 'The HTTP process is put together from lists of operations; it looks into no room.',
      severity: 'error',
      from: { path: '^src/(api|console|runtime\\.ts)' },
      to: { path: '^src/domains/[^/]+/', pathNot: [DOOR, '\\.routes\\.ts$', ENTITY] },
    },
    {
      name: 'entities-are-listed-once',
      comment: 'The list of mapped classes is the one place outside a room that imports its entities as values.',
      severity: 'error',
      from: { path: '^src/domains/entities\\.ts$' },
      to: { path: '^src/domains/[^/]+/', pathNot: [DOOR, ENTITY] },
    },
    {
      name: 'routes-hold-no-entity',
      comment: 'A route is an address, an access rule, shapes and one call.',
      severity: 'error',
      from: { path: '\\.routes\\.ts$' },
      to: { path: ENTITY },
    },
    {
      name: 'use-cases-know-no-http',
      comment: 'Routes and activities use the same use cases through different doors.',
      severity: 'error',
      from: { path: '/use-cases/' },
      to: { path: ['\\.routes\\.ts$', package_('fastify')] },
    },
    {
      name: 'workflows-see-only-contracts',
      comment: 'Stories are replayed from history in a sandbox: everything else would make the second run differ.',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { pathNot: ['^workflows/', '^src/contracts/', package_('@temporalio/workflow')] },
    },
    {
      name: 'activities-use-doors',
      comment: 'A step of a story calls the same use cases as a route, so there is one way to do each thing.',
      severity: 'error',
      from: { path: '^activities/' },
      to: { path: '^src/domains/', pathNot: DOOR },
    },
    {
      name: 'activities-know-no-process',
      comment: 'Steps are told what to do by stories; they know neither the API nor the relay nor a story.',
      severity: 'error',
      from: { path: '^activities/' },
      to: { path: ['^src/(api|console|relay|local-stack)/', '^(bin|workflows|migrations)/'] },
    },
    {
      name: 'activities-touch-temporal-lightly',
      comment: 'An activity reports and fails in Temporal words, and the worker is made here; clients are made in src/relay.',
      severity: 'error',
      from: { path: '^activities/' },
      to: { path: package_('@temporalio'), pathNot: package_('@temporalio/(activity|common|worker)') },
    },
    {
      name: 'relay-knows-no-domain',
      comment: 'The relay carries rows to Temporal without understanding them, so a new room needs one line in routing.ts.',
      severity: 'error',
      from: { path: '^src/relay/' },
      to: { path: ['^src/', '^(bin|workflows|activities|migrations)/'], pathNot: '^src/(relay|contracts|platform)/' },
    },
    {
      name: 'one-temporal-client',
      comment: 'Deadlines and start policies of client calls are set in one place (the local stack prepares its own server).',
      severity: 'error',
      from: { path: PRODUCT, pathNot: '^src/(relay|local-stack)/' },
      to: { path: package_('@temporalio/client') },
    },
    {
      name: 'local-servers-know-no-domain',
      comment: 'Running Postgres, Redis, Temporal and a payment provider on one machine is no part of what they are used for.',
      severity: 'error',
      from: { path: '^src/local-stack/', pathNot: '^src/local-stack/system/' },
      to: {
        path: ['^src/', '^(bin|workflows|activities|migrations)/'],
        pathNot: '^src/(local-stack|contracts|platform)/',
      },
    },
    {
      name: 'local-servers-know-no-system',
      comment: 'Tests open the servers without the system that npm start puts on top of them.',
      severity: 'error',
      from: { path: '^src/local-stack/', pathNot: '^src/local-stack/system/' },
      to: { path: '^src/local-stack/system/' },
    },
    {
      name: 'local-system-uses-doors',
      comment: 'npm start sets the system up as an operator would: through doors, and by running the processes of bin.',
      severity: 'error',
      from: { path: '^src/local-stack/system/' },
      to: {
        path: ['^src/(domains|api|relay|console)/', '^(bin|workflows|activities|migrations)/'],
        pathNot: DOOR,
      },
    },
    {
      name: 'audit-uses-doors',
      comment: 'A proof asks the database, the provider and Temporal what happened, and trusts no room to say so.',
      severity: 'error',
      from: { path: '^src/audit/' },
      to: {
        path: ['^src/', '^(bin|workflows|activities|migrations)/'],
        pathNot: ['^src/(audit|contracts|platform)/', DOOR, '^src/relay/temporal-client\\.ts$'],
      },
    },
    {
      name: 'nobody-imports-the-audit',
      comment: 'What proves a system from outside is not used inside it.',
      severity: 'error',
      from: { path: PRODUCT, pathNot: '^(bin|src/audit)/' },
      to: { path: '^src/audit/' },
    },
    {
      name: 'local-stack-is-for-launchers',
      comment: 'The system runs without it on real servers: only npm start, the sandbox process and tests use it.',
      severity: 'error',
      from: { path: '^(src|workflows|activities|migrations)/', pathNot: '^src/local-stack/' },
      to: { path: '^src/local-stack/' },
    },
    {
      name: 'sql-has-one-door',
      comment: 'Statements run on the manager of the context, inside its transaction; a second connection would not.',
      severity: 'error',
      from: { path: PRODUCT, pathNot: '^src/platform/database/' },
      to: { path: [package_('kysely'), package_('@mikro-orm/sql')] },
    },
    {
      name: 'migrations-stand-alone',
      comment: 'Schema history is append-only: it must run the same after every later change of the code.',
      severity: 'error',
      from: { path: '^migrations/' },
      to: { pathNot: ['^migrations/', package_('@mikro-orm/migrations')] },
    },
    {
      name: 'nobody-imports-a-process',
      comment: 'A file in bin starts a process when it is loaded.',
      severity: 'error',
      from: { path: PRODUCT, pathNot: '^bin/' },
      to: { path: '^bin/' },
    },
    {
      name: 'no-test-in-product',
      comment: 'Product code does not depend on its proof.',
      severity: 'error',
      from: { path: PRODUCT },
      to: { path: '^(test|bench)/' },
    },
    {
      name: 'no-dev-dependency-in-product',
      comment: 'What runs in production is installed in production (the pictures of the README are taken by a tool).',
      severity: 'error',
      from: { path: PRODUCT, pathNot: '^bin/screenshots\\.ts$' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm', 'type-only'] },
    },
    {
      name: 'no-undeclared-dependency',
      comment: 'A package that came along with another one may leave with it.',
      severity: 'error',
      from: { path: PRODUCT },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'undetermined', 'unknown'] },
    },
    {
      name: 'no-unresolvable',
      comment: 'An import that leads nowhere is caught here and not at start.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or hide a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A file that nobody imports is either a process of its own or left over.',
      severity: 'error',
      from: {
        orphan: true,
        path: '^(src|workflows|activities)/',
        pathNot: '^src/local-stack/temporal-download-child\\.ts$',
      },
      to: {},
    },
    {
      name: 'no-left-over',
      comment: 'A file that no process reaches is left over.',
      severity: 'error',
      from: { path: ENTRIES },
      to: { path: '^(src|workflows|activities)/', pathNot: ENTRIES, reachable: false },
    },
  ],
  options: {
    // It sees type-only imports without tsPreCompilationDeps, which would ask for a TypeScript before 7.
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
      extensions: ['.ts', '.js', '.cjs', '.mjs', '.json', '.d.ts'],
    },
    skipAnalysisNotInRules: true,
  },
};
