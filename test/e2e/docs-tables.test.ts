import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { createOpenApi } from '../../src/api/openapi.ts';
import { OPERATIONS } from '../../src/api/routes.ts';
import { useOwnApi } from '../support/api.ts';
import { endVisits, sharedBrowser } from '../support/browser.ts';

const api = useOwnApi();
let browser: Browser;
let origin: string;
beforeAll(async () => {
  browser = await sharedBrowser();
  origin = await api.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(endVisits);

/** Set it to look at the tables. */
const FOLDER = process.env['DOCS_SCREENSHOTS'];

const TABLES = createOpenApi(OPERATIONS).info.description?.match(/^\|[ :-]*-{3}/gm)?.length ?? 0;

interface SeenTable {
  /** The first header cells, and the number of each kind. */
  name: string;
  emptyHeaders: number;
  /** Rows with another number of cells than the header. */
  unevenRows: number;
  /** Beyond the box that contains it. */
  overflowPx: number;
  /** Wider than its box, which then scrolls. */
  isWide: boolean;
  scrolls: boolean;
  /** Points of the table at which the browser shows something else. */
  covered: string[];
  /** Words that are broken into two lines although the table could scroll. */
  brokenWords: string[];
}

/** Run in the page, as text: its types are those of a browser. At the top of a small one is a header, below which pages scroll. */
const SEE_TABLE = `(table) => {
  table.scrollIntoView({ block: 'center' });
  const headers = [...table.querySelectorAll('th')];
  const rows = [...table.querySelectorAll('tbody tr')];
  const box = table.getBoundingClientRect();
  const around = table.parentElement.getBoundingClientRect();
  const top = Math.max(box.top, 60) + 3;
  const bottom = Math.min(box.bottom, innerHeight) - 3;
  const points = [box.left + 3, (box.left + box.right) / 2, box.right - 3].flatMap((x) => [[x, top], [x, (top + bottom) / 2], [x, bottom]]);
  const covered = points.flatMap(([x, y]) => {
    const shown = document.elementFromPoint(x, y);
    return shown && table.contains(shown) ? [] : [Math.round(x) + ',' + Math.round(y) + ' ' + (shown ? shown.className || shown.tagName : 'outside')];
  });
  const brokenWords = [];
  const walker = document.createTreeWalker(table, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const { index, 0: word } of node.data.matchAll(/[\\p{L}\\p{N}_.]+/gu)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (new Set([...range.getClientRects()].map((rect) => Math.round(rect.top))).size > 1) brokenWords.push(word);
    }
  }
  return {
    name: headers.map((cell) => cell.textContent.trim()).join(' | '),
    emptyHeaders: headers.filter((cell) => cell.textContent.trim() === '').length,
    unevenRows: rows.filter((row) => row.cells.length !== headers.length).length,
    overflowPx: Math.max(0, Math.round(box.right - around.right), Math.round(box.right - innerWidth), Math.round(-box.left)),
    isWide: table.scrollWidth > table.clientWidth,
    scrolls: ['auto', 'scroll'].includes(getComputedStyle(table).overflowX),
    covered,
    brokenWords,
  };
}`;

const openDocs = async (width: number): Promise<Page> => {
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  await page.goto(`${origin}/docs/`);
  await page
    .locator('.markdown table')
    .nth(TABLES - 1)
    .waitFor({ state: 'attached' });
  return page;
};

const takeAll = async (page: Page, folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  for (let at = 0; at < TABLES; at++) {
    await page.evaluate(`document.querySelectorAll('.markdown table')[${at}].scrollIntoView({ block: 'center' })`);
    await page.screenshot({ path: join(folder, `${String(at).padStart(2, '0')}.png`) });
  }
};

test.each([1440, 390])('IN3: every table of /docs can be read at a width of %i', async (width) => {
  const page = await openDocs(width);
  const seen = await page.evaluate<SeenTable[]>(`[...document.querySelectorAll('.markdown table')].map(${SEE_TABLE})`);
  expect(seen).toHaveLength(TABLES);
  if (FOLDER) await takeAll(page, join(FOLDER, String(width)));
  const problems = seen.filter(
    ({ emptyHeaders, unevenRows, overflowPx, isWide, scrolls, covered, brokenWords }) =>
      emptyHeaders + unevenRows + overflowPx + covered.length + brokenWords.length > 0 || (isWide && !scrolls),
  );
  expect(problems).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  await page.close();
});
