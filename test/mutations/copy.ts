import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Plant, planted } from './plant.ts';

export interface Copy {
  folder: string;
  /** Writes the violation; returns what takes it back. */
  plant(plant: Plant): () => void;
  remove(): void;
}

/** The files of the repository as they are, also those that are not committed, with its `node_modules`. */
export const copyRepository = (repository: string): Copy => {
  // As Jest prints paths.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tributary-mutations-')));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: repository });
  for (const path of new Set(listed.toString().split('\0').filter(Boolean))) {
    // Deleted, but not committed.
    if (!existsSync(join(repository, path))) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(repository, path), join(folder, path));
  }
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    plant(plant) {
      const path = join(folder, plant.file);
      const sound = readFileSync(path, 'utf8');
      writeFileSync(path, planted(sound, plant));
      return () => writeFileSync(path, sound);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};
