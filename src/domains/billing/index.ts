export { createStripeBilling, type StripeBilling } from './stripe-billing.calls.ts';
