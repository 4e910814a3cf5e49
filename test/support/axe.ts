import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ALL = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] };
/** What depends on colors. */
const OF_COLORS = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

interface Result {
  violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
}

const violationsOf = async (page: Page, rules: typeof ALL): Promise<string[]> => {
  const { violations } = await page.evaluate<Result, typeof ALL>(async (runOnly) => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<Result> } };
    return axe.run({ runOnly, resultTypes: ['violations'], selectors: false });
  }, rules);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
};

/** One line per element that violates WCAG 2.2 AA, or what axe calls best practice. */
export const axeViolations = async (page: Page): Promise<string[]> => {
  // Not as a script of the page, which its content security policy forbids.
  await page.evaluate(SOURCE);
  return violationsOf(page, ALL);
};

/** What else is wrong once the page whose violations were looked for has other colors. */
export const colorViolations = (page: Page): Promise<string[]> => violationsOf(page, OF_COLORS);
