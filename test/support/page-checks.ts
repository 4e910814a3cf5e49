import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { TestApi } from './api.ts';
import { axeViolations, colorViolations } from './axe.ts';
import { endVisits, sharedBrowser } from './browser.ts';
import { useForFile } from './use-for-file.ts';

export const WIDTHS = [360, 1440] as const;
const MAX_FIRST_PAGE_BYTES = 60_000;

export interface OpenOptions {
  browser: Browser;
  origin: string;
  cookies?: Record<string, string>;
  more?: BrowserContextOptions;
}

/** A browser for the test file, and where it finds the pages of an API. */
export const useBrowserOn = (api: TestApi): { browser: Browser; origin: string; close(): Promise<void> } =>
  useForFile(async () => {
    await api.app.listen({ host: '127.0.0.1', port: 0 });
    const browser = await sharedBrowser();
    const origin = `http://localhost:${(api.app.server.address() as AddressInfo).port}`;
    return { browser, origin, close: endVisits };
  });

/** A visitor of pages. What their browser reports is collected: blocked scripts, failed files, faults. */
export const openVisitor = async ({
  browser,
  origin,
  cookies = {},
  more = {},
}: OpenOptions): Promise<{ page: Page; reports: string[] }> => {
  const context = await browser.newContext({ baseURL: origin, ...more });
  await context.addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url: origin })));
  const page = await context.newPage();
  const reports: string[] = [];
  page.on('console', (message) => {
    // The browser itself notes every response with a 4xx status.
    const isStatus = message.text().startsWith('Failed to load resource: the server responded with a status of 4');
    if (['error', 'warning'].includes(message.type()) && !isStatus) reports.push(message.text());
  });
  page.on('pageerror', (error) => reports.push(error.message));
  return { page, reports };
};

/** In the page: the sum of its layout shifts since it was opened. */
const LAYOUT_SHIFT = `new Promise((resolve) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) sum += value;
  }).observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => resolve(sum), 100);
})`;
/** In the page: bytes that were sent for it and its files, with their headers. */
const LOADED_BYTES = `performance.getEntries()
  .filter(({ entryType }) => entryType === 'navigation' || entryType === 'resource')
  .reduce((sum, { transferSize }) => sum + transferSize, 0)`;
const IS_TOO_WIDE = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';

/** What is outside of its box is cut off. */
const IS_CUT =
  "[...document.querySelectorAll('.table > table')].some((table) => table.offsetWidth > table.parentElement.clientWidth)";

/** On a phone, labels leave at least half of their line to the value. */
const IS_SQUEEZED = `[...document.querySelectorAll('.cards [data-label]')].some((cell) =>
  getComputedStyle(cell).display === 'flex' && parseFloat(getComputedStyle(cell, '::before').width) > cell.clientWidth / 2)`;

/** A busy browser paints while it still reads the page: what moves by less is not seen. */
const MAX_SHIFT = 0.01;
const shiftProblems = (sum: number): string[] => (sum > MAX_SHIFT ? [`shifts its layout by ${sum}`] : []);

/** What is wrong with what is shown now, at any width. */
const problemsNow = async (page: Page): Promise<string[]> => [
  ...(await axeViolations(page)),
  ...((await page.evaluate<boolean>(IS_TOO_WIDE)) ? ['scrolls sideways'] : []),
  ...((await page.evaluate<boolean>(IS_CUT)) ? ['cuts off columns of a table'] : []),
  ...((await page.evaluate<boolean>(IS_SQUEEZED)) ? ['leaves too little room beside labels'] : []),
];

/** As `shownProblems`, of a page that has no address: `open` leads to it from another one. */
export const problemsAfter = async (of: OpenOptions, open: (page: Page) => Promise<void>): Promise<string[]> => {
  const problems: string[] = [];
  for (const width of WIDTHS) {
    const { page, reports } = await openVisitor({ ...of, more: { viewport: { width, height: 900 } } });
    await open(page);
    const found = [...(await problemsNow(page)), ...reports];
    problems.push(...found.map((problem) => `${page.url()} at ${width} px: ${problem}`));
    await page.context().close();
  }
  return problems;
};

/** What is wrong with a page as it is shown: accessibility, width, layout shifts, and how much its first visit loads. */
export const shownProblems = async (
  { browser, origin, cookies }: OpenOptions,
  path: string,
  shots?: (name: string, page: Page) => Promise<void>,
): Promise<string[]> => {
  const problems: string[] = [];
  for (const width of WIDTHS) {
    // Without motion, colors change at once.
    const more = { viewport: { width, height: 900 }, reducedMotion: 'reduce' } as const;
    const { page, reports } = await openVisitor({ browser, origin, ...(cookies ? { cookies } : {}), more });
    const shoot = (scheme: string) => shots?.(`${path.replaceAll(/\W+/g, '-')}-${width}-${scheme}`, page);
    const add = (scheme: string, found: readonly string[]) =>
      problems.push(...found.map((problem) => `${path} at ${width} px, ${scheme}: ${problem}`));
    await page.goto(path, { waitUntil: 'load' });
    add('light', [
      ...(await problemsNow(page)),
      ...shiftProblems(await page.evaluate<number>(LAYOUT_SHIFT)),
      ...((await page.evaluate<number>(LOADED_BYTES)) > MAX_FIRST_PAGE_BYTES ? ['loads more than 60 KB'] : []),
    ]);
    await shoot('light');
    await page.emulateMedia({ colorScheme: 'dark' });
    add('dark', await colorViolations(page));
    await shoot('dark');
    add('both', reports);
    await page.context().close();
  }
  return problems;
};
