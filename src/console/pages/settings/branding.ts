import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { LOGO_TYPES, MAX_LOGO_BYTES, MAX_LOGO_SIDE, MIN_LOGO_SIDE } from '../../../contracts/portals.ts';
import { LOGO_HEIGHT, logoView } from '../../brand.ts';
import { buttonLink, emptyState, facts } from '../../components/blocks.ts';
import { checkbox, file, text } from '../../components/fields.ts';
import { filters } from '../../components/table.ts';
import { type Html, html } from '../../html.ts';
import { nameOf } from '../../name.ts';
import { form, type PageCall, page, redirect } from '../../page.ts';
import { path, url } from '../../url.ts';
import { domainForms, domainView } from './branding-domain.ts';
import { settingsTabs } from './settings-tabs.ts';

type Portal = OperationSuccess<'getProgramPortal'>['data'];

const AT = '/console/settings/branding';
const OF_PROGRAM = `${AT}/{id}` as const;
const MAX_PROGRAMS = '100';

const tabsOf = (call: PageCall): Html => settingsTabs({ ...call, path: AT });

const listOf = async (call: PageCall<'listPrograms'>) =>
  (await call.call('listPrograms', { query: { limit: MAX_PROGRAMS } })).data;

/** Leads to the program of the choice, else to the newest one. */
export const brandingPage = page({
  path: AT,
  audience: 'merchant',
  below: '/console/settings',
  uses: ['listPrograms', 'getProgramPortal'],
  async view(call) {
    const [newest] = await listOf(call);
    const id = call.query['program'] || newest?.id;
    if (id !== undefined) return redirect(path(OF_PROGRAM, { id }));
    return {
      title: 'Branding',
      content: html`${tabsOf(call)}${emptyState({
        icon: 'store',
        title: 'No programs yet',
        text: 'The pages of a program show its own name, logo and color.',
      })}`,
    };
  },
});

const logoImage = (logo: Portal['logo']): Html | null => {
  if (logo === null) return null;
  const { path: src, width } = logoView(logo);
  return html`<img class="logo" src="${url(src)}" alt="Logo" width="${width}" height="${LOGO_HEIGHT}">`;
};

const preview = ({ joinUrl, domain }: Portal): Html =>
  joinUrl === null
    ? html`<p class="hint">The program has no page yet: set its <code>portalSlug</code>, and people can join there.</p>`
    : html`<p>${buttonLink(domain?.isVerified ? joinUrl : new URL(joinUrl).pathname, 'Open the page to join')}</p>`;

/** What the pages of one program show as its own. */
export const programBrandingPage = page({
  path: OF_PROGRAM,
  audience: 'merchant',
  below: '/console/settings',
  uses: ['listPrograms', 'getProgramPortal'],
  forms: {
    ...domainForms,
    main: form({
      fields: {
        name: text({ label: 'Name', hint: 'Left empty: the name of the program', maxLength: 60 }),
        accentColor: text({
          label: 'Color',
          hint: 'Of buttons and links, as #0b6e4f. It is made darker or lighter where it would be hard to read',
          placeholder: '#0b6e4f',
          maxLength: 7,
        }),
        logo: file({
          label: 'Logo',
          hint: `PNG, JPEG or WebP, at most ${MAX_LOGO_BYTES / 1024} KB, ${MIN_LOGO_SIDE} to ${MAX_LOGO_SIDE} pixels wide and high. Shown ${LOGO_HEIGHT} pixels high`,
          accept: LOGO_TYPES.join(','),
        }),
        withoutLogo: checkbox({ label: 'Remove the logo' }),
      },
      uses: ['updateProgramPortal'],
      async submit(call, { name = null, accentColor = null, logo, withoutLogo }) {
        const id = call.param('id');
        const file = logo ?? (withoutLogo ? null : undefined);
        const body = { name, accentColor, ...(file === undefined ? {} : { logo: file }) };
        await call.call('updateProgramPortal', { params: { id }, body });
        return redirect(path(OF_PROGRAM, { id }), { flash: 'Saved' });
      },
    }),
  },
  async view(call, { main, ...domain }) {
    const id = call.param('id');
    const [{ data }, programs] = await Promise.all([call.call('getProgramPortal', { params: { id } }), listOf(call)]);
    const options = programs.map((program) => ({ value: program.id, label: program.name }));
    const shown = { texts: call.texts, path: AT, query: { program: id } };
    const choice = programs.length > 1 && filters(shown, [{ name: 'program', label: 'Program', options }]);
    const filled = main.fill({ name: data.name ?? undefined, accentColor: data.accentColor ?? undefined });
    const content = [
      filled.field('name'),
      filled.field('accentColor'),
      logoImage(data.logo),
      filled.field('logo'),
      data.logo !== null && filled.field('withoutLogo'),
    ];
    return {
      title: 'Branding',
      content: html`${tabsOf(call)}${choice}<p>What the pages show on which people join the program, those of its affiliates, and pages embedded in your app.</p>${
        main.isAllowed || main.isSent
          ? filled.render({ submit: 'Save', content })
          : facts([
              ['Name', nameOf(data.name ?? 'As the program')],
              ['Color', data.accentColor ?? 'That of this server'],
              ['Logo', logoImage(data.logo)],
            ])
      }${preview(data)}${domainView(call, data.domain, domain)}`,
    };
  },
});
