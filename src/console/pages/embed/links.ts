import { tabs } from '../../components/blocks.ts';
import { html } from '../../html.ts';
import { page } from '../../page.ts';
import { linksTable } from '../portal/links.ts';
import { embedPath, embedTabs } from './embed-tabs.ts';

/** Those of one program at a time: that of the address, else the one that was joined last. */
export const embedLinksPage = page({
  path: '/embed/links',
  audience: 'embed',
  uses: ['listMyPrograms', 'listLinks'],
  async view(call) {
    const { portal } = call.texts;
    const { data: programs } = await call.call('listMyPrograms');
    const chosen = programs.find(({ programId }) => programId === call.query['program']) ?? programs[0];
    const { data } = await call.call('listLinks', { query: { program_id: chosen?.programId } });
    const choice = programs.map(({ programId, programName: label }) => ({
      label,
      href: embedPath(call, 'links', programId),
      isCurrent: programId === chosen?.programId,
    }));
    return {
      title: portal.links,
      content: html`${embedTabs(call, 'links')}${choice.length > 1 && tabs(portal.program, choice)}${linksTable(call, data)}`,
    };
  },
});
