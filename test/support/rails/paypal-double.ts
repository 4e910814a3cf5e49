import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../../bin/paypal-double.ts', import.meta.url));

interface ShownItem {
  payout_item_id: string;
  payout_batch_id: string;
  transaction_id?: string;
  transaction_status: string;
  sender_batch_id: string;
  payout_item: { amount: { currency: string; value: string }; receiver: string; sender_item_id: string };
}

export interface PayPalDouble {
  url: string;
  accountOf(clientId: string): { environment: 'sandbox'; clientId: string; clientSecret: string };
  /** Everything that was executed, oldest first. */
  items(about?: { account?: string; reference?: string }): Promise<ShownItem[]>;
  changeAccount(clientId: string, change: { balances?: Record<string, string>; scopes?: string[] }): Promise<void>;
  balancesOf(clientId: string): Promise<Record<string, string>>;
  revokeTokens(clientId: string): Promise<void>;
  /** As PayPal would, after the fact. */
  moveItem(id: string, state: string, reason?: string): Promise<void>;
  stop(): Promise<void>;
}

export interface PayPalDoubleOptions {
  settleMs?: number;
  returnMs?: number;
  noticeLagMs?: number;
  noticesTwice?: boolean;
  reportLagMs?: number;
  perMinute?: number;
  store?: string;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts bin/paypal-double.ts as a child process, with delays of milliseconds. */
export const startPayPalDouble = async (options: PayPalDoubleOptions = {}): Promise<PayPalDouble> => {
  const { settleMs = 40, returnMs = 40, noticeLagMs = 0, noticesTwice = false, reportLagMs = 0, perMinute = 100_000 } = options;
  const child = spawn(process.execPath, [PROGRAM], {
    env: {
      ...process.env,
      ENVIRONMENT: 'development',
      PAYPAL_DOUBLE_PORT: '0',
      PAYPAL_DOUBLE_SETTLE_MS: String(settleMs),
      PAYPAL_DOUBLE_RETURN_MS: String(returnMs),
      PAYPAL_DOUBLE_NOTICE_LAG_MS: String(noticeLagMs),
      PAYPAL_DOUBLE_NOTICES_TWICE: String(noticesTwice),
      PAYPAL_DOUBLE_NOTICE_WAITS_MS: '100,300,1000,3000,9000',
      PAYPAL_DOUBLE_REPORT_LAG_MS: String(reportLagMs),
      PAYPAL_DOUBLE_PER_MINUTE: String(perMinute),
      ...(options.store === undefined ? {} : { PAYPAL_DOUBLE_STORE: options.store }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const exited = once(child, 'exit').then(() => void running.delete(child));
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const address = /"url":"([^"]+)"/.exec(line)?.[1];
      if (address) resolve(address);
    });
    exited.then(() => reject(new Error(`The double of PayPal did not start:\n${lines.join('\n')}`)));
  });
  const control = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/double/${path}`, body ? { method, headers, body: JSON.stringify(body) } : { method });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (response.status === 204 ? undefined : await response.json()) as T;
  };
  return {
    url,
    accountOf: (clientId) => ({ environment: 'sandbox', clientId, clientSecret: `${clientId}-secret` }),
    async items({ account, reference } = {}) {
      const query = new URLSearchParams({ ...(account && { account }), ...(reference && { sender_item_id: reference }) });
      const { batches } = await control<{ batches: { item: ShownItem }[] }>('GET', `batches?${query}`);
      return batches.map(({ item }) => item);
    },
    changeAccount: async (clientId, change) => {
      await control('PATCH', `accounts/${clientId}`, change);
    },
    balancesOf: async (clientId) => (await control<{ balances: Record<string, string> }>('GET', `accounts/${clientId}`)).balances,
    revokeTokens: (clientId) => control('POST', `accounts/${clientId}/revoke-tokens`),
    moveItem: async (id, state, reason) => {
      await control('PATCH', `items/${id}`, { state, ...(reason && { reason }) });
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
};
