import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { findBrowser } from '../../src/local/demo/find-browser.ts';

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Every host name is this machine: websites have names like real ones, and no request leaves.
  '--host-resolver-rules=MAP * 127.0.0.1',
];

const CONTEXT = {
  // A headless browser names itself a bot.
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  // The certificates of tests are for other names.
  ignoreHTTPSErrors: true,
};

const log = (line: string): void => void process.stderr.write(`${line}\n`);

/** How long a page may take says nothing: it ends what hangs before the test is ended, which tells less. */
const PAGE_LIMIT_MS = 150_000;

/** Its pages wait for up to `PAGE_LIMIT_MS`. */
const startBrowser = async (): Promise<Browser> => {
  const browser = await chromium.launch({ executablePath: await findBrowser(process.env, log), args: ARGUMENTS });
  return browser.on('context', (context) => context.setDefaultTimeout(PAGE_LIMIT_MS));
};

let started: Promise<Browser> | undefined;

/** The browser of this process, started when it is first needed. Each visit has a context of its own, and `endVisits` after the file. */
export const sharedBrowser = (): Promise<Browser> => {
  const forget = (): void => {
    started = undefined;
  };
  started ??= startBrowser().then(
    (browser) => browser.once('disconnected', forget),
    (error) => {
      forget();
      throw error;
    },
  );
  return started;
};

/** Closes all pages that a test file opened. */
export const endVisits = async (): Promise<void> => {
  const contexts = (await started?.catch(() => undefined))?.contexts() ?? [];
  await Promise.all(contexts.map((context) => context.close()));
};

/** A new visitor, without cookies. */
export const newVisitor = (browser: Browser): Promise<BrowserContext> => browser.newContext(CONTEXT);

/** Settings that a visitor can make in Chromium. */
const SETTINGS = {
  /** Cookies of other sites than that of the page are blocked. */
  blockThirdPartyCookies: { block_third_party_cookies: true, cookie_controls_mode: 1 },
  /** Pages store nothing: cookies are ignored, and localStorage throws. */
  blockStorage: { default_content_setting_values: { cookies: 2 } },
} as const;

/** Runs `visit` with a visitor who changed a setting of the browser. */
export const withSetting = async (
  setting: keyof typeof SETTINGS,
  visit: (context: BrowserContext) => Promise<void>,
): Promise<void> => {
  const profile = await mkdtemp(join(tmpdir(), 'tributary-browser-'));
  try {
    await mkdir(join(profile, 'Default'));
    await writeFile(join(profile, 'Default', 'Preferences'), JSON.stringify({ profile: SETTINGS[setting] }));
    const options = { ...CONTEXT, executablePath: await findBrowser(process.env, log, 'full'), args: ARGUMENTS };
    const context = await chromium.launchPersistentContext(profile, options);
    context.setDefaultTimeout(PAGE_LIMIT_MS);
    await visit(context).finally(() => context.close());
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
};
