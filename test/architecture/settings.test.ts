import { parse } from 'yaml';
import { loadConfig, SETTINGS } from '../../src/config.ts';
import { SEARCH_ATTRIBUTES } from '../../src/contracts/workflows/descriptor.ts';
import { readText } from './project.ts';

interface Compose {
  services: Record<
    string,
    {
      image?: string;
      build?: string;
      command?: string[];
      environment?: Record<string, string | null>;
      healthcheck?: object;
      restart?: string;
    }
  >;
}

/** `NAME=value`, and `# NAME=default` for optional settings. */
const LINE = /^(# )?([A-Z][A-Z0-9_]*)=(.*)$/;

const lines = readText('.env.example').split('\n');
const example = lines.map((line) => LINE.exec(line)).filter((match) => match !== null);

const compose = parse(readText('docker-compose.yml'), { merge: true }) as Compose;
const ours = Object.entries(compose.services).filter(([, service]) => service.build === '.');

/** Set by the image, or used by crash tests and simulations only. */
const NOT_IN_COMPOSE = ['FAULT_POINTS', 'SECONDS_PER_DAY', 'WORKFLOW_BUNDLE', 'WORKER_HEALTH_PORT'];

/** Read by bin/migrate.ts only. */
const MIGRATION_SETTING = 'MIGRATION_DATABASE_URL';
/** Read by whatever creates namespaces. */
const RETENTION_SETTING = 'TEMPORAL_RETENTION_DAYS';

test('.env.example names every setting once and nothing else', () => {
  expect(example.map(([, , name]) => name).sort()).toEqual([...SETTINGS, MIGRATION_SETTING, RETENTION_SETTING].sort());
});

test('.env.example explains every setting above it', () => {
  const unexplained = example.filter(({ 0: line }) => {
    const above = lines.slice(0, lines.indexOf(line)).reverse();
    return !above.slice(0, above.indexOf('')).some((text) => text.startsWith('# ') && !LINE.test(text));
  });
  expect(unexplained.map(([line]) => line)).toEqual([]);
});

test('.env.example is a valid configuration once the encryption key is filled in, and shows the actual defaults', () => {
  const given = Object.fromEntries(
    example.filter(([, optional]) => !optional).map(([, , name = '', value = '']) => [name, value]),
  );
  expect(() => loadConfig(given)).toThrow('ENCRYPTION_KEYS');
  const required = { ...given, ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}` };
  const shown = Object.fromEntries(
    example
      .filter(([, optional, name, value]) => optional && value && !name?.startsWith('SANDBOX_'))
      .map(([, , name = '', value = '']) => [name, value]),
  );
  expect(loadConfig({ ...required, ...shown })).toEqual(loadConfig(required));
});

test('docker-compose.yml passes every setting to the processes, and nothing else', () => {
  const given = new Set(ours.flatMap(([, { environment }]) => Object.keys(environment ?? {})));
  expect([...given].filter((name) => !SETTINGS.includes(name) && name !== MIGRATION_SETTING)).toEqual([]);
  expect(SETTINGS.filter((name) => !given.has(name) && !NOT_IN_COMPOSE.includes(name))).toEqual([]);
});

test('docker-compose.yml runs every role and the migrations', () => {
  const roles = ours
    .flatMap(([, { environment }]) => (environment?.['WORKER_ROLES'] ?? '').split(','))
    .filter((role) => role !== '');
  expect(roles.sort()).toEqual(['payouts', 'relay', 'reviews', 'webhooks']);
  expect(Object.keys(compose.services)).toEqual(
    expect.arrayContaining(['api', 'migrate', 'postgres', 'redis', 'temporal', 'temporal-ui']),
  );
});

test('TE10: docker-compose.yml keeps closed workflows of both namespaces for as long as set', () => {
  const { command, environment } = compose.services['temporal-namespace'] ?? {};
  expect(environment?.['NAMESPACES']).toMatch(
    /\{TEMPORAL_NAMESPACE:-tributary\} .*\{TEMPORAL_BACKGROUND_NAMESPACE:-tributary-background\}/,
  );
  expect(environment?.['RETENTION_DAYS']).toMatch(/\{TEMPORAL_RETENTION_DAYS:-30\}/);
  expect(command?.join('\n')).toContain('--retention "$$((RETENTION_DAYS * 24))h"');
});

test('docker-compose.yml creates exactly the search attributes of the contracts', () => {
  const script = compose.services['temporal-namespace']?.command?.join('\n') ?? '';
  const [, created = ''] = script.split('temporal operator search-attribute create');
  const pairs = [...created.matchAll(/--name (\w+) --type (\w+)/g)].map(([, name = '', type = '']) => [name, type.toUpperCase()]);
  expect(Object.fromEntries(pairs)).toEqual(SEARCH_ATTRIBUTES);
});

test('docker-compose.yml has a health check for every long-running service and pins every image', () => {
  const services = Object.entries(compose.services);
  const unwatched = services.filter(([, { restart, healthcheck }]) => restart === 'unless-stopped' && !healthcheck);
  expect(unwatched.map(([name]) => name)).toEqual([]);
  const loose = services.filter(([, { build, image }]) => build === undefined && !/:\d/.test(image ?? ''));
  expect(loose.map(([name]) => name)).toEqual([]);
});
