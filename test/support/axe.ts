import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Result {
  violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/** One line per element that violates WCAG 2.2 AA, or what axe calls best practice. */
export const axeViolations = async (page: Page): Promise<string[]> => {
  // Not as a script of the page, which its content security policy forbids.
  await page.evaluate(SOURCE);
  const { violations } = await page.evaluate<Result, string[]>(async (values) => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<Result> } };
    return axe.run({ runOnly: { type: 'tag', values } });
  }, RULES);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
};
