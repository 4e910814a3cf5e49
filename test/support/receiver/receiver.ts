import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { until } from '../until.ts';
import { useForFile } from '../use-for-file.ts';

export interface ReceivedRequest {
  method: string;
  path: string;
  /** In order of arrival; names in lower case. */
  headers: [string, string][];
  /** Base64 of the raw bytes. */
  body: string;
  /** Epoch milliseconds on the receiver's clock. */
  at: number;
}

export interface Ports {
  control: number;
  plain: number;
  good: number;
  expired: number;
  other: number;
  self: number;
  old: number;
  mute: number;
}

export interface Receiver {
  ports: Ports;
  /** `http://127.0.0.1:<port>/<path>`; the path selects the response, see `behaviours.ts`. */
  url(path: string): string;
  /** Complete requests whose path starts with `path`, oldest first. */
  received(path: string): Promise<ReceivedRequest[]>;
  /** Waits for `count` requests and returns those received by then. */
  waitFor(path: string, count: number): Promise<ReceivedRequest[]>;
  /** Connections ever accepted on the request ports. */
  connections(): Promise<number>;
  stop(): Promise<void>;
}

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

/** Starts a webhook receiver in a separate process, so that its timing does not depend on the tested process. */
export const startReceiver = async (): Promise<Receiver> => {
  const child = spawn(process.execPath, [MAIN], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ports = await new Promise<Ports>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line) as Ports));
    child.once('exit', (code) => reject(new Error(`the receiver ended with ${code}`)));
  });
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${ports.control}/?path=${encodeURIComponent(path)}`);
    return (await response.json()) as { connections: number; received: ReceivedRequest[] };
  };
  const received = async (path: string) => (await ask(path)).received;
  return {
    ports,
    url: (path) => `http://127.0.0.1:${ports.plain}${path}`,
    received,
    waitFor: (path, count) =>
      until(
        `${path} has received ${count} requests`,
        () => received(path),
        ({ length }) => length >= count,
      ),
    connections: async () => (await ask('')).connections,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.stdin.end();
      }),
  };
};

/** A receiver for all tests of this file. */
export const useReceiver = (): Receiver =>
  useForFile(async () => {
    const receiver = await startReceiver();
    return { ...receiver, close: receiver.stop };
  });

/** The value of a header that must be there once. */
export const headerOf = (request: ReceivedRequest, name: string): string => {
  const values = request.headers.filter(([held]) => held === name);
  if (values.length !== 1) throw new Error(`${name} came ${values.length} times`);
  return values[0]?.[1] ?? '';
};

export const bytesOf = (request: ReceivedRequest): Buffer => Buffer.from(request.body, 'base64');
