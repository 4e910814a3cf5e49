import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { generateSigningSecret } from '../../src/platform/crypto/standard-webhooks.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/sandbox.ts', import.meta.url));

export interface SandboxOptions {
  notificationUrl?: string | undefined;
  /** Journal file: a provider restarted with the same file keeps its transfers. */
  store?: string;
  /** Default: any free port. */
  port?: number;
  apiKey?: string;
  notificationSecret?: string;
  settleMs?: number;
  returnMs?: number;
  slowMs?: number;
  notificationWaitsMs?: readonly number[];
  repeatWindowMs?: number;
}

export interface SandboxTransfer {
  id: string;
  idempotencyKey: string;
  reference: string;
  amount: number;
  currency: string;
  status: 'accepted' | 'paid' | 'failed' | 'returned';
  failureCode: string | null;
  executedCount: number;
  /** Where the money goes; only the list says it. */
  receiver: string | null;
  /** When the provider accepted it, an ISO time. */
  createdAt: string;
}

export interface Sandbox {
  url: string;
  apiKey: string;
  notificationSecret: string;
  /** All transfers, oldest first. */
  transfers(): Promise<SandboxTransfer[]>;
  /** Its log. */
  output(): string;
  stop(): Promise<void>;
  /** SIGKILL: transfers that are not in the journal are lost. */
  kill(): Promise<void>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts bin/sandbox.ts as a child process, with delays of milliseconds. */
export const startSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const apiKey = options.apiKey ?? 'sandbox-key-for-tests';
  const notificationSecret = options.notificationSecret ?? generateSigningSecret();
  const child = spawn(process.execPath, [PROGRAM], {
    env: {
      ...process.env,
      ENVIRONMENT: 'development',
      SANDBOX_PORT: String(options.port ?? 0),
      SANDBOX_API_KEY: apiKey,
      SANDBOX_NOTIFICATION_SECRET: notificationSecret,
      SANDBOX_SETTLE_MS: String(options.settleMs ?? 20),
      SANDBOX_RETURN_MS: String(options.returnMs ?? 50),
      SANDBOX_SLOW_MS: String(options.slowMs ?? 1_500),
      SANDBOX_NOTIFICATION_WAITS_MS: (options.notificationWaitsMs ?? [50, 100, 200, 400, 800, 1_600]).join(','),
      SANDBOX_REPEAT_WINDOW_MS: String(options.repeatWindowMs ?? 86_400_000),
      ...(options.notificationUrl === undefined ? {} : { SANDBOX_NOTIFICATION_URL: options.notificationUrl }),
      ...(options.store === undefined ? {} : { SANDBOX_STORE: options.store }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const exited = once(child, 'exit').then(() => void running.delete(child));
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      const address = /"url":"([^"]+)"/.exec(line)?.[1];
      if (address) resolve(address);
    });
    exited.then(() => reject(new Error(`The sandbox provider did not start:\n${lines.join('\n')}`)));
  });

  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return exited;
  };
  return {
    url,
    apiKey,
    notificationSecret,
    transfers: () => allTransfers(url, apiKey),
    output: () => lines.join('\n'),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
};

const allTransfers = async (url: string, apiKey: string): Promise<SandboxTransfer[]> => {
  const found: SandboxTransfer[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const query = after === '' ? '?limit=500' : `?limit=500&after=${after}`;
    const response = await fetch(`${url}/v1/transfers${query}`, { headers: { authorization: `Bearer ${apiKey}` } });
    const page = (await response.json()) as { transfers: SandboxTransfer[]; next: string | null };
    found.push(...page.transfers);
    after = page.next;
  }
  return found;
};
