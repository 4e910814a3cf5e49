import type { Situation } from '../../src/contracts/situations/situation.ts';
import { formatTime, link, type WorkflowLinks } from '../../src/contracts/workflows/text.ts';

export const NOBODY = '**Nobody has to do anything.**';

export const untilText = (until: string | null): string => (until === null ? '' : ` until ${formatTime(Date.parse(until))}`);

/** What a person has to do, in the words of the page that the first line opens. Markdown. */
export const toDoText = ({ until }: Pick<Situation, 'until'>, next: string | null): string =>
  next === null ? NOBODY : `**What to do${untilText(until)}**: ${next}`;

/** The calls of the API behind the buttons, in small print at the end. Markdown. */
export const forDevelopers = (
  { api }: Pick<WorkflowLinks, 'api'>,
  path: string,
  { actions }: Pick<Situation, 'actions'> = { actions: [] },
): string => {
  const calls = actions.map((action) => `\`POST ${path}/${action}\``);
  return `*For developers*: ${[link(`GET ${path}`, `${api}${path}`), ...calls].join(' · ')}`;
};
