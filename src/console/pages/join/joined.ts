import { visibleLine } from '../../../platform/visible-line.ts';
import { ownBrandOf } from '../../brand.ts';
import { buttonLink, copyable, notice } from '../../components/blocks.ts';
import { type Html, html } from '../../html.ts';
import { type PageCall, page, type View } from '../../page.ts';
import { qrCode } from '../../qr.ts';
import { path } from '../../url.ts';

const firstLink = async (call: PageCall<'listLinks'>, programId: string): Promise<Html> => {
  const { texts } = call;
  const { data } = await call.call('listLinks', { query: { program_id: programId } });
  const link = data.at(-1);
  if (!link) return html`<p>${texts.portal.noLinksText}</p>`;
  return html`<p>${texts.join.yourLink}</p><p>${copyable(link.url ?? link.redirectUrl, texts)}</p>${qrCode(link.redirectUrl, texts.portal.qrOf(link.code))}`;
};

const waiting = ({ texts, allows }: PageCall): View => ({
  title: texts.join.waitingTitle,
  content: html`${notice(html`<p>${texts.portal.waits}.</p><p>${texts.join.waitingText}</p>`)}${allows('listOwnApplications') && html`<p>${buttonLink('/portal/programs', texts.portal.programs)}</p>`}`,
});

/** What follows: the first link of a member, or that the merchant decides. */
export const joinedPage = page({
  path: '/portal/joined/{programId}',
  audience: 'affiliate',
  below: '/portal/programs',
  uses: ['listMyPrograms', 'listLinks'],
  async view(call) {
    const { texts } = call;
    const details = call.accountUrl ?? '/portal/details';
    const programId = call.param('programId');
    const { data } = await call.call('listMyPrograms');
    const program = data.find((joined) => joined.programId === programId);
    if (!program) return waiting(call);
    return {
      title: texts.join.welcome(visibleLine(program.programName)),
      ...ownBrandOf(program),
      content: html`${await firstLink(call, programId)}<p>${buttonLink(path('/portal/links', {}, { program: programId }), texts.join.toLinks, 'primary')}</p><p>${texts.join.payoutHint}</p><p>${buttonLink(details, texts.portal.enterDetails)}</p>`,
    };
  },
});
