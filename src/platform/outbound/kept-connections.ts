import { MINUTE_MS } from '../clock.ts';
import type { HttpConnection } from './http-connection.ts';

const MAX_IDLE = 512;
/** After this time the name is resolved and vetted again. */
const MAX_AGE_MS = MINUTE_MS;

/** An open connection and what is known about it. */
export interface KeptConnection {
  http: HttpConnection;
  remoteIp: string | null;
  tls: string | null;
  openedAtMs: number;
}

/** Idle connections by key. A connection is used by one request at a time and never under another key. */
export class KeptConnections {
  readonly #idle = new Map<string, KeptConnection[]>();
  #count = 0;

  /** The one that was used last, which is the least likely to be closed by the server. */
  take(key: string): KeptConnection | null {
    for (let kept = this.#pop(key); kept; kept = this.#pop(key)) {
      if (kept.http.isReusable() && performance.now() - kept.openedAtMs < MAX_AGE_MS) return kept;
      kept.http.close();
    }
    return null;
  }

  /** Closes it instead when it cannot be used again, or when too many are idle. */
  put(key: string, kept: KeptConnection): void {
    if (!kept.http.isReusable() || this.#count >= MAX_IDLE) return kept.http.close();
    const idle = this.#idle.get(key) ?? [];
    idle.push(kept);
    this.#idle.set(key, idle);
    this.#count += 1;
  }

  /** Forgets a connection that was closed while it was idle. */
  remove(key: string, kept: KeptConnection): void {
    const idle = this.#idle.get(key);
    const at = idle?.indexOf(kept) ?? -1;
    if (!idle || at === -1) return;
    idle.splice(at, 1);
    this.#count -= 1;
    if (idle.length === 0) this.#idle.delete(key);
  }

  close(): void {
    for (const idle of this.#idle.values()) for (const kept of idle) kept.http.close();
    this.#idle.clear();
    this.#count = 0;
  }

  #pop(key: string): KeptConnection | undefined {
    const idle = this.#idle.get(key);
    const kept = idle?.pop();
    if (kept) this.#count -= 1;
    if (idle?.length === 0) this.#idle.delete(key);
    return kept;
  }
}
