import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { codeSamplesOf } from '../../src/api/code-samples.ts';
import { createOpenApi } from '../../src/api/openapi.ts';
import { type DocumentedRequest, requestsOf } from '../../src/api/openapi-operations.ts';
import { OPERATIONS } from '../../src/api/routes.ts';
import { operatorContext } from '../../src/cli/operator.ts';
import { createAffiliate } from '../../src/domains/applications/index.ts';
import { useOwnApi } from '../support/api.ts';
import { makeAffiliateKey, makeMerchant, makePayable, makeProgram, unique } from '../support/factories.ts';
import { type Language, runSample } from './samples.ts';

const api = useOwnApi();
const requests = requestsOf(createOpenApi(OPERATIONS));
const LANGUAGES = { curl: 'sh', Node: 'js', Python: 'python' } as const satisfies Record<string, Language>;
type Label = keyof typeof LANGUAGES;
const labels = Object.keys(LANGUAGES) as Label[];
let folder: string;
let origin: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-samples-'));
  origin = await api.app.listen({ port: 0, host: '127.0.0.1' });
  if (spawnSync('python3', ['-c', 'import requests']).status !== 0) await writeFile(join(folder, 'requests.py'), REQUESTS);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const sourceOf = (request: DocumentedRequest, label: Label): string =>
  request.operation['x-codeSamples']?.find((sample) => sample.label === label)?.source ?? '';

test('every operation has a sample in curl, Node and Python', () => {
  expect(requests.length).toBeGreaterThan(OPERATIONS.length);
  const missing = requests.filter((request) => labels.some((label) => sourceOf(request, label) === ''));
  expect(missing.map(({ operation }) => operation.operationId)).toEqual([]);
});

test('a sample of a POST that accepts an Idempotency-Key sends one', () => {
  const accepting = requests.filter(({ operation }) => operation.parameters?.some(({ name }) => name === 'Idempotency-Key'));
  expect(accepting.length).toBeGreaterThan(20);
  const without = accepting.filter((request) => labels.some((label) => !sourceOf(request, label).includes('Idempotency-Key')));
  expect(without.map(({ operation }) => operation.operationId)).toEqual([]);
});

test('all samples are correct in the syntax of their language', () => {
  for (const request of requests) {
    const source = sourceOf(request, 'Node');
    expect(() => transformSync(source, { format: 'esm', target: 'esnext' })).not.toThrow();
  }
  const shell = spawnSync('bash', ['-n'], { input: requests.map((request) => sourceOf(request, 'curl')).join('\n') });
  expect([shell.status, String(shell.stderr)]).toEqual([0, '']);
  const compile = "import json, sys\nfor source in json.load(sys.stdin): compile(source, 'sample.py', 'exec')";
  const input = JSON.stringify(requests.map((request) => sourceOf(request, 'Python')));
  const python = spawnSync('python3', ['-c', compile], { input });
  expect([python.status, String(python.stderr)]).toEqual([0, '']);
});

/** Print the body in place of sending it. */
const PRINT_BODY: Readonly<Record<Label, string>> = {
  curl: `curl() { while [ "$1" != -d ]; do shift; done; printf %s "$2"; }\n`,
  Node: 'globalThis.fetch = async (_url, { body }) => { console.log(body); process.exit(0); };\n',
  Python: `import json, sys, types
def post(url, **options):
    print(json.dumps(options["json"]))
    sys.exit(0)
sys.modules["requests"] = types.SimpleNamespace(post=post)
`,
};

test.each(labels)('quotes, line breaks and other special characters in a body arrive unchanged in %s', async (label) => {
  const body = {
    text: `it's "quoted" \\ $HOME \`id\` \${x} {x} %s !x\n\t\u2028 ü 東京 😀`,
    values: [null, true, false, 0, -1.5, [], {}],
    "a 'name'": { inner: 'x' },
  };
  const request: DocumentedRequest = {
    method: 'POST',
    path: '/api/v1/things',
    operation: {
      operationId: 'createThing',
      tags: [],
      summary: '',
      description: '',
      security: [],
      requestBody: { content: { 'application/json': { example: body } } },
      responses: { 201: { content: { 'application/json': {} } } },
    },
  };
  const source = codeSamplesOf(request).find((sample) => sample.label === label)?.source ?? '';
  const code = PRINT_BODY[label] + source;
  const printed = await runSample({ language: LANGUAGES[label], code }, { folder, env: { TRIBUTARY_URL: origin } });
  expect(JSON.parse(printed)).toEqual(body);
});

const SAMPLE_ID = /0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e31/g;

const RUN = [
  'getMe',
  'listPrograms',
  'getProgram',
  'createProgram',
  'updateMerchant',
  'createInvite',
  'listPayouts',
  'createWebhookEndpoint',
  'getOverview',
  'updatePayoutInfo',
  'getOpenApi',
  'followLink',
];

/** The part of the package `requests` that samples use, for machines without it. */
const REQUESTS = `import json as _json, urllib.error, urllib.request
class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_args):
        return None
class _Response:
    def __init__(self, response):
        self.status_code, self.headers, self.text = response.status, response.headers, response.read().decode()
    def json(self):
        return _json.loads(self.text)
    def raise_for_status(self):
        if self.status_code >= 400:
            raise Exception(f"{self.status_code} {self.text}")
def _send(method):
    def send(url, headers={}, json=None, timeout=None, allow_redirects=True):
        body = None if json is None else _json.dumps(json).encode()
        sent = {**headers, **({} if json is None else {"Content-Type": "application/json"})}
        opener = urllib.request.build_opener(*([] if allow_redirects else [_NoRedirect]))
        try:
            return _Response(opener.open(urllib.request.Request(url, body, sent, method=method), timeout=timeout))
        except urllib.error.HTTPError as error:
            return _Response(error)
    return send
get, post, put, patch, delete = map(_send, ["GET", "POST", "PUT", "PATCH", "DELETE"])
`;

test('IN6: the samples of a click count it, as printed, for a program with their website and code', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key, { website: 'https://acme.example' });
  const ada = { programId, email: `${unique()}@example.com`, name: 'Ada', code: 'ada', source: 'api', payout: {} } as const;
  await createAffiliate(operatorContext(api.runtime), ada);
  const click = requests.find(({ operation }) => operation.operationId === 'recordClick');
  for (const label of labels) {
    const source = click ? sourceOf(click, label) : '';
    const code = source.replaceAll(/0198f1c2-8b10-7d02-8f3e-51c9a7e2b604/g, programId);
    const printed = await runSample({ language: LANGUAGES[label], code }, { folder, env: { TRIBUTARY_URL: origin } });
    expect([label, printed]).toEqual([label, expect.stringMatching(/clk_\w{32}/)]);
  }
});

test.each(labels)('IN6: samples in %s succeed on a running server', async (label) => {
  const made = await makePayable(api);
  await api.call('PATCH', `/programs/${made.programId}`, { key: made.key, body: { website: 'https://acme.example' } });
  const affiliateKey = await makeAffiliateKey(api.runtime, made.profileId);
  const env = { TRIBUTARY_URL: origin, TRIBUTARY_KEY: made.key, AFFILIATE_KEY: affiliateKey };
  const chosen = requests.filter(({ operation }) => RUN.includes(operation.operationId));
  const failed: string[] = [];
  for (const request of chosen) {
    const code = sourceOf(request, label)
      .replaceAll(SAMPLE_ID, made.programId)
      .replace('/r/ada', `/r/${made.code}`)
      .replace(/(["'])acme\1/, `"${made.code}-slug"`)
      .replace(/(["'])ada\1/, `"${made.code}-code"`)
      .replace('curl -sS', 'curl -sS --fail-with-body');
    const printed = await runSample({ language: LANGUAGES[label], code }, { folder, env }).catch(String);
    if (printed.trim() === '' || printed.includes('exited with')) failed.push(`${request.operation.operationId}: ${printed}`);
  }
  expect(failed).toEqual([]);
  expect(chosen.map(({ operation }) => operation.operationId).sort()).toEqual([...RUN].sort());
});
