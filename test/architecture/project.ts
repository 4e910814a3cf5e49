import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const FOLDER = fileURLToPath(new URL('../..', import.meta.url));

/** Paths relative to the project folder, sorted. */
export const filesAt = (...patterns: string[]): string[] => globSync(patterns, { cwd: FOLDER }).sort();

export const readText = (path: string): string => readFileSync(join(FOLDER, path), 'utf8');

export const PRODUCT = ['bin/**/*.ts', 'src/**/*.ts', 'workflows/**/*.ts', 'activities/**/*.ts'];

/** `src/x/create-payout.ts` → `createPayout`. */
export const camelCase = (path: string): string =>
  (path.split('/').at(-1) ?? '').replace(/\..*$/, '').replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** `createPayout` → `create-payout`. */
export const kebabCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Whether the build of the image gets a file: the last rule that is about it decides. */
export const isInImage = (path: string): boolean => {
  const rules = readText('.dockerignore')
    .split('\n')
    .filter((line) => /^[^#]/.test(line));
  const isAbout = (rule: string): boolean => rule === '*' || path === rule || path.startsWith(`${rule}/`);
  const last = rules.findLast((rule) => isAbout(rule.replace(/^!/, '')));
  return last?.startsWith('!') ?? true;
};
