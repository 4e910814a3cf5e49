import { checkbox } from '../../components/fields.ts';
import { html } from '../../html.ts';
import { form, page, redirect } from '../../page.ts';
import { settingsTabs } from './settings-tabs.ts';

/** Which mails the merchant gets. */
export const notificationsPage = page({
  path: '/console/settings/notifications',
  audience: 'merchant',
  below: '/console/settings',
  uses: ['getNotificationPreferences'],
  forms: {
    main: form({
      fields: {
        newAffiliate: checkbox({ label: 'New affiliates' }),
        newConversion: checkbox({ label: 'Sales through affiliates' }),
        commissionApproved: checkbox({ label: 'Approved commissions' }),
        payoutProcessed: checkbox({ label: 'Completed payouts' }),
        weeklyDigest: checkbox({ label: 'Totals of the week', hint: 'On Mondays at 08:00 in the time zone of the company' }),
      },
      uses: ['updateNotificationPreferences'],
      async submit(call, body) {
        await call.call('updateNotificationPreferences', { body });
        return redirect(call.path, { flash: 'Saved' });
      },
    }),
  },
  async view(call, { main }) {
    const { data } = await call.call('getNotificationPreferences');
    return {
      title: 'Notifications',
      content: html`${settingsTabs(call)}<p>Activity is collected: one email an hour at most. Emails that ask for a decision, protect your payouts or report a failing webhook endpoint cannot be switched off.</p>${
        main.isAllowed || main.isSent
          ? main.fill(data).render({ submit: 'Save' })
          : html`<p class="hint">Changing them needs the right to manage the company.</p>`
      }`,
    };
  },
});
