import { text } from '../../src/console/components/fields.ts';
import { html } from '../../src/console/html.ts';
import { consoleOf } from '../../src/console/mount-console.ts';
import { form, page } from '../../src/console/page.ts';
import { OperationFailed } from '../../src/console/page-call.ts';
import { useOwnApi } from '../support/api.ts';

const change = page({
  path: '/change',
  audience: 'public',
  uses: [],
  forms: {
    main: form({
      fields: { iban: text({ label: 'IBAN', required: true }) },
      uses: [],
      submit() {
        const error = { code: 'FORBIDDEN', message: 'Prove who you are', details: { reason: 'FRESH_CHECK_REQUIRED' } } as const;
        throw new OperationFailed({ status: 403, error });
      },
    }),
  },
  view: (_call, { main }) => ({ title: 'Change', content: main.render({ submit: 'Save' }) }),
});

const mount = consoleOf({
  pages: [change],
  sessions: () => ({ read: async () => null }),
  freshCheck: (_page, { action, fields }) => ({
    title: 'Prove who you are',
    content: html`<p>${action}</p>${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`,
  }),
});
const api = useOwnApi({}, { mounts: [mount] });

test('what needs a fresh check waits with everything that was sent, under its idempotency key', async () => {
  const idempotencyKey = '0198aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee';
  const response = await api.app.inject({
    method: 'POST',
    url: '/change?from=mail',
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ iban: 'DE89 <b>', idempotencyKey }).toString(),
  });
  expect(response.body).toContain('<p>/change</p>');
  expect(response.body).toContain(`name="idempotencyKey" value="${idempotencyKey}"`);
  expect(response.body).toContain('name="iban" value="DE89 &lt;b&gt;"');
  expect(response.body).toContain('name="sentForm" value="main"');
});
