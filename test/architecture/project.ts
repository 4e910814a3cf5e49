import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const FOLDER = fileURLToPath(new URL('../..', import.meta.url));

/** Paths from the project's folder, sorted. */
export const filesAt = (...patterns: string[]): string[] => globSync(patterns, { cwd: FOLDER }).sort();

export const readText = (path: string): string => readFileSync(join(FOLDER, path), 'utf8');

export const PRODUCT = ['bin/**/*.ts', 'src/**/*.ts', 'workflows/**/*.ts', 'activities/**/*.ts'];
