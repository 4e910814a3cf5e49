import { loadConfig } from '../../../src/config.ts';
import { describeSystem } from '../../../src/local/demo/summary.ts';
import type { StackFile } from '../../../src/local/installation/stack-file.ts';
import { systemSettings } from '../../../src/local/installation/system-settings.ts';

const pids = { api: null, worker: null, postgres: null, redis: null, temporal: null, sandbox: null };
const STACK: StackFile = {
  origin: 'http://127.0.0.1:3000',
  apiUrl: 'http://127.0.0.1:3000/api/v1',
  docsUrl: 'http://127.0.0.1:3000/docs',
  temporalAddress: '127.0.0.1:7233',
  temporalUiUrl: 'http://127.0.0.1:8233',
  databaseUrl: 'postgres://127.0.0.1/tributary',
  redisUrl: 'redis://127.0.0.1',
  sandboxUrl: 'http://127.0.0.1:3400',
  mailboxDir: '/data/mailbox',
  filesDir: '/data/files',
  merchantKey: 'mk',
  affiliateKey: 'ak',
  onboardingKey: 'ok',
  programId: 'p',
  payableAffiliateId: 'a',
  pids,
};
const SECRETS = {
  encryptionKeys: `a:${Buffer.alloc(32, 7).toString('base64')}`,
  sandboxApiKey: 'key',
  sandboxNotificationSecret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
};
const SMTP_URL = 'smtp://robot:hunter2@mail.example.com:587';

const configOf = (env: Record<string, string>) => loadConfig(systemSettings(env, STACK, SECRETS));
const printed = (smtpUrl?: string) =>
  describeSystem(STACK, { folder: '/data', logsDir: '/data/logs', smtpUrl, namespace: 'tributary' });

it('npm start sends mails through the mail server of the environment', () => {
  const config = configOf({ SMTP_URL, MAIL_FROM: 'Tributary <mail@example.com>' });
  expect(config).toMatchObject({ SMTP_URL, MAIL_FROM: 'Tributary <mail@example.com>' });
});

it.each([[{}], [{ SMTP_URL: '' }]])('without one, %j, mails are files in the mailbox folder of the data folder', (env) => {
  expect(configOf(env)).toEqual(expect.objectContaining({ MAILBOX_DIR: '/data/mailbox' }));
  expect(configOf(env).SMTP_URL).toBeUndefined();
});

it('the printed addresses name the mail server without its password, or the mailbox folder', () => {
  expect(printed(SMTP_URL)).toMatch(/Mail server +mail\.example\.com:587\n/);
  expect(printed(SMTP_URL)).not.toMatch(/hunter2|robot|mailbox/);
  expect(printed()).toMatch(/Mailbox folder +\/data\/mailbox\n/);
});
