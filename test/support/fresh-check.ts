import type { Page } from 'playwright-core';
import { startMailTry } from '../../src/domains/notifications/index.ts';
import { firstRow, sql } from '../../src/platform/database/sql.ts';
import type { TestApi } from './api.ts';

export const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
export const heading = (page: Page, name: string): Promise<void> => page.getByRole('heading', { level: 1, name }).waitFor();

/** The code of the newest mail to a person. */
const codeFor = async ({ runtime }: Pick<TestApi, 'runtime'>, personId: string): Promise<string> => {
  const ctx = runtime.context({ kind: 'system', name: 'test' });
  const mail = await firstRow(
    ctx.em,
    sql<{ id: string }>`select m.id from mail m join sign_in s on s.id = m.subject_id
      where s.person_id = ${personId}::uuid order by s.created_at desc limit 1`,
  );
  const step = await startMailTry(ctx, { mailId: mail?.id ?? '' });
  return step.kind === 'send' ? (/\b\d{3} \d{3}\b/.exec(step.mail.text)?.[0] ?? '') : '';
};

/** On the page that asks the person who they are: proves it by a mailed code, and goes on with what waited. `readCode`: once it is mailed. */
export const confirmWith = async (page: Page, readCode: () => Promise<string>): Promise<void> => {
  await heading(page, 'Confirm that it is you');
  await press(page, 'Send me a code');
  await page.getByLabel('6-digit code').waitFor();
  await page.getByLabel('6-digit code').fill(await readCode());
  await press(page, 'Confirm');
  await heading(page, 'Confirmed');
  await press(page, 'Continue');
};

/** The same where no worker sends the mail. */
export const confirmByCode = (api: Pick<TestApi, 'runtime'>, page: Page, { personId }: { personId: string }): Promise<void> =>
  confirmWith(page, () => codeFor(api, personId));
