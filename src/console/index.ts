import { consoleOf } from './mount-console.ts';
import { PAGES } from './pages/index.ts';
import { freshCheck } from './pages/sign-in/confirm.ts';
import { personSessions } from './sign-in/person-sessions.ts';
import { programSites, tokenEmbeds } from './sign-in/program-pages.ts';

/** Sign-in, portal, console and embedded pages, as a mount of the API process. */
export const mountConsole = consoleOf({
  pages: PAGES,
  sessions: personSessions,
  embeds: tokenEmbeds,
  sites: programSites,
  freshCheck,
});
