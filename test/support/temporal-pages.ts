import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_NAMESPACES, type Namespace } from '../../src/contracts/workflows/descriptor.ts';
import { LIST_COLUMNS, listUrl } from '../../src/contracts/workflows/views.ts';
import { temporalUiSettings } from '../../src/local/demo/temporal-ui-settings.ts';
import { endVisits, sharedBrowser } from './browser.ts';
import type { TestSystem } from './system.ts';
import { pause, until } from './until.ts';
import { currentDetailsOf } from './workflow-details.ts';

/** The page of a workflow in the Temporal UI. */
export interface Page {
  id: string;
  code: string;
  namespace?: Namespace;
}

export type PageSystem = ReturnType<typeof pagesOf>;

/** A system, and what its pages say. */
export const pagesOf = (system: TestSystem) => {
  const workflowOf = ({ id, namespace = 'finance' }: Omit<Page, 'code'>) =>
    system.temporal.clients[namespace].workflow.getHandle(id);

  /** What a person reads without any event of the history. */
  const readPage = async (page: Omit<Page, 'code'>): Promise<string> => {
    const described = await workflowOf(page).describe();
    const details = await currentDetailsOf(workflowOf(page)).catch(() => '');
    return [await described.staticSummary(), await described.staticDetails(), details].join('\n');
  };

  const finds = async <P extends Page>(page: P, part: string): Promise<P> => {
    await until(
      `the page of ${page.id} shows "${part}"`,
      () => readPage(page).catch(() => ''),
      (text) => text.includes(part),
    );
    return page;
  };

  return { system, workflowOf, readPage, finds };
};

/** A picture of the list of workflows of finance. */
export const takeListPicture = async (uiUrl: string, query: string, path: string): Promise<void> => {
  const browser = await sharedBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 1000 } });
    await page.addInitScript((settings) => {
      for (const [name, value] of Object.entries(settings)) localStorage.setItem(name, value);
    }, temporalUiSettings(DEFAULT_NAMESPACES.finance));
    await page.goto(`${listUrl(uiUrl, DEFAULT_NAMESPACES.finance)}?query=${encodeURIComponent(query)}`);
    await page.getByRole('columnheader', { name: LIST_COLUMNS.at(-1) ?? '' }).waitFor();
    await pause(3_000, 'the rows are drawn');
    await page.screenshot({ path });
  } finally {
    await endVisits();
  }
};

/** A picture of every page, by its name. */
export const takePictures = async (uiUrl: string, pages: Readonly<Record<string, Page>>, folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const browser = await sharedBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1500, height: 1400 } });
    for (const [name, { id, namespace = 'finance' }] of Object.entries(pages)) {
      await page.goto(`${uiUrl}/namespaces/${DEFAULT_NAMESPACES[namespace]}/workflows/${encodeURIComponent(id)}`);
      await page.getByRole('tab', { name: 'User Metadata' }).click();
      await pause(3_000, 'the texts are drawn');
      await page.screenshot({ path: join(folder, `${name}.png`), clip: { x: 205, y: 50, width: 1295, height: 1350 } });
    }
  } finally {
    await endVisits();
  }
};
