import type { Page } from 'playwright-core';
import { press } from './fresh-check.ts';

/** A device that keeps passkeys, and verifies its owner at once. */
export const addDevice = async (page: Page): Promise<void> => {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
};

/** The first button asks for a challenge, the second one the device. */
export const usePasskey = async (page: Page): Promise<void> => {
  await press(page, 'Use a passkey');
  await page.locator('[data-passkey]').waitFor({ state: 'attached' });
  await press(page, 'Use a passkey');
};
