import type { Page } from '../page.ts';
import { bankFilePage } from './bank-files/bank-file.ts';
import { bankFilesPage } from './bank-files/bank-files.ts';
import { newBankFilePage } from './bank-files/new-bank-file.ts';
import { unmatchedBookingsPage } from './bank-files/unmatched-bookings.ts';
import { embedLinksPage } from './embed/links.ts';
import { embedPage } from './embed/overview.ts';
import { embedPayoutsPage } from './embed/payouts.ts';
import { reconciliationPage } from './finance/reconciliation.ts';
import { homePage } from './home/home.ts';
import { inviteCodePage, inviteLinkPage, invitePage } from './join/invite.ts';
import { acceptTermsPage, joinCodePage, joinLinkPage, joinPage } from './join/join.ts';
import { joinedPage } from './join/joined.ts';
import { byHandPage } from './pay/by-hand.ts';
import { payPage, runsPage } from './pay/pay.ts';
import { runExportPage, runPage } from './pay/run.ts';
import { payoutPage } from './payouts/payout.ts';
import { payoutSalePage } from './payouts/payout-sale.ts';
import { payoutsExportPage, payoutsPage } from './payouts/payouts.ts';
import { payoutDetailsPage, restoreDetailsPage } from './portal/details.ts';
import { earningsPage } from './portal/earnings.ts';
import { claimInvitePage } from './portal/invite.ts';
import { linksPage } from './portal/links.ts';
import { portalNotificationsPage } from './portal/notifications.ts';
import { overviewPage } from './portal/overview.ts';
import { myPayoutPage, myPayoutsPage, myRemittancePage } from './portal/payouts.ts';
import { programsPage } from './portal/programs.ts';
import { saleProblemsPage } from './sales/sale-problems.ts';
import { apiKeysPage, newApiKeyPage, newPortalKeyPage, portalKeysPage } from './settings/api-keys.ts';
import { approvalRulesPage } from './settings/approval-rules.ts';
import { auditLogExportPage, auditLogPage } from './settings/audit-log.ts';
import { brandingPage, programBrandingPage } from './settings/branding.ts';
import { notificationsPage } from './settings/notifications.ts';
import { payoutAccountPages } from './settings/payout-accounts/account.ts';
import { payoutAccountsPage } from './settings/payout-accounts/accounts.ts';
import { peoplePage } from './settings/people.ts';
import { personPage } from './settings/person.ts';
import { companiesPage } from './sign-in/companies.ts';
import { confirmPage, portalConfirmPage } from './sign-in/confirm.ts';
import { keepPasskeysPage } from './sign-in/keep-passkeys.ts';
import { passkeysPage, portalPasskeysPage } from './sign-in/passkeys.ts';
import { consoleSessionsPage, portalSessionsPage } from './sign-in/sessions.ts';
import {
  acceptInvitePage,
  signInCodePage,
  signInLinkPage,
  signInPage,
  signInPasskeyPage,
  signOutPage,
} from './sign-in/sign-in.ts';
import { newCompanyPage, signUpCodePage, signUpLinkPage, signUpPage } from './sign-up/sign-up.ts';

/** All pages. Entries of the navigation stand in this order. */
export const PAGES: readonly Page[] = [
  homePage,
  payPage,
  runsPage,
  byHandPage,
  bankFilesPage,
  newBankFilePage,
  unmatchedBookingsPage,
  bankFilePage,
  runPage,
  runExportPage,
  payoutsPage,
  payoutsExportPage,
  payoutPage,
  payoutSalePage,
  saleProblemsPage,
  reconciliationPage,
  approvalRulesPage,
  payoutAccountsPage,
  ...payoutAccountPages,
  notificationsPage,
  brandingPage,
  programBrandingPage,
  apiKeysPage,
  newApiKeyPage,
  peoplePage,
  personPage,
  auditLogPage,
  auditLogExportPage,
  overviewPage,
  linksPage,
  earningsPage,
  myPayoutsPage,
  myPayoutPage,
  myRemittancePage,
  payoutDetailsPage,
  restoreDetailsPage,
  programsPage,
  claimInvitePage,
  acceptTermsPage,
  joinedPage,
  embedPage,
  embedLinksPage,
  embedPayoutsPage,
  passkeysPage,
  portalNotificationsPage,
  portalKeysPage,
  newPortalKeyPage,
  portalPasskeysPage,
  confirmPage,
  portalConfirmPage,
  companiesPage,
  newCompanyPage,
  consoleSessionsPage,
  portalSessionsPage,
  signInPage,
  signInCodePage,
  signInPasskeyPage,
  signInLinkPage,
  acceptInvitePage,
  keepPasskeysPage,
  signUpPage,
  signUpCodePage,
  signUpLinkPage,
  joinPage,
  joinCodePage,
  joinLinkPage,
  invitePage,
  inviteCodePage,
  inviteLinkPage,
  signOutPage,
];
