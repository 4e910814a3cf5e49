import { type Html, html, nothing } from '../../html.ts';
import { icon } from '../../icons.ts';
import type { PageCall } from '../../page.ts';
import { url } from '../../url.ts';

export const CHECKLIST_OPERATIONS = [
  'getMerchant',
  'listPrograms',
  'getTrackingStatus',
  'listAffiliates',
  'listConversions',
] as const;
type Call = PageCall<(typeof CHECKLIST_OPERATIONS)[number]>;

interface Point {
  label: string;
  isDone: boolean;
  /** A guide that says how. */
  guide: string;
}

const pointsOf = async (call: Call): Promise<Point[]> => {
  const one = { query: { limit: '1' } };
  const [merchant, programs, affiliates] = await Promise.all([
    call.call('getMerchant'),
    call.call('listPrograms', one),
    call.call('listAffiliates', one),
  ]);
  const [program] = programs.data;
  const tracking = program && (await call.call('getTrackingStatus', { params: { id: program.id } }));
  return [
    { label: 'Company details', isDone: merchant.data.onboardingCompleted, guide: 'getting-started' },
    { label: 'Create a program', isDone: program !== undefined, guide: 'getting-started' },
    { label: 'Connect your shop', isDone: tracking !== undefined && tracking.data.readiness !== 'setup', guide: 'tracking' },
    { label: 'Invite your first affiliate', isDone: affiliates.meta.total > 0, guide: 'affiliates' },
    { label: 'See your first sale', isDone: false, guide: 'report-a-sale' },
  ];
};

/** What to do first, until the program earns. Empty for people who may not see all of it. */
export const checklistView = async (call: Call): Promise<Html> => {
  if (!CHECKLIST_OPERATIONS.every((id) => call.allows(id))) return nothing;
  const { meta } = await call.call('listConversions', { query: { limit: '1' } });
  if (meta.total > 0) return nothing;
  const points = await pointsOf(call);
  const done = points.filter(({ isDone }) => isDone).length;
  return html`<section class="card"><h2>First steps: ${call.format.number(done)} of ${call.format.number(points.length)}</h2><ol>${points.map(
    ({ label, isDone, guide }) =>
      html`<li>${isDone ? html`${icon('check')} ${label} <span class="hidden">done</span>` : html`<a href="${url(`/docs/guides/${guide}.md`)}" target="_blank">${label}</a>`}</li>`,
  )}</ol></section>`;
};
