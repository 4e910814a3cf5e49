import type { DataDirectory } from './data-directory.ts';
import type { Environment } from './programs.ts';

export interface ServiceOptions {
  directory: DataDirectory;
  /** Only the given ports, instead of the next free ones. */
  exactPorts?: boolean | undefined;
  env: Environment;
  /** Receives one line of progress. */
  log: (line: string) => void;
  /** Called when the service exits on its own after it was ready. */
  onCrash?: ((report: string) => void) | undefined;
  /** Aborts a long start: a download, an installation, a build. */
  signal?: AbortSignal | undefined;
}

export interface OpenService {
  url: string;
  /** Null for a server that was not started here. */
  pid: number | null;
  close(): Promise<void>;
}

export interface OpenPostgres extends OpenService {
  /** The role that owns the tables; `url` is the application's. Equal when there is only one. */
  ownerUrl: string;
}
