import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments, stringify } from 'yaml';
import { loadConfig, SETTINGS } from '../../src/config.ts';
import { DEFAULT_NAMESPACES } from '../../src/contracts/workflows/descriptor.ts';
import { namespacesOf } from '../../src/contracts/workflows/index.ts';
import type { Queue } from '../../src/contracts/workflows/queues.ts';
import { runProgram } from '../../src/local/stack/programs.ts';
import { FOLDER } from '../architecture/project.ts';
import { findGoProgram } from '../support/go-program.ts';
import { findPythonWith } from '../support/python-environment.ts';

const HELM = { name: 'helm', version: '4.3.1', source: 'helm.sh/helm/v4/cmd/helm' };
const REQUIREMENTS = fileURLToPath(new URL('../support/kubernetes/requirements.txt', import.meta.url));
const CHART = join(FOLDER, 'deploy/helm');
const KUBERNETES = '1.36';

interface Container {
  command: string[];
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[];
  envFrom?: { secretRef: { name: string } }[];
  securityContext: object;
  resources: { requests: object; limits: { memory: string } };
  livenessProbe?: object;
  readinessProbe?: object;
  volumeMounts: { name: string; mountPath: string }[];
}
interface Pod {
  metadata: { labels: Record<string, string> };
  spec: { containers: [Container]; securityContext: object; automountServiceAccountToken: boolean };
}
interface Manifest {
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  spec: {
    replicas?: number;
    template: Pod;
    selector?: { matchLabels: Record<string, string> };
    podSelector: { matchLabels: Record<string, string> };
    rules: { host: string }[];
    triggers: { type: string; metadata: Record<string, string> }[];
    egress: { to?: object[]; ports?: { port: number }[] }[];
  };
}

const SECRETS = {
  DATABASE_URL: 'postgres://tributary:secret@postgres:5432/tributary',
  REDIS_URL: 'redis://redis:6379',
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
  SMTP_URL: 'smtps://user:secret@mail.example.com:465',
};

const MINIMAL = {
  image: { repository: 'registry.example.com/tributary' },
  settings: {
    PUBLIC_URL: 'https://referrals.example.com',
    TEMPORAL_ADDRESS: 'temporal:7233',
    S3_BUCKET: 'files',
    MAIL_FROM: 'a@example.com',
  },
};
const { S3_BUCKET: _, ...WITHOUT_BUCKET } = MINIMAL.settings;
const COMPLETE = {
  image: { ...MINIMAL.image, digest: `sha256:${'a'.repeat(64)}`, pullSecrets: [{ name: 'registry' }] },
  settings: {
    ...WITHOUT_BUCKET,
    TEMPORAL_QUEUE_PREFIX: 'eu-',
    TEMPORAL_TLS_CERT: '/etc/temporal-client/tls.crt',
    TEMPORAL_TLS_KEY: '/etc/temporal-client/tls.key',
    TEMPORAL_TLS_SERVER_NAME: 'temporal.internal',
    MAIL_PER_DAY: 1_000_000,
  },
  secrets: { temporalFiles: 'temporal-client' },
  files: { claimName: 'files' },
  api: { autoscaling: { enabled: true }, podAnnotations: { 'example.com/team': 'payments' } },
  ingress: { enabled: true, className: 'nginx', tlsSecret: 'referrals-tls' },
  workers: { mail: { roles: 'mail' } },
  autoscaling: { enabled: true, prometheusAddress: 'http://prometheus:9090', temporalAuthentication: 'temporal' },
  networkPolicy: {
    apiFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }],
    postgres: { port: 5433, to: [{ ipBlock: { cidr: '10.1.2.3/32' } }] },
    extraEgress: [{ ports: [{ port: 4318, protocol: 'TCP' }] }],
  },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'payments', operator: 'Exists' }],
};

let folder = '';
let helm = '';
let python = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-chart-'));
  [helm, python] = await Promise.all([
    findGoProgram(HELM),
    findPythonWith({ name: 'kubernetes-validate', requirements: REQUIREMENTS }),
  ]);
}, 20 * 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

const run = (command: string, ...args: string[]) =>
  runProgram(command, args, { env: { ...process.env, HOME: folder }, timeoutMs: 60_000 });

const writeTo = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

/** The manifests with what `helm` wrote; its output is longer than what a run keeps. */
const render = async (values: object): Promise<{ manifests: Manifest[]; path: string }> => {
  const given = writeTo('values.yaml', stringify(values));
  const target = join(folder, 'out');
  rmSync(target, { recursive: true, force: true });
  const { ok, output } = await run(helm, 'template', 'tributary', CHART, '--values', given, '--output-dir', target);
  if (!ok) throw new Error(output);
  const joined = await run('sh', '-c', `cat ${target}/tributary/templates/* > ${target}/all.yaml`);
  expect(joined).toEqual({ ok: true, output: '' });
  const documents = parseAllDocuments(readFileSync(join(target, 'all.yaml'), 'utf8'));
  return { manifests: documents.map((document) => document.toJS() as Manifest).filter(Boolean), path: join(target, 'all.yaml') };
};

const podsOf = (manifests: readonly Manifest[]): [string, Pod][] =>
  manifests
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ metadata, spec }) => [metadata.name, spec.template]);

const environmentOf = ({ env, envFrom = [] }: Container): Record<string, string> => ({
  ...(envFrom.length > 0 ? SECRETS : {}),
  ...Object.fromEntries(env.map(({ name, value = 'secret' }) => [name, value])),
});

const weightOf = ({ metadata }: Manifest): number => Number(metadata.annotations?.['helm.sh/hook-weight']);

const matches = (labels: Record<string, string>, selector: Record<string, string> = {}): boolean =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

test.each([
  ['the fewest values', MINIMAL],
  ['all values', COMPLETE],
])('TE4: with %s, the chart is valid for Kubernetes without an unknown field', async (_name, values) => {
  const linted = await run(helm, 'lint', '--strict', CHART, '--values', writeTo('lint.yaml', stringify(values)));
  expect(linted.output).toContain('0 chart(s) failed');
  const { manifests, path } = await render(values);
  const { ok, output } = await run(python, '-m', 'kubernetes_validate', '-k', KUBERNETES, '--strict', path);
  expect({ ok, output: output.split('\n').filter((line) => !/ passed | kind ScaledObject /.test(line)) }).toEqual({
    ok: true,
    output: [],
  });
  const own = manifests.filter(({ kind }) => kind !== 'ScaledObject');
  expect(output.split('\n').filter((line) => line.includes(' passed '))).toHaveLength(own.length);
});

test('TE4: a deployment for each role, whose settings every process accepts; secrets are only named', async () => {
  const { manifests } = await render(MINIMAL);
  const pods = podsOf(manifests);
  expect(pods.map(([name]) => name).sort()).toEqual(
    ['api', 'migrate', 'migrate-back', 'payouts', 'relay', 'replay-histories', 'reviews', 'temporal-version', 'webhooks'].map(
      (name) => `tributary-${name}`,
    ),
  );
  const roles = pods.map(([, { spec }]) => environmentOf(spec.containers[0])['WORKER_ROLES']).filter(Boolean);
  expect(roles.sort()).toEqual(['payouts', 'relay', 'reviews', 'webhooks']);
  for (const [name, { spec }] of pods) {
    const [container] = spec.containers;
    const env = environmentOf(container);
    if (/-migrate(-back)?$/.test(name)) {
      expect(container.envFrom).toBeUndefined();
      expect(container.env.map(({ valueFrom }) => valueFrom?.secretKeyRef)).toEqual([
        { name: 'tributary', key: 'DATABASE_URL' },
        { name: 'tributary-migration', key: 'MIGRATION_DATABASE_URL' },
      ]);
    } else {
      expect(Object.keys(env).filter((setting) => !SETTINGS.includes(setting))).toEqual([]);
      expect(loadConfig(env)).toMatchObject({
        PUBLIC_URL: MINIMAL.settings.PUBLIC_URL,
        TRUST_PROXY: 1,
        METRICS_HOST: '0.0.0.0',
        API_INSTANCES: 2,
      });
    }
  }
});

test('TE4: every pod is restricted, limited, probed, covered by a network policy and kept by a disruption budget', async () => {
  const { manifests } = await render(MINIMAL);
  for (const [name, { metadata, spec }] of podsOf(manifests)) {
    const [container] = spec.containers;
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(container).toMatchObject({
      securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      resources: { requests: { cpu: expect.any(String), memory: expect.any(String) }, limits: { memory: expect.any(String) } },
    });
    const policies = manifests.filter(
      ({ kind, spec }) => kind === 'NetworkPolicy' && matches(metadata.labels, spec.podSelector.matchLabels),
    );
    expect([name, policies.length]).toEqual([name, 1]);
    const isJob = /-(migrate|migrate-back|replay-histories|temporal-version)$/.test(name);
    const budgets = manifests.filter(
      ({ kind, spec }) => kind === 'PodDisruptionBudget' && matches(metadata.labels, spec.selector?.matchLabels),
    );
    expect([name, budgets.length]).toEqual([name, isJob ? 0 : 1]);
    if (!isJob) expect(container).toMatchObject({ livenessProbe: expect.anything(), readinessProbe: expect.anything() });
  }
});

test('TE4: migrations, then the release gate run before anything is replaced; going back, the gate is first', async () => {
  const { manifests } = await render(MINIMAL);
  const runAt = (event: string): string[] =>
    manifests
      .filter(({ metadata }) => metadata.annotations?.['helm.sh/hook']?.split(',').includes(event))
      .sort((a, b) => weightOf(a) - weightOf(b) || a.metadata.name.localeCompare(b.metadata.name))
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  const policies = ['NetworkPolicy tributary-migrate', 'NetworkPolicy tributary-replay-histories'];
  for (const event of ['pre-install', 'pre-upgrade'])
    expect(runAt(event)).toEqual([...policies, 'Job tributary-migrate', 'Job tributary-replay-histories']);
  expect(runAt('pre-rollback')).toEqual([...policies, 'Job tributary-replay-histories', 'Job tributary-migrate-back']);
});

test('TE7: with versions, work goes to the installed one after each change of the release', async () => {
  const { manifests } = await render(COMPLETE);
  const job = manifests.find(({ kind, metadata }) => kind === 'Job' && metadata.name === 'tributary-temporal-version');
  expect(job?.metadata.annotations?.['helm.sh/hook']).toBe('post-install,post-upgrade,post-rollback');
  const roles = podsOf(manifests).map(([, { spec }]) => environmentOf(spec.containers[0]));
  const versioned = roles.filter((env) => env['WORKER_ROLES'] !== undefined);
  expect(versioned.map((env) => env['TEMPORAL_BUILD_ID'])).toEqual(versioned.map(() => 'a'.repeat(12)));
  const triggers = manifests.filter(({ kind }) => kind === 'ScaledObject').flatMap(({ spec }) => spec.triggers);
  for (const { metadata } of triggers.filter(({ type }) => type === 'temporal')) {
    expect(metadata).toMatchObject({ workerDeploymentName: 'eu-tributary', workerDeploymentBuildId: 'a'.repeat(12) });
  }
  const command = ['node', 'bin/admin.ts', 'temporal-version', 'set-current', '--move-pinned', '--wait', '900'];
  expect(job?.spec.template.spec.containers[0].command).toEqual(command);
});

test('TE7: without versions, nothing names one', async () => {
  const { manifests } = await render({ ...COMPLETE, settings: { ...COMPLETE.settings, TEMPORAL_VERSIONING: false } });
  expect(manifests.some(({ metadata }) => metadata.name === 'tributary-temporal-version')).toBe(false);
  expect(JSON.stringify(manifests)).not.toMatch(/workerDeployment|TEMPORAL_BUILD_ID/);
});

test('TE4: only the webhooks reach any port, and nothing reaches private addresses but the given ones', async () => {
  const { manifests } = await render(MINIMAL);
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
  const anyPort = policies.filter(({ spec }) => spec.egress.some(({ ports }) => ports === undefined));
  expect(anyPort.map(({ metadata }) => metadata.name)).toEqual(['tributary-worker-webhooks']);
  const open = policies
    .flatMap(({ spec }) => spec.egress.flatMap(({ to = [] }) => to))
    .filter((to) => !JSON.stringify(to).includes('except'));
  expect(open).toEqual([]);
});

test('TE4: files of Temporal are mounted whole, and workers are scaled on backlog and waiting time of their queues', async () => {
  const { manifests } = await render(COMPLETE);
  for (const [, { spec }] of podsOf(manifests)) {
    expect(spec.containers[0].volumeMounts).toContainEqual({
      name: 'temporal-files',
      mountPath: '/etc/temporal-client',
      readOnly: true,
    });
  }
  const scaled = manifests.filter(({ kind }) => kind === 'ScaledObject');
  expect(scaled.map(({ metadata }) => metadata.name)).toEqual(['tributary-payouts', 'tributary-reviews', 'tributary-webhooks']);
  const deployments = manifests.filter(({ kind, spec }) => kind === 'Deployment' && spec.replicas !== undefined);
  expect(deployments.map(({ metadata }) => metadata.name)).toEqual(['tributary-mail', 'tributary-relay']);
  const triggers = scaled.flatMap(({ spec }) => spec.triggers);
  expect(new Set(triggers.map(({ type }) => type))).toEqual(new Set(['temporal', 'prometheus']));
  expect(triggers.find(({ metadata }) => metadata['taskQueue'] === 'eu-payouts')?.metadata).toMatchObject({
    endpoint: 'temporal:7233',
    tlsServerName: 'temporal.internal',
  });
  for (const { metadata } of triggers.filter(({ type }) => type === 'temporal')) {
    const queue = metadata['taskQueue']?.replace('eu-', '') as Queue;
    expect(namespacesOf(queue).map((namespace) => DEFAULT_NAMESPACES[namespace])).toContain(metadata['namespace']);
  }
  expect(manifests.find(({ kind }) => kind === 'Ingress')?.spec.rules[0]?.host).toBe('referrals.example.com');
});

test('TE4: no setting that is a secret is taken as a value, and every other one is', () => {
  const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as {
    properties: { settings: { propertyNames: { not: { pattern: string } } } };
  };
  const refusing = new RegExp(schema.properties.settings.propertyNames.not.pattern);
  // What names a key is one, but for the file of Temporal's.
  const isSecret = (name: string): boolean =>
    /^(DATABASE|REDIS|SMTP)_URL$|SECRET|KEYS?(_ID)?$/.test(name) && name !== 'TEMPORAL_TLS_KEY';
  expect(SETTINGS.filter((name) => refusing.test(name))).toEqual(SETTINGS.filter(isSecret));
});

test.each([
  [
    'a secret among the settings',
    { settings: { ...MINIMAL.settings, ENCRYPTION_KEYS: SECRETS.ENCRYPTION_KEYS } },
    /ENCRYPTION_KEYS/,
  ],
  ['a password of the mail server', { settings: { ...MINIMAL.settings, SMTP_URL: SECRETS.SMTP_URL } }, /SMTP_URL/],
  ['no image', { image: {} }, /image/],
  ['no place for files', { settings: { ...MINIMAL.settings, S3_BUCKET: '' } }, /files\.claimName/],
])('TE4: %s is refused', async (_name, values, reason) => {
  await expect(render({ ...MINIMAL, ...values })).rejects.toThrow(reason);
});
