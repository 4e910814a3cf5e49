/** Loaded on first use: the library takes 36 MB, and many installations never need it. */
export const loadStripe = async () => (await import('stripe')).default;
