import type { MailSummary } from '../../../src/contracts/mail.ts';
import { mailSubject } from '../../../src/contracts/workflows/mail-delivery.texts.ts';

const MERCHANT = '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e01';
const SUBJECT = '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e02';
const workflows = 'http://ui.example/namespaces/tributary/workflows';

const detailsOf = (
  mail: Partial<MailSummary>,
  links = { api: 'http://api.example/api/v1', workflows: workflows as string | null },
) =>
  mailSubject(
    {
      mailId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e03',
      kind: 'flag_opened',
      merchantId: MERCHANT,
      subjectId: SUBJECT,
      queuedAt: '2026-01-15T09:30:00.000Z',
      ...mail,
    },
    links,
  );

test.each([
  ['application_decided', 'application'],
  ['flag_opened', 'flag'],
  ['payout_failed', 'payout'],
] as const)('a mail of the kind %s leads to the workflow of what it is about', (kind, about) => {
  const id = `${about}/${SUBJECT}`;
  expect(detailsOf({ kind })).toContain(`About [${id}](${workflows}/${about}%2F${SUBJECT})`);
  expect(detailsOf({ kind }, { api: '/api/v1', workflows: null })).toContain(`About \`${id}\``);
});

test.each([
  [{ kind: 'flag_opened', subjectId: MERCHANT }, 'About several flags'],
  [{ kind: 'payout_completed', merchantId: null }, 'About several payouts'],
  [{ kind: 'webhook_failing', subjectId: MERCHANT }, 'About several webhook endpoints'],
  [{ kind: 'webhook_failing' }, `About the webhook endpoint \`${SUBJECT}\``],
  [{ kind: 'payout_details_changed', merchantId: null }, `About the profile \`${SUBJECT}\``],
  [{ kind: 'weekly_digest', subjectId: MERCHANT }, `About the merchant \`${MERCHANT}\``],
] as const)('a mail about many, or about nothing with a workflow, says what it is about: %j', (mail, text) => {
  expect(detailsOf(mail)).toContain(text);
});
