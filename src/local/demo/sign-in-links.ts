import { operatorContext } from '../../cli/operator.ts';
import { loadConfig } from '../../config.ts';
import { createSignInLink } from '../../domains/people/index.ts';
import { openRuntime, type Runtime } from '../../runtime.ts';
import { installedSettings } from '../installation/system-settings.ts';
import type { Environment } from '../stack/programs.ts';
import { MAILBOXES } from './demo-data.ts';
import type { SignInLinks } from './summary.ts';

/** New ones for the people of the demo. */
export const makeSignInLinks = async (runtime: Runtime): Promise<SignInLinks> => {
  const linkOf = async (email: string): Promise<string> => (await createSignInLink(operatorContext(runtime), { email })).url;
  return { owner: await linkOf(MAILBOXES.owner), affiliate: await linkOf(MAILBOXES.affiliate) };
};

/** Makes links for the system that runs on a data folder. */
export const signInLinksOf = async (env: Environment, folder: string): Promise<SignInLinks> => {
  const settings = { ...(await installedSettings(env, folder)), DATABASE_POOL: '1', LOG_LEVEL: 'silent' };
  const runtime = await openRuntime(loadConfig(settings), 'start');
  return makeSignInLinks(runtime).finally(() => runtime.close());
};
