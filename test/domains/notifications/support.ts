import type { MailKind } from '../../../src/contracts/mail.ts';
import { mailContentSchema } from '../../../src/domains/notifications/mail-content.rules.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import type { Runtime } from '../../../src/runtime.ts';

export interface StoredMail {
  id: string;
  kind: MailKind;
  to: string;
  period: string;
  subject: string;
  text: string;
  waiting: boolean;
}

export const testContext = (runtime: Runtime) => runtime.context({ kind: 'system', name: 'test' });

/** Queued mails about a subject, decrypted, oldest first. */
export const mailsAbout = async (runtime: Runtime, subjectId: string): Promise<StoredMail[]> => {
  const { em, cipher } = testContext(runtime);
  const found = await rows(
    em,
    sql<{ id: string; kind: MailKind; recipient: string; payload: string; period: string; waiting: boolean }>`
      select id, kind, recipient, payload, period,
        exists (select from outbox where topic = 'mail.send' and subject_id = mail.id) as waiting
      from mail where subject_id = ${subjectId}::uuid and status = 'queued' order by id`,
  );
  return found.map(({ id, recipient, payload, ...mail }) => {
    const content = mailContentSchema.parse(JSON.parse(cipher.decrypt(payload, { table: 'mail', column: 'payload', row: id })));
    const to = cipher.decrypt(recipient, { table: 'mail', column: 'recipient', row: id });
    return { id, ...mail, to, subject: content.subject, text: JSON.stringify(content) };
  });
};

export const emailOf = async (runtime: Runtime, profileId: string): Promise<string> => {
  const [row] = await testContext(runtime).em.execute('select email from affiliate_profile where id = ?', [profileId]);
  return row?.email;
};
