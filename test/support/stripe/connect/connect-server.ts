import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { abilities } from './accounts.ts';
import type { failures } from './control.ts';
import type { delivery, SentEvent } from './events.ts';
import type { Payee, Transfer } from './store.ts';

const PROGRAM = fileURLToPath(new URL('./main.ts', import.meta.url));

export const platformKey = (name: string): string => `sk_test_platform_${name}`;

export interface StripeConnectServer {
  url: string;
  setBalance(key: string, currency: string, amount: number): Promise<void>;
  /** A recipient that may receive. Its address decides: `returned…` sends all back, `fee…` costs 7 cents. */
  makePayee(key: string, given?: { email?: string; status?: Payee['status'] }): Promise<string>;
  /** What Stripe decides about an account; it tells with signed events. */
  setPayee(key: string, account: string, change: Partial<Pick<Payee, 'status' | 'due'>>): Promise<void>;
  /** Takes back a transfer, or a part of it. */
  reverse(key: string, group: string, amount?: number): Promise<void>;
  events(key: string): Promise<SentEvent[]>;
  /** How often the transfer of each group was made. */
  executions(key: string): Promise<Record<string, number>>;
  transfers(key: string): Promise<Transfer[]>;
  fail(how: Partial<typeof failures>): Promise<void>;
  deliver(how: Partial<typeof delivery>): Promise<void>;
  allow(what: Partial<typeof abilities>): Promise<void>;
  close(): Promise<void>;
}

/** Starts a process that behaves like Stripe Connect with transfers. */
export const startStripeConnect = async (): Promise<StripeConnectServer> => {
  const child = spawn(process.execPath, [PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL'));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const url = `http://127.0.0.1:${(JSON.parse(line) as { port: number }).port}`;
  const control = async <T>(path: string, given: object): Promise<T> => {
    const response = await fetch(`${url}/test/${path}`, { method: 'POST', body: JSON.stringify(given) });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return (await response.json()) as T;
  };
  return {
    url,
    setBalance: (key, currency, amount) => control('balance', { key, currency, amount }),
    makePayee: async (key, given = {}) => (await control<Payee>('payee', { key, status: 'active', due: [], ...given })).id,
    setPayee: (key, account, change) => control('payee', { key, account, ...change }),
    reverse: (key, group, amount) => control('reverse', { key, group, amount }),
    events: (key) => control('events', { key }),
    executions: (key) => control('executions', { key }),
    transfers: (key) => control('transfers', { key }),
    fail: (how) => control('failures', how),
    deliver: (how) => control('delivery', how),
    allow: (what) => control('abilities', what),
    async close() {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
};
