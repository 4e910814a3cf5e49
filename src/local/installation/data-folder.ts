import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../stack/programs.ts';

export const PROJECT_ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The data folder of `npm start`: TRIBUTARY_DATA, or `.data` in the project. */
export const dataFolderOf = (env: Environment): string => resolve(env['TRIBUTARY_DATA'] || join(PROJECT_ROOT, '.data'));
