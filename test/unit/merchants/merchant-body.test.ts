import { updateMerchantBody } from '../../../src/domains/merchants/merchants.wire.ts';
import { type RejectedBody, unreportedBodies } from '../../support/rejected-bodies.ts';

const REJECTED: readonly RejectedBody[] = [
  ['companyName', { companyName: '' }],
  ['companyName', { companyName: 'x'.repeat(101) }],
  ['companyName', { companyName: null }],
  ['logoUrl', { logoUrl: 'javascript:alert(1)' }],
  ['logoUrl', { logoUrl: 'https://me:secret@acme.example/logo.png' }],
  ['country', { country: 'Germany' }],
  ['country', { country: 'XX' }],
  ['country', { country: 'EU' }],
  ['country', { country: '12' }],
  ['vatId', { vatId: 'x'.repeat(33) }],
  ['addressLine1', { addressLine1: 'a\nb' }],
  ['timezone', { timezone: 'Mars/Olympus' }],
  ['timezone', { timezone: '+01:00' }],
  ['defaultCookieDuration', { defaultCookieDuration: 0 }],
  ['defaultCookieDuration', { defaultCookieDuration: 366 }],
  ['flagReviewDays', { flagReviewDays: 0 }],
  ['flagReviewDays', { flagReviewDays: 91 }],
  ['flagReviewDays', { flagReviewDays: 1.5 }],
  ['flagDeadlineAction', { flagDeadlineAction: 'approve' }],
  ['flagDeadlineAction', { flagDeadlineAction: null }],
  ['defaultCookieDuration', { defaultCookieDuration: 1.5 }],
  ['defaultPayoutThreshold', { defaultPayoutThreshold: 999 }],
  ['defaultPayoutThreshold', { defaultPayoutThreshold: 100_001 }],
  ['defaultPayoutThreshold', { defaultPayoutThreshold: '5000' }],
  ['trackingRequiresConsent', { trackingRequiresConsent: 'yes' }],
  ['trackingParamAliases.0', { trackingParamAliases: ['Via'] }],
  ['trackingParamAliases.0', { trackingParamAliases: ['x'.repeat(33)] }],
  ['trackingParamAliases', { trackingParamAliases: Array.from({ length: 11 }, (_, at) => `a${at}`) }],
  ['detailsCooldownHours', { detailsCooldownHours: -1 }],
  ['detailsCooldownHours', { detailsCooldownHours: 169 }],
  ['detailsCooldownHours', { detailsCooldownHours: 1.5 }],
  ['detailsCooldownHours', { detailsCooldownHours: null }],
  ['billingTier', { billingTier: 'pro' }],
  ['onboardingCompleted', { onboardingCompleted: true }],
];

test('a change of a merchant reports each invalid field by name', () => {
  expect(updateMerchantBody.safeParse({}).success).toBe(true);
  expect(unreportedBodies(updateMerchantBody, REJECTED)).toEqual([]);
});
