import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_NAMESPACES, type Namespace } from '../../src/contracts/workflows/descriptor.ts';
import { startBrowser } from './browser.ts';
import { type TestSystem, until } from './system.ts';
import { currentDetailsOf } from './workflow-details.ts';

/** The page of a workflow in the Temporal UI. */
export interface Page {
  id: string;
  code: string;
  namespace?: Namespace;
}

/** Reads pages of a system that is open by then. */
export const pagesOf = (systemOf: () => TestSystem) => {
  const workflowOf = ({ id, namespace = 'finance' }: Omit<Page, 'code'>) =>
    systemOf().temporal.clients[namespace].workflow.getHandle(id);

  /** What a person reads without any event of the history. */
  const readPage = async (page: Omit<Page, 'code'>): Promise<string> => {
    const described = await workflowOf(page).describe();
    const details = await currentDetailsOf(workflowOf(page)).catch(() => '');
    return [await described.staticSummary(), await described.staticDetails(), details].join('\n');
  };

  const finds = async <P extends Page>(page: P, part: string): Promise<P> => {
    await until(
      () => readPage(page).catch(() => ''),
      (text) => text.includes(part),
      60_000,
    );
    return page;
  };

  return { workflowOf, readPage, finds };
};

/** A picture of every page, by its name. */
export const takePictures = async (uiUrl: string, pages: Readonly<Record<string, Page>>, folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const browser = await startBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1500, height: 1400 } });
    for (const [name, { id, namespace = 'finance' }] of Object.entries(pages)) {
      await page.goto(`${uiUrl}/namespaces/${DEFAULT_NAMESPACES[namespace]}/workflows/${encodeURIComponent(id)}`);
      await page.getByRole('tab', { name: 'User Metadata' }).click();
      await page.waitForTimeout(3_000);
      await page.screenshot({ path: join(folder, `${name}.png`), clip: { x: 205, y: 50, width: 1295, height: 1350 } });
    }
  } finally {
    await browser.close();
  }
};
