import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { pause } from '../until.ts';
import type { FloodInput, FloodResult } from './flood.ts';

/** A thread that sends requests from as many addresses, each over a connection of its own, and counts the statuses. */
const { port, count, overMs, requests } = workerData as FloodInput;
const GIVE_UP_MS = 20_000;

const statuses: Record<string, number> = {};

const sendOne = (bytes: string): Promise<void> =>
  new Promise((resolve) => {
    const localAddress = `127.${[...randomBytes(3)].map((byte) => 1 + (byte % 254)).join('.')}`;
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () => socket.write(bytes));
    let got = '';
    socket.setTimeout(GIVE_UP_MS, () => socket.destroy());
    socket.on('data', (data) => {
      got += data.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      const status = /^HTTP\/1\.1 (\d{3}) /.exec(got)?.[1] ?? 'none';
      statuses[status] = (statuses[status] ?? 0) + 1;
      resolve();
    });
  });

const startedAt = performance.now();
const sent: Promise<void>[] = [];
for (let n = 0; n < count; n++) {
  const waitMs = startedAt + (n * overMs) / count - performance.now();
  if (waitMs > 1) await pause(waitMs, 'the requests are spread over the time');
  sent.push(sendOne(requests[n % requests.length] ?? ''));
}
await Promise.all(sent);
parentPort?.postMessage({ statuses } satisfies FloodResult);
