const KEY = /^payout-([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})-(\d{1,2})$/;
const ID = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})-(\d{1,2})$/i;

/** Banks take 35 characters, which the key of an attempt exceeds: its payout without dashes, and the number of the attempt. */
export const endToEndIdOf = (idempotencyKey: string): string => {
  const parts = KEY.exec(idempotencyKey);
  if (!parts) throw new Error('The key of an attempt names its payout and its number, which is below 100');
  return `${parts.slice(1, 6).join('')}-${parts[6]}`;
};

/** Null for an id that no file of ours has. */
export const keyOfEndToEndId = (id: string): string | null => {
  const parts = ID.exec(id.trim());
  return parts && `payout-${parts.slice(1, 6).join('-').toLowerCase()}-${parts[6]}`;
};
