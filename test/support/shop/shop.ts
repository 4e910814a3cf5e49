import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

export interface Shop {
  port: number;
  tlsPort: number;
  /** Gives the shop's server the secret with which it signs sale events. */
  setUp(programId: string, eventSecret: string): Promise<void>;
  /** The shop serves this document as its page `own`. */
  servePage(programId: string, html: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the shop in a separate process. */
export const startShop = async (apiUrl: string): Promise<Shop> => {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, SHOP_API_URL: apiUrl },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ports = await new Promise<Pick<Shop, 'port' | 'tlsPort'>>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line) as Pick<Shop, 'port' | 'tlsPort'>));
    child.once('exit', (code) => reject(new Error(`the shop ended with ${code}`)));
  });
  const post = async (path: string, body: string): Promise<void> => {
    await fetch(`http://127.0.0.1:${ports.port}${path}`, { method: 'POST', body });
  };
  return {
    ...ports,
    setUp: (programId, eventSecret) => post(`/setup/${programId}`, eventSecret),
    servePage: (programId, html) => post(`/own-page/${programId}`, html),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.stdin.end();
      }),
  };
};
