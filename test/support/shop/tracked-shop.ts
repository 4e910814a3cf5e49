import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findFreePort } from '../../../src/local/stack/index.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { type OwnTestApi, openTestApi } from '../api.ts';
import { endVisits, newVisitor, sharedBrowser } from '../browser.ts';
import {
  makeAffiliate,
  makeMerchant,
  makeProgram,
  type TestAffiliate,
  type TestMerchant,
  type TestProgram,
} from '../factories.ts';
import { useForFile } from '../use-for-file.ts';
import { type Shop, startShop } from './shop.ts';

/** The website's host; its domain is `shop.example`. */
export const HOST = 'www.shop.example';

export interface TrackedShop extends OwnTestApi {
  /** The API, on another host than the shop. */
  origin: string;
  shop: Shop;
  browser: Browser;
}

/** The API, a shop in a process of its own, and a browser. */
export const useTrackedShop = (): TrackedShop =>
  useForFile(async () => {
    const port = await findFreePort(0);
    const origin = `http://127.0.0.1:${port}`;
    const api = await openTestApi({ PUBLIC_URL: origin });
    await api.app.listen({ host: '127.0.0.1', port });
    const [shop, browser] = await Promise.all([startShop(origin), sharedBrowser()]);
    return {
      ...api,
      origin,
      shop,
      browser,
      async close() {
        await endVisits();
        await shop.stop();
        await api.close();
      },
    };
  });

export interface ShopProgram extends TestMerchant, TestProgram {
  affiliate: TestAffiliate;
  /** The address of a page of the shop. */
  url(page: string, options?: { host?: string; tls?: boolean }): string;
}

/** A program whose website is the shop, with an affiliate. */
export const makeShopProgram = async (
  tracked: TrackedShop,
  { host = HOST, ...changes }: { host?: string; [field: string]: unknown } = {},
): Promise<ShopProgram> => {
  const { shop } = tracked;
  const merchant = await makeMerchant(tracked.runtime);
  const program = await makeProgram(tracked, merchant.key, { website: `http://${host}:${shop.port}/` });
  const { programId } = program;
  const landingPageUrl = `http://${host}:${shop.port}/p/${programId}/product?color=red`;
  // Before the changes: nobody joins an archived program.
  const affiliate = await makeAffiliate(tracked.runtime, programId);
  const changed = await tracked.call('PATCH', `/programs/${programId}`, {
    key: merchant.key,
    body: { landingPageUrl, ...changes },
  });
  if (changed.status !== 200) throw new Error(`not changed: ${changed.text}`);
  await shop.setUp(programId, program.eventSecret);
  return {
    ...merchant,
    ...program,
    affiliate,
    url: (page, { host: other = host, tls = false } = {}) =>
      `http${tls ? 's' : ''}://${other}:${tls ? shop.tlsPort : shop.port}/p/${programId}/${page}`,
  };
};

/** Requires consent of the visitors of all programs of the merchant. */
export const requireConsent = async (tracked: TrackedShop, { key }: TestMerchant): Promise<void> => {
  const { status, text } = await tracked.call('PATCH', '/merchant', { key, body: { trackingRequiresConsent: true } });
  if (status !== 200) throw new Error(`not changed: ${text}`);
};

export interface StoredClick {
  affiliateId: string;
  token: string;
}

/** The clicks of a program, oldest first. */
export const clicksOf = (tracked: TrackedShop, { programId }: TestProgram): Promise<StoredClick[]> =>
  rows(
    tracked.runtime.context({ kind: 'system', name: 'test' }).em,
    sql<StoredClick>`select affiliate_id as "affiliateId", 'clk_' || replace(id::text, '-', '') as token
      from click where program_id = ${programId}::uuid order by id`,
  );

export interface ShopPage {
  page: Page;
  context: BrowserContext;
  /** Errors of the page that nothing caught. */
  errors: Error[];
  /** Opens an address and waits for the script's ready callback. */
  visit(url: string): Promise<void>;
  metadata(): Promise<Record<string, string>>;
  debug(): Promise<DebugInfo>;
  setConsent(decision: 'granted' | 'denied'): Promise<void>;
  /** Waits until the script has dealt with the visit. */
  settled(): Promise<void>;
  /** Our cookies, by the ends of their names. */
  cookies(): Promise<Record<string, string>>;
}

interface DebugInfo {
  consent: string | null;
  ready: boolean;
  attribution: Record<string, string> | null;
  pendingReferralCode: string | null;
  warnings: string[];
}

const SETTLED = 'new Promise((resolve) => AgentRef.ready(() => resolve(true)))';

export const openPage = async (context: BrowserContext): Promise<ShopPage> => {
  const page = await context.newPage();
  const errors: Error[] = [];
  page.on('pageerror', (error) => errors.push(error));
  const settled = async (): Promise<void> => void (await page.evaluate(SETTLED));
  return {
    page,
    context,
    errors,
    settled,
    async visit(url) {
      await page.goto(url);
      await page.locator('html[data-ready="yes"]').waitFor({ state: 'attached' });
    },
    metadata: () => page.evaluate<Record<string, string>>('AgentRef.getCheckoutMetadata()'),
    debug: () => page.evaluate<DebugInfo>('AgentRef.getDebugInfo()'),
    async setConsent(decision) {
      await page.evaluate(`AgentRef.setConsent('${decision}')`);
      await settled();
    },
    async cookies() {
      const cookies = await context.cookies();
      const own = cookies.filter(({ name }) => name.startsWith('agentref_'));
      return Object.fromEntries(own.map(({ name, value }) => [name.replace('agentref_', ''), value]));
    },
  };
};

/** A page of a new visitor. */
export const newPage = async ({ browser }: TrackedShop): Promise<ShopPage> => openPage(await newVisitor(browser));
