import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('../../../.data/chaos/progress.json', import.meta.url));

export interface RunOptions {
  scenarios: string[];
  seed: number;
  times: number;
  minutes: number;
}

interface Saved {
  options: RunOptions;
  /** One entry per finished step. A step may occur more than once. */
  done: string[];
  failed: number;
}

/** What a long run has finished, saved after each step. */
export class Progress {
  readonly #saved: Saved;

  private constructor(saved: Saved) {
    this.#saved = saved;
  }

  /** Forgets the previous run. */
  static start(options: RunOptions): Progress {
    return new Progress({ options, done: [], failed: 0 });
  }

  /** Continues the previous run with its options. Throws when there is none. */
  static resume(): Progress {
    return new Progress(JSON.parse(readFileSync(FILE, 'utf8')) as Saved);
  }

  get options(): RunOptions {
    return this.#saved.options;
  }

  get failed(): number {
    return this.#saved.failed;
  }

  /** The steps that are not finished, in the same order. */
  remaining(steps: readonly string[]): string[] {
    const done = [...this.#saved.done];
    return steps.filter((step) => {
      const at = done.indexOf(step);
      if (at !== -1) done.splice(at, 1);
      return at === -1;
    });
  }

  finish(step: string, passed: boolean): void {
    this.#saved.done.push(step);
    if (!passed) this.#saved.failed++;
    mkdirSync(dirname(FILE), { recursive: true });
    writeFileSync(`${FILE}.new`, JSON.stringify(this.#saved));
    renameSync(`${FILE}.new`, FILE);
  }
}
