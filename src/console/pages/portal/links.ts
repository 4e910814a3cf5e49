import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { badge, copyable, emptyState } from '../../components/blocks.ts';
import { hidden, text } from '../../components/fields.ts';
import { table } from '../../components/table.ts';
import { type Html, html } from '../../html.ts';
import { nameOf } from '../../name.ts';
import { form, type PageCall, page, redirect } from '../../page.ts';
import { qrCode } from '../../qr.ts';
import { path } from '../../url.ts';
import { chosenProgram, withoutPrograms } from './program-choice.ts';

const create = form({
  fields: {
    program: hidden(),
    name: text({ label: (texts) => texts.portal.name, hint: (texts) => texts.portal.nameHint, required: true, maxLength: 100 }),
    page: text({ label: (texts) => texts.portal.page, hint: (texts) => texts.portal.pageHint, path: 'destination_path' }),
    code: text({
      label: (texts) => texts.portal.customCode,
      hint: (texts) => texts.portal.customCodeHint,
      path: 'custom_slug',
      maxLength: 32,
    }),
  },
  uses: ['createLink'],
  async submit(call, { program, name, page: destination_path, code: custom_slug }) {
    const query = program === '' ? {} : { program_id: program };
    await call.call('createLink', { query, body: { name, destination_path, custom_slug } });
    return redirect(path('/portal/links', {}, { program }), { flash: call.texts.portal.created });
  },
});

const changeCode = form({
  fields: {
    program: hidden(),
    code: text({
      label: (texts) => texts.portal.newCode,
      hint: (texts) => texts.portal.newCodeHint,
      required: true,
      maxLength: 50,
    }),
  },
  uses: ['changeMyCode'],
  async submit(call, { program, code }) {
    const query = program === '' ? {} : { program_id: program };
    const { data } = await call.call('changeMyCode', { query, body: { code } });
    return redirect(path('/portal/links', {}, { program }), { flash: call.texts.portal.codeChanged(data.code) });
  },
});

type Link = OperationSuccess<'listLinks'>['data'][number];

/** Addresses to share, each with its QR code. */
export const linksTable = ({ texts, format }: Pick<PageCall, 'texts' | 'format'>, rows: readonly Link[]): Html =>
  table({
    caption: texts.portal.links,
    rows,
    empty: emptyState({ icon: 'link', title: texts.portal.noLinks, text: texts.portal.noLinksText }),
    columns: [
      {
        head: texts.portal.name,
        cell: ({ name, isActive }) => html`${nameOf(name)}${!isActive && html` ${badge(texts.portal.inactive, 'warning')}`}`,
      },
      { head: texts.portal.address, cell: ({ url: to, redirectUrl }) => copyable(to ?? redirectUrl, texts) },
      { head: texts.portal.clicks, align: 'end', cell: ({ totalClicks }) => format.number(totalClicks) },
      {
        head: texts.portal.qr,
        cell: ({ code, redirectUrl }) =>
          html`<details><summary>${texts.portal.qr}</summary>${qrCode(redirectUrl, texts.portal.qrOf(code))}</details>`,
      },
    ],
  });

export const linksPage = page({
  path: '/portal/links',
  audience: 'affiliate',
  navigation: { label: (texts) => texts.portal.links, icon: 'link' },
  uses: ['listMyPrograms', 'listLinks'],
  forms: { create, changeCode },
  async view(call, forms) {
    const { texts } = call;
    const title = texts.portal.links;
    const program = await chosenProgram(call);
    if (!program) return { title, content: withoutPrograms(call) };
    const { programId, choice, branding } = program;
    const { data } = await call.call('listLinks', { query: { program_id: programId } });
    return {
      title,
      ...branding,
      content: html`${choice}${linksTable(call, data)}${
        forms.create.isAllowed &&
        html`<h2>${texts.portal.newLink}</h2>${forms.create.fill({ program: programId }).render({ submit: texts.portal.create })}`
      }${
        forms.changeCode.isAllowed &&
        html`<h2>${texts.portal.changeCode}</h2>${forms.changeCode.fill({ program: programId }).render({ submit: texts.portal.changeCode })}`
      }`,
    };
  },
});
