import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { FOLDER, readText } from './project.ts';

interface Service {
  image?: string;
  profiles?: string[];
  build?: string;
  command?: string[];
  environment?: Record<string, string | null>;
  ports?: string[];
  networks?: string[];
  healthcheck?: object;
  depends_on?: Record<string, object>;
  read_only?: boolean;
  cap_drop?: string[];
  deploy?: { resources?: { limits?: { cpus?: string; memory?: string; pids?: number } } };
}

const text = readText('docker-compose.yml');
const compose = parse(text, { merge: true }) as {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean } | null>;
};
const services = Object.entries(compose.services);
const namesOf = (matches: (service: Service) => boolean): string[] =>
  services.filter(([, service]) => matches(service)).map(([name]) => name);

test('H15: secrets have no default and are required', () => {
  const variables = [...text.matchAll(/\$\{(\w*(?:PASSWORD|SECRET|KEYS?))([^}]*)\}/g)];
  expect(variables.length).toBeGreaterThan(5);
  expect(variables.filter(([, , rest = '']) => !rest.startsWith(':?')).map(([all]) => all)).toEqual([]);
  // Nor is a password written out, in a value of its own or in an address.
  expect(text.match(/PASSWORD: (?!"?\$\{)\S+|:\/\/[^\s/]*:(?!\$\{)[^\s/@{]+@/g)).toBeNull();
});

test('H15: only the API and the Temporal UI publish ports, on this machine unless told otherwise or by the profile proxy', () => {
  const published = services.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]));
  expect(published).toEqual([
    ['api', `\${API_BIND_ADDRESS:-127.0.0.1}:3000-3009:3000`],
    ['temporal-ui', '127.0.0.1:8080:8080'],
    ['proxy', '80:80'],
    ['proxy', '443:443'],
  ]);
  expect(compose.services['proxy']?.profiles).toEqual(['proxy']);
  expect(compose.services['api']?.environment?.['TRUST_PROXY']).toBe(`\${TRUST_PROXY:-0}`);
});

test('H15: databases, Redis and Temporal are on internal networks only', () => {
  expect(namesOf(({ networks }) => networks === undefined)).toEqual([]);
  const isInternal = (network: string): boolean => compose.networks[network]?.internal === true;
  const reachable = namesOf(({ networks = [] }) => !networks.every(isInternal));
  expect(reachable).toEqual([
    'api',
    'replay-histories',
    'worker-relay',
    'worker-payouts',
    'worker-webhooks',
    'temporal-ui',
    'proxy',
  ]);
  expect(compose.services['api']?.networks).toEqual(['edge', 'data']);
});

test('H15: only the migrations hold the credentials of the owner of the tables', () => {
  const holding = namesOf(({ environment }) => JSON.stringify(environment ?? {}).includes('POSTGRES_OWNER_PASSWORD'));
  expect(holding).toEqual(['migrate', 'postgres']);
  expect(compose.services['migrate']?.environment).toMatchObject({
    MIGRATION_DATABASE_URL: expect.stringContaining('tributary_owner:'),
    DATABASE_URL: expect.stringContaining('//tributary:'),
  });
});

test('H15: every container has limits for CPU, memory and processes, and ours cannot write or gain privileges', () => {
  const unlimited = namesOf(({ deploy }) => {
    const { cpus, memory, pids } = deploy?.resources?.limits ?? {};
    return !(cpus && memory && pids);
  });
  expect(unlimited).toEqual([]);
  expect(
    namesOf((service) => !!(service.build || service.profiles) && !(service.read_only && service.cap_drop?.includes('ALL'))),
  ).toEqual([]);
});

test('H15: every image has an exact version, and the image of the processes checks its health', () => {
  const images = services.flatMap(([, { build, image = '' }]) => (build === undefined ? [image] : []));
  const bases = [...readText('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image);
  expect([...images, ...bases].filter((image) => !/:\d+\.\d+(\.\d+)?(-\w+)?$|@sha256:/.test(image))).toEqual([]);
  expect(readText('Dockerfile')).toMatch(/^HEALTHCHECK /m);
  expect(namesOf((service) => /bin\/(api|worker)/.test(String(service.command)) && !service.healthcheck)).toEqual([]);
});

test('H15: the build context contains what the image is built from and nothing else', () => {
  const [first, ...rules] = readText('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(first).toBe('*');
  const allowed = rules.filter((rule) => rule.startsWith('!')).map((rule) => rule.slice(1));
  const copied = [...readText('Dockerfile').matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, from = '']) => from.split(' '));
  const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
  expect(allowed.filter((rule) => !copied.some((path) => isIn(rule, path)))).toEqual([]);
  expect(copied.filter((path) => !allowed.some((rule) => isIn(rule, path)))).toEqual([]);
});

test('N6: .env is created once, for its owner only; a second run keeps the keys', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-env-'));
  const run = (): string =>
    execFileSync('sh', [join(FOLDER, 'deploy/create-env.sh')], { cwd: folder, encoding: 'utf8', timeout: 10_000 });
  expect(run()).toBe('.env was created\n');
  const created = readFileSync(join(folder, '.env'), 'utf8');
  expect(run()).toBe('.env exists and was not changed\n');
  expect(readFileSync(join(folder, '.env'), 'utf8')).toBe(created);
  expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
  rmSync(folder, { recursive: true });

  const values = Object.fromEntries([...created.matchAll(/^(\w+)=(.+)$/gm)].map(([, name, value]) => [name, value]));
  // The proxy checks its token itself: it starts only with a profile.
  const required = new Set(['TLS_ASK_TOKEN', ...[...text.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name)]);
  expect(Object.keys(values).sort()).toEqual([...required].sort());
  expect(values['ENCRYPTION_KEYS']).toMatch(/^k1:[A-Za-z0-9+/]{43}=$/);
  expect(new Set(Object.values(values)).size).toBe(8);
  expect(values['TRIBUTARY_VERSION']).toBe(JSON.parse(readText('package.json')).version);
  expect(text.split('\n').slice(0, 3).join('\n')).toContain('sh deploy/create-env.sh && docker compose up');
});

test('TE1: workers start only after open workflows were replayed with their version', () => {
  const waiting = services.filter(([, { depends_on = {} }]) => 'replay-histories' in depends_on).map(([name]) => name);
  expect(waiting).toEqual(namesOf(({ command }) => String(command).includes('bin/worker.ts')));
  expect(compose.services['replay-histories']?.command).toEqual(['node', 'bin/replay-histories.ts']);
});

test('SE9: the Temporal UI cannot write, and beyond this machine it asks for a password', () => {
  expect(compose.services['temporal-ui']?.environment?.['TEMPORAL_DISABLE_WRITE_ACTIONS']).toBe('true');
  const [, ui = ''] = readText('deploy/Caddyfile').split('{$TEMPORAL_UI_URL} {');
  expect(ui).toMatch(/^\tbasic_auth \{\n\t\tfinance \{\$TEMPORAL_UI_HASH\}\n\t\}\n\treverse_proxy temporal-ui:8080/m);
  expect(compose.services['proxy']?.environment?.['TEMPORAL_UI_PASSWORD']).toBe(
    `\${TEMPORAL_UI_PASSWORD:?run deploy/create-env.sh}`,
  );
});

test('SE14: the proxy starts only with addresses of TLS, and when the API knows that it is there', () => {
  const script = compose.services['proxy']?.command?.[0]?.split('TEMPORAL_UI_HASH=')[0]?.replaceAll('$$', '$') ?? '';
  const start = (env: Record<string, string>) =>
    spawnSync('sh', ['-eu', '-c', script], { encoding: 'utf8', timeout: 5_000, env: { PATH: process.env['PATH'], ...env } });
  const complete = {
    PUBLIC_URL: 'https://api.example',
    TEMPORAL_UI_URL: 'https://ui.example',
    TRUST_PROXY: '1',
    TLS_ASK_TOKEN: 'token',
  };
  expect(start(complete)).toMatchObject({ status: 0, stderr: '' });
  for (const [name, value] of [
    ['PUBLIC_URL', ''],
    ['TEMPORAL_UI_URL', 'http://127.0.0.1:8080'],
    ['TRUST_PROXY', '0'],
    ['TLS_ASK_TOKEN', ''],
  ] as const)
    expect(start({ ...complete, [name]: value })).toMatchObject({ status: 1, stderr: expect.stringContaining(name) });
});
