import { path } from '../../../url.ts';

export const ACCOUNTS = '/console/settings/payout-accounts';

/** The page of a merchant's account. */
export const accountPath = (rail: string): string => path(`${ACCOUNTS}/{rail}`, { rail });
