import { checkboxes } from '../../components/choices.ts';
import { checkbox } from '../../components/fields.ts';
import { html } from '../../html.ts';
import { form, page, redirect } from '../../page.ts';

const AT = '/portal/notifications';

/** How many programs are listed, those joined last, in addition to the muted ones. */
const MAX_SHOWN = 100;

/** Which mails the affiliate gets. */
export const portalNotificationsPage = page({
  path: AT,
  audience: 'affiliate',
  navigation: { label: (texts) => texts.portal.notifications, icon: 'bell' },
  uses: ['getMyNotifications', 'listMyPrograms'],
  forms: {
    main: form({
      fields: {
        completedPayouts: checkbox({
          label: (texts) => texts.portal.completedPayouts,
          hint: (texts) => texts.portal.completedPayoutsHint,
        }),
        programNews: checkbox({
          label: (texts) => texts.portal.programNews,
          hint: (texts) => texts.portal.programNewsHint,
        }),
        mutedPrograms: checkboxes({
          label: (texts) => texts.portal.mutedPrograms,
          hint: (texts) => texts.portal.mutedProgramsHint,
        }),
      },
      uses: ['updateMyNotifications'],
      async submit(call, body) {
        await call.call('updateMyNotifications', { body });
        return redirect(AT, { flash: call.texts.portal.saved });
      },
    }),
  },
  async view(call, { main }) {
    const { portal } = call.texts;
    const [{ data }, programs] = await Promise.all([call.call('getMyNotifications'), call.call('listMyPrograms')]);
    const muted = new Set(data.mutedPrograms);
    const options = programs.data
      .filter(({ programId }, at) => at < MAX_SHOWN || muted.has(programId))
      .map(({ programId, programName }) => ({ value: programId, label: programName }));
    const filled = main.fill(data);
    const content = html`${filled.field('completedPayouts')}${filled.field('programNews')}${
      options.length > 0 && filled.field('mutedPrograms', { options })
    }`;
    return {
      title: portal.notifications,
      content: html`<p>${portal.notificationsNote}</p>${
        main.isAllowed && filled.render({ submit: portal.save, content })
      }<p class="hint">${portal.alwaysMailed}</p>`,
    };
  },
});
