import { request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCpuOf } from '../../bench/support/process-cpu.ts';
import { median } from '../../bench/support/report.ts';
import { complete, fileOf, makeOwner, makeResource, makeUpload, openUpload } from '../api/resources/support.ts';
import { anyAddress } from '../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram, saleEvent, signedHeaders, type TestProgram } from '../support/factories.ts';
import { type FloodResult, flood } from '../support/network/flood.ts';
import { type AppProcess, errorLines, openProcessSystem, type ProcessSystem } from '../support/processes.ts';
import { requestText } from '../support/raw-http.ts';
import { pause, until } from '../support/until.ts';

const ROUNDS = 3;
/** 2.3 when the bodies of malformed requests were received. */
const MAX_CPU_RATIO = 1.6;
const REQUESTS = 1_400;
const OVER_MS = 5_000;
const SALES_PER_SECOND = 20;
const LONG = 'x'.repeat(64 * 1024);
/** Nearly as much as any body may have. */
const LONGEST = 'x'.repeat(1_000 * 1024);
const WRONG_SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

let system: ProcessSystem;
let server: AppProcess;
let program: TestProgram;
let code: string;
let unsigned: string[];
beforeAll(async () => {
  system = await openProcessSystem({
    env: {
      FILES_DIR: join(tmpdir(), 'tributary-test-files'),
      STRIPE_CONNECT_WEBHOOK_SECRET: 'whsec_of_the_connect_endpoint',
      LOG_LEVEL: 'warn',
    },
  });
  server = await system.startApi();
  program = await makeProgram(system, (await makeMerchant(system.runtime)).key);
  ({ code } = await makeAffiliate(system.runtime, program.programId));
  unsigned = unsignedRequests();
  await besides([requestText('GET /r/x')], 200);
  await besides(unsigned, 200);
});
afterAll(() => system.close());

/** What a stranger can send to the receivers of signed messages: nothing, malformed and forged signatures, with short and long bodies. */
const unsignedRequests = (): string[] => {
  const body = JSON.stringify(saleEvent({}));
  const post = (path: string, headers: Record<string, string>, text: string): string =>
    requestText(
      `POST /api/integrations/${path}`,
      { 'Content-Type': 'application/json', ...headers, 'Content-Length': text.length },
      text,
    );
  const paths = [
    `events/${program.programId}`,
    `events/${crypto.randomUUID()}`,
    'stripe',
    `stripe/${program.programId}`,
    'rails/sandbox',
  ];
  const forged = signedHeaders(WRONG_SECRET, body);
  const malformed: Record<string, string>[] = [
    {},
    { ...forged, 'webhook-signature': 'v1,AAAA' },
    { ...forged, 'webhook-timestamp': 'now' },
    { 'stripe-signature': 't=1,v1=00' },
  ];
  const wellFormed = [forged, { 'stripe-signature': `t=${Math.floor(Date.now() / 1_000)},v1=${'0'.repeat(64)}` }];
  const toAll = (signatures: readonly Record<string, string>[], texts: readonly string[]): string[] =>
    signatures.flatMap((headers) => paths.flatMap((path) => texts.map((text) => post(path, headers, text))));
  return [...toAll(malformed, [body, LONG, LONGEST]), ...toAll(wellFormed, [body, LONG])];
};

const sell = async (): Promise<void> => {
  const body = JSON.stringify(saleEvent({ referralCode: code }));
  const response = await fetch(`${server.url}/api/integrations/events/${program.programId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signedHeaders(program.eventSecret, body) },
    body,
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`The sale was answered ${response.status}: ${text}`);
};

const sellSteadily = async (): Promise<void> => {
  const sold: Promise<void>[] = [];
  for (let n = 0; n < (OVER_MS / 1_000) * SALES_PER_SECOND; n++) {
    await pause(1_000 / SALES_PER_SECOND, 'sales come steadily');
    sold.push(sell());
  }
  await Promise.all(sold);
};

interface Beside extends FloodResult {
  /** CPU time of the API process. */
  cpuMs: number;
}

/** Signed sales beside so many requests of strangers. */
const besides = async (requests: readonly string[], count = REQUESTS): Promise<Beside> => {
  const [before = 0] = readCpuOf([server.pid()]);
  const overMs = (OVER_MS * count) / REQUESTS;
  const [result] = await Promise.all([flood({ port: system.apiPort, count, overMs, requests }), sellSteadily()]);
  const [after = 0] = readCpuOf([server.pid()]);
  return { ...result, cpuMs: after - before };
};

type Round = Record<'unsigned' | 'links', Beside>;

test('SE4: unsigned requests take not much more work than as many requests for links, and signed sales beside them are recorded', async () => {
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const links = await besides([requestText('GET /r/x')]);
    rounds.push({ links, unsigned: await besides(unsigned) });
  }
  const medianOf = (kind: keyof Round) => median(rounds.map((round) => round[kind].cpuMs));
  const ratio = medianOf('unsigned') / medianOf('links');
  // Some are cut off while they send, and never read their response.
  const statuses = rounds.flatMap((round) => Object.keys(round.unsigned.statuses));
  expect(statuses.filter((status) => !['none', '401', '404', '429'].includes(status))).toEqual([]);
  expect(errorLines(await server.log())).toEqual([]);
  expect(ratio).toBeLessThanOrEqual(MAX_CPU_RATIO);
});

/** The head of a response whose body is not read. */
const openUnread = (path: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    httpRequest({ port: system.apiPort, path, localAddress: anyAddress() }, resolve).on('error', reject).end();
  });

const makeFile = async () => {
  const owner = await makeOwner(system);
  const post = await makeResource(system, owner);
  await complete(system, owner, post, await makeUpload(system, owner, post, { mimeType: 'video/mp4', size: 20_000_000 }));
  const body = { program_id: owner.programId, resource_id: post };
  const makeUrl = async () =>
    new URL((await system.call('POST', '/marketing-resources/download-url', { key: owner.key, body })).data.url).pathname;
  return { makeUrl };
};

describe('SE3: beside 64 downloads that nobody reads', () => {
  /** The status of an upload of another merchant. */
  const upload = async (): Promise<number> => {
    const owner = await makeOwner(system);
    const { session } = await openUpload(system, owner, await makeResource(system, owner), { size: 100_000 });
    const { status } = await fetch(server.url + new URL(session.signed_url).pathname, {
      method: 'PUT',
      headers: { 'content-type': 'image/png' },
      body: new Uint8Array(fileOf('image/png', 100_000)),
    });
    return status;
  };

  test.each([
    ['of one URL', 1, 1],
    ['of 32 URLs of two merchants, which take every slot', 2, 16],
  ])('%s, uploads of other merchants are received', async (_what, merchants, urlsEach) => {
    const files = await Promise.all(Array.from({ length: merchants }, makeFile));
    const urls = await Promise.all(files.flatMap(({ makeUrl }) => Array.from({ length: urlsEach }, makeUrl)));
    const unread: IncomingMessage[] = [];
    let refused = Array.from({ length: 64 }, (_, n) => urls[n % urls.length] ?? '');
    // The slot of an earlier request is free a moment after its response.
    await until(
      'every upload slot is taken',
      async () => {
        const opened = await Promise.all(refused.map(async (path) => ({ path, response: await openUnread(path) })));
        unread.push(...opened.map(({ response }) => response));
        refused = opened.flatMap(({ path, response }) => (response.statusCode === 200 ? [] : [path]));
        return 64 - refused.length;
      },
      (count) => count === Math.min(64, 4 * urls.length),
    );
    const uploads = [];
    for (let n = 0; n < 10; n++) uploads.push(await upload());
    for (const response of unread) response.destroy();
    expect(new Set(uploads)).toEqual(new Set([200]));
  });
});
