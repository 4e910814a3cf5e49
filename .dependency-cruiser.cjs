/** The module boundaries of docs/architecture.md as rules. Type-only imports count. */

/** In order: a domain may import only from those listed before it. */
const DOMAINS = [
  'audit-log',
  'auth',
  'people',
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
  'stripe-connections',
  'payout-runs',
  'bank-files',
  'reconciliation',
  'billing',
  'resources',
  'onboarding',
  'marketplace',
  'me',
];

/** They listen to events: they import no domain, and no domain imports them. */
const LISTENERS = ['notifications', 'webhooks'];

const anyOf = (names) => `(${names.join('|')})`;
const package_ = (name) => `(^|/)node_modules/${name}(/|$)`;
const PRODUCT = '^(bin|src|workflows|activities|migrations)/';
/** Entry points: processes, the workflow bundle, spawned children, and the script that browsers run. */
const ENTRIES =
  '^(bin/|workflows/index\\.ts$|src/local/stack/(index|temporal-download-child)\\.ts$|src/domains/tracking/browser-script(/main\\.ts|\\.min\\.js)$|src/console/console\\.js$)';
/** Parts of pages and what is said about situations, whether or not a page uses them now. */
const KIT =
  '^src/(console/(components/|icons\\.ts$|qr\\.ts$|format\\.ts$|page\\.ts$|url\\.ts$)|texts/|contracts/(situations/|failure-classes\\.ts$))';
const PUBLIC_INTERFACE = '^src/domains/[^/]+/index\\.ts$';
const ENTITY = '\\.entity\\.ts$';
const RULES = '^src/domains/.*\\.rules\\.ts$';

const domainOrder = DOMAINS.slice(0, -1).map((domain, at) => ({
  name: `domain-order-${domain}`,
  comment: `Domains are ordered, so that dependencies cannot form a cycle: ${domain} may import only from domains listed before it.`,
  severity: 'error',
  from: { path: `^src/domains/${domain}/` },
  to: { path: `^src/domains/${anyOf(DOMAINS.slice(at + 1))}/`, pathNot: ENTITY },
}));

module.exports = {
  forbidden: [
    {
      name: 'contracts-import-nothing',
      comment: 'Contracts are loaded everywhere, including the workflow sandbox.',
      severity: 'error',
      from: { path: '^src/contracts/' },
      to: { pathNot: '^src/contracts/' },
    },
    {
      name: 'texts-import-contracts-only',
      comment: 'Workflows, pages and emails say the same, so texts are loaded everywhere too.',
      severity: 'error',
      from: { path: '^src/texts/' },
      to: { pathNot: '^src/(texts|contracts)/' },
    },
    {
      name: 'texts-are-for-people',
      comment: 'Business logic decides by codes. What people read is chosen where it is shown.',
      severity: 'error',
      from: { path: PRODUCT, pathNot: ['^(src/(texts|console|domains/notifications)|workflows)/', '\\.wire\\.ts$'] },
      to: { path: '^src/texts/' },
    },
    {
      name: 'platform-imports-no-domain',
      comment: 'Infrastructure code holds no business logic.',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: { pathNot: ['^src/(platform|contracts)/', '(^|/)node_modules/', '^node:'], dependencyTypesNot: ['core'] },
    },
    {
      name: 'domains-have-one-public-interface',
      comment: 'What is not exported by index.ts is private to the domain; entities are shared as types only.',
      severity: 'error',
      from: { path: '^src/domains/([^/]+)/' },
      to: { path: '^src/domains/[^/]+/', pathNot: ['^src/domains/$1/', PUBLIC_INTERFACE, ENTITY] },
    },
    {
      name: 'foreign-entities-are-types-only',
      comment: 'Only the owning domain creates, loads or changes its rows.',
      severity: 'error',
      from: { path: '^src/domains/([^/]+)/' },
      to: { path: `^src/domains/[^/]+/.*${ENTITY}`, pathNot: '^src/domains/$1/', dependencyTypesNot: ['type-only'] },
    },
    ...domainOrder,
    {
      name: 'listeners-import-no-domain',
      comment: 'Webhooks and notifications receive everything they need with the event.',
      severity: 'error',
      from: { path: `^src/domains/${anyOf(LISTENERS)}/` },
      to: { path: '^src/domains/', pathNot: [`^src/domains/${anyOf(LISTENERS)}/`, '^src/domains/tables\\.ts$'] },
    },
    {
      name: 'listeners-import-no-listener',
      comment: 'Webhooks and notifications handle the same events independently of each other.',
      severity: 'error',
      from: { path: `^src/domains/${anyOf(LISTENERS)}/` },
      to: { path: `^src/domains/${anyOf(LISTENERS)}/`, pathNot: '^src/domains/$1/' },
    },
    {
      name: 'domains-import-no-listener',
      comment:
        'A domain emits events; src/runtime.ts decides who listens. Only the erasure of a person, in `me`, reaches what was sent.',
      severity: 'error',
      from: { path: `^src/domains/${anyOf(DOMAINS.filter((domain) => domain !== 'me'))}/` },
      to: { path: `^src/domains/${anyOf(LISTENERS)}/` },
    },
    {
      name: 'every-domain-is-ordered',
      comment: 'A new domain is added to the order first; otherwise no rule would apply to it.',
      severity: 'error',
      from: { path: '^src/domains/[^/]+/', pathNot: `^src/domains/${anyOf([...DOMAINS, ...LISTENERS])}/` },
      to: {},
    },
    {
      name: 'domains-import-contracts-and-platform-only',
      comment: 'Business logic does not depend on routes, processes or configuration.',
      severity: 'error',
      from: { path: '^src/domains/' },
      to: { path: ['^src/', '^(bin|workflows|activities|migrations)/'], pathNot: '^src/(contracts|texts|platform|domains)/' },
    },
    {
      name: 'domains-import-no-temporal',
      comment: 'A use case commits its decision; workflows are started by the relay.',
      severity: 'error',
      from: { path: '^src/(domains|platform|contracts|api|console)/' },
      to: { path: package_('@temporalio') },
    },
    {
      name: 'api-loads-no-temporal',
      comment: 'A Temporal outage never fails a request: the API process does not load a Temporal package.',
      severity: 'error',
      from: { path: '^(src/(api|console)/|bin/api\\.ts)' },
      to: { path: [package_('@temporalio'), '^src/temporal/', '^workflows/', '^activities/'], reachable: true },
    },
    {
      name: 'api-imports-routes-and-public-interfaces',
      comment: 'The HTTP process is assembled from lists of operations.',
      severity: 'error',
      from: { path: '^src/(api|console|runtime\\.ts)' },
      to: { path: '^src/domains/[^/]+/', pathNot: [PUBLIC_INTERFACE, '\\.routes\\.ts$', ENTITY] },
    },
    {
      name: 'api-imports-no-page',
      comment: 'Pages are a mount of the API process: the API works without them.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/console/' },
      to: { path: '^src/console/' },
    },
    {
      name: 'console-calls-operations-only',
      comment:
        'A page can do nothing that the API cannot: it calls operations, and knows neither tables nor rules, providers or workflows. Only the sign-in has no operations.',
      severity: 'error',
      from: { path: '^src/console/', pathNot: '^src/console/sign-in/' },
      to: {
        path: ['^src/', '^(bin|workflows|activities|migrations)/'],
        pathNot: [
          '^src/(console|contracts|texts)/',
          '^src/api/(mount|hardening/load-shedding|pipeline/[^/]+)\\.ts$',
          '^src/platform/(bounded|clock|context|errors|logger|visible-line)\\.ts$',
          '^src/platform/crypto/(field-cipher|signed-token|token)\\.ts$',
          '^src/platform/(csv/decode-text|redis/address-limit)\\.ts$',
          '^src/platform/http/(envelope|escape-html|web-page)\\.ts$',
          '^src/runtime\\.ts$',
        ],
      },
    },
    {
      name: 'console-loads-no-server-of-its-own',
      comment: 'Statements, providers and queues are for use cases.',
      severity: 'error',
      from: { path: '^src/console/' },
      to: {
        path: ['@mikro-orm/', 'kysely', 'pg', 'ioredis', '@temporalio/', 'stripe', 'undici', 'nodemailer'].map(package_),
      },
    },
    {
      name: 'one-template-library',
      comment: 'Markup that is not escaped is written in one file.',
      severity: 'error',
      from: { path: PRODUCT, pathNot: '^src/console/html\\.ts$' },
      to: { path: package_('hono') },
    },
    {
      name: 'entity-list-imports-entities-only',
      comment: 'The list of mapped classes is the only place outside a domain that imports its entities as values.',
      severity: 'error',
      from: { path: '^src/domains/entities\\.ts$' },
      to: { path: '^src/domains/[^/]+/', pathNot: [PUBLIC_INTERFACE, ENTITY] },
    },
    {
      name: 'routes-import-no-entity',
      comment: 'A route is a path, an access rule, schemas and one call.',
      severity: 'error',
      from: { path: '\\.routes\\.ts$' },
      to: { path: ENTITY },
    },
    {
      name: 'use-cases-import-no-http',
      comment: 'Routes and activities call the same use cases.',
      severity: 'error',
      from: { path: '/use-cases/' },
      to: { path: ['\\.routes\\.ts$', package_('fastify')] },
    },
    {
      name: 'rules-are-pure',
      comment: 'A rule decides by its arguments alone: no context, no statement, no clock, no call.',
      severity: 'error',
      from: { path: RULES },
      to: {
        path: [
          '^src/platform/(context|fault-points|health-checks|logger|ownership)\\.ts$',
          '^src/platform/(audit-log|database|dns|idempotency|mail|metrics|outbound|outbox|redis|storage|tracing)/',
          '\\.(queries|steps|calls|cache)\\.ts$',
          '/use-cases/',
          ...['@mikro-orm/', 'kysely', 'pg', 'ioredis', 'stripe', 'undici', 'nodemailer', 'pino'].map(package_),
          '^(node:)?(fs|dns|http|https|net|child_process)(/|$)',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'rules-know-no-context',
      comment: 'What takes the context is a step.',
      severity: 'error',
      from: { path: RULES },
      to: { path: '^src/platform/context\\.ts$' },
    },
    {
      name: 'steps-make-no-calls',
      comment: 'A step runs inside a transaction, which waits for nothing outside Postgres.',
      severity: 'error',
      from: { path: '\\.steps\\.ts$' },
      to: { path: ['\\.calls\\.ts$', ...['undici', 'stripe', 'nodemailer'].map(package_)], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'workflows-import-contracts-only',
      comment: 'Workflows are replayed from history in a sandbox; anything else could break determinism.',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { pathNot: ['^workflows/', '^src/(contracts|texts)/', package_('@temporalio/workflow')] },
    },
    {
      name: 'activities-import-public-interfaces',
      comment: 'An activity calls the same use cases as a route.',
      severity: 'error',
      from: { path: '^activities/' },
      to: { path: '^src/domains/', pathNot: PUBLIC_INTERFACE },
    },
    {
      name: 'activities-import-no-process',
      comment: 'Activities know neither the API, the relay, the worker nor a workflow.',
      severity: 'error',
      from: { path: '^activities/' },
      to: {
        path: ['^src/(api|audit|cli|console|local|temporal|worker)/', '^(bin|workflows|migrations)/'],
      },
    },
    {
      name: 'activities-import-temporal-activity-only',
      comment: 'Workers are assembled in src/worker, clients in src/temporal.',
      severity: 'error',
      from: { path: '^activities/' },
      to: { path: package_('@temporalio'), pathNot: package_('@temporalio/(activity|common)') },
    },
    {
      name: 'temporal-imports-no-domain',
      comment: 'The relay dispatches outbox rows by contract only, and the client knows no process.',
      severity: 'error',
      from: { path: '^src/temporal/' },
      to: { path: ['^src/', '^(bin|workflows|activities|migrations)/'], pathNot: '^src/(temporal|contracts|platform)/' },
    },
    {
      name: 'one-temporal-client',
      comment: 'Deadlines and start policies of client calls are set in one place (the local stack prepares its own server).',
      severity: 'error',
      from: { path: PRODUCT, pathNot: '^src/(temporal|worker|local/stack)/' },
      to: { path: package_('@temporalio/client') },
    },
    {
      name: 'opentelemetry-goes-through-platform',
      comment:
        'Everything that leaves the process passes one exporter, which drops personal data; other code knows the API only.',
      severity: 'error',
      from: { path: PRODUCT, pathNot: '^src/platform/tracing/' },
      to: { path: package_('@opentelemetry'), pathNot: package_('@opentelemetry/api') },
    },
    {
      name: 'one-temporal-tracing',
      comment: 'The interceptors of Temporal are chosen in one place.',
      severity: 'error',
      from: { path: PRODUCT, pathNot: '^src/worker/temporal-tracing\\.ts$' },
      to: { path: package_('@temporalio/interceptors-opentelemetry') },
    },
    {
      name: 'tracing-is-loaded-when-on',
      comment: 'Tracing is off by default: its SDK is then not even loaded.',
      severity: 'error',
      from: { path: PRODUCT },
      to: {
        path: '^src/(platform/tracing/tracer-provider|worker/temporal-tracing)\\.ts$',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'local-stack-imports-no-domain',
      comment: 'The local stack runs servers and knows nothing of the product.',
      severity: 'error',
      from: { path: '^src/local/stack/' },
      to: { path: ['^src/', '^(bin|workflows|activities|migrations)/'], pathNot: '^src/(local/stack|contracts|platform)/' },
    },
    {
      name: 'sandbox-provider-imports-no-domain',
      comment: 'The sandbox provider is a separate program that speaks HTTP with the product.',
      severity: 'error',
      from: { path: '^src/local/sandbox-provider/' },
      to: {
        path: ['^src/', '^(bin|workflows|activities|migrations)/'],
        pathNot: '^src/(local/sandbox-provider|contracts|platform)/',
      },
    },
    {
      name: 'paypal-double-imports-no-domain',
      comment: 'The double of PayPal is a separate program that speaks HTTP with the product.',
      severity: 'error',
      from: { path: '^src/local/paypal-double/' },
      to: {
        path: ['^src/', '^(bin|workflows|activities|migrations)/'],
        pathNot: ['^src/(local/paypal-double|contracts|platform)/', '^src/local/sandbox-provider/delays\\.ts$'],
      },
    },
    {
      name: 'demo-imports-public-interfaces',
      comment:
        'npm start sets the system up as an operator would: through public interfaces, and by running the processes of bin.',
      severity: 'error',
      from: { path: '^src/local/demo/' },
      to: {
        path: ['^src/(domains|api|temporal|worker|console)/', '^(bin|workflows|activities|migrations)/'],
        pathNot: PUBLIC_INTERFACE,
      },
    },
    {
      name: 'demo-is-imported-by-bin-only',
      comment: 'Nothing of the product depends on the demo.',
      severity: 'error',
      from: { path: PRODUCT, pathNot: '^(bin|src/local/demo)/' },
      to: { path: '^src/local/demo/' },
    },
    {
      name: 'cli-imports-public-interfaces',
      comment: 'Commands call the same use cases as routes; SQL belongs to the domains.',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: {
        path: [
          '^src/(domains|api|temporal|worker|console|local/(demo|stack))/',
          '^src/platform/database/',
          '^(bin|workflows|activities|migrations)/',
        ],
        pathNot: [
          PUBLIC_INTERFACE,
          '^src/(temporal/(client|payload-codec|search-attributes|worker-versions)|worker/end-background-workflows)\\.ts$',
        ],
      },
    },
    {
      name: 'installation-imports-no-domain',
      comment: 'The files of npm start hold addresses and secrets; the CLI reads them without loading anything else.',
      severity: 'error',
      from: { path: '^src/local/installation/' },
      to: {
        path: ['^src/', '^(bin|workflows|activities|migrations)/'],
        pathNot: ['^src/(local/installation|contracts|platform)/', '^src/local/stack/(local-stack-error|programs)\\.ts$'],
      },
    },
    {
      name: 'worker-imports-no-domain-internals',
      comment: 'The worker process is assembled from activities, the relay and the client of Temporal.',
      severity: 'error',
      from: { path: '^src/worker/' },
      to: { path: ['^src/(domains|api|audit|cli|console|local)/', '^(bin|migrations)/'] },
    },
    {
      name: 'audit-imports-public-interfaces',
      comment: 'The auditor reads the database, the provider and Temporal directly.',
      severity: 'error',
      from: { path: '^src/audit/' },
      to: {
        path: ['^src/', '^(bin|workflows|activities|migrations)/'],
        pathNot: [
          '^src/(audit|contracts|platform)/',
          PUBLIC_INTERFACE,
          '^src/temporal/(client|failing-workflows|worker-versions)\\.ts$',
        ],
      },
    },
    {
      name: 'audit-is-imported-by-the-cli-only',
      comment: 'The auditor checks the product from outside; the product does not use it.',
      severity: 'error',
      from: { path: PRODUCT, pathNot: '^(bin|src/audit|src/cli)/' },
      to: { path: '^src/audit/' },
    },
    {
      name: 'local-stack-is-for-launchers',
      comment: 'The product runs on real servers: only npm start and tests use the local stack.',
      severity: 'error',
      from: { path: '^(src|workflows|activities|migrations)/', pathNot: '^src/local/(stack|demo|installation)/' },
      to: { path: '^src/local/stack/' },
    },
    {
      name: 'sql-goes-through-platform',
      comment: 'Statements run on the manager of the context, inside its transaction; a second connection would not.',
      severity: 'error',
      from: { path: PRODUCT, pathNot: '^src/platform/database/' },
      to: { path: [package_('kysely'), package_('@mikro-orm/sql')] },
    },
    {
      name: 'browser-script-imports-itself-only',
      comment: 'It runs on the pages of merchants, where everything it imports is downloaded by every visitor.',
      severity: 'error',
      from: { path: '^src/domains/tracking/browser-script/' },
      to: { pathNot: '^src/domains/tracking/browser-script/' },
    },
    {
      name: 'migrations-import-nothing',
      comment: 'Schema history is append-only: it must run the same after every later change of the code.',
      severity: 'error',
      from: { path: '^migrations/' },
      to: { pathNot: ['^migrations/', package_('@mikro-orm/migrations'), '^(node:)?fs$'] },
    },
    {
      name: 'bin-is-not-imported',
      comment: 'A file in bin starts a process when it is loaded.',
      severity: 'error',
      from: { path: PRODUCT, pathNot: '^bin/' },
      to: { path: '^bin/' },
    },
    {
      name: 'no-test-in-product',
      comment: 'Product code does not depend on tests or benchmarks.',
      severity: 'error',
      from: { path: PRODUCT },
      to: { path: '^(test|bench)/' },
    },
    {
      name: 'no-dev-dependency-in-product',
      comment:
        'What runs in production is a production dependency (bin/screenshots.ts and bin/browser-script.ts are development tools, and the local stack and the double of PayPal are for checkouts).',
      severity: 'error',
      from: { path: PRODUCT, pathNot: '^(bin/(screenshots|browser-script)\\.ts$|src/local/(paypal-double|stack)/)' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm', 'type-only'] },
    },
    {
      name: 'no-undeclared-dependency',
      comment: 'Transitive dependencies may disappear with the package that brought them.',
      severity: 'error',
      from: { path: PRODUCT },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'undetermined', 'unknown'] },
    },
    {
      name: 'no-unresolvable',
      comment: 'Unresolvable imports are reported here instead of at startup.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-cycles',
      comment: 'Files that import each other belong together, or share a third file.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A file that nothing imports is either an entry point or dead code.',
      severity: 'error',
      from: {
        orphan: true,
        path: '^(src|workflows|activities)/',
        pathNot:
          '^src/(local/stack/temporal-download-child\\.ts|domains/tracking/browser-script\\.min\\.js|console/console\\.js)$',
      },
      to: {},
    },
    {
      name: 'no-unreachable-file',
      comment: 'A file that no entry point reaches is dead code.',
      severity: 'error',
      from: { path: ENTRIES },
      // The public interface of coupons has no callers yet: conversions call it.
      to: {
        path: '^(src|workflows|activities)/',
        pathNot: [ENTRIES, '^src/domains/coupons/index\\.ts$', KIT],
        reachable: false,
      },
    },
  ],
  options: {
    // Sees type-only imports without tsPreCompilationDeps, which would require TypeScript 6 or older.
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
