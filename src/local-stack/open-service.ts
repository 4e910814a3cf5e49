import type { DataDirectory } from './data-directory.ts';
import type { Environment } from './programs.ts';

export interface ServiceOptions {
  directory: DataDirectory;
  env: Environment;
  /** One line of progress for the person who waits. */
  log: (line: string) => void;
  /** Told when the service ends unasked after it was ready. */
  onCrash?: ((report: string) => void) | undefined;
  /** Ends a start that takes long: a download, an installation, a build. */
  signal?: AbortSignal | undefined;
}

export interface OpenService {
  url: string;
  /** Null for a server that was not started here. */
  pid: number | null;
  close(): Promise<void>;
}
