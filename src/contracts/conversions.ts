export const CONVERSION_STATUSES = ['pending', 'approved', 'partially_refunded', 'rejected', 'refunded'] as const;
export type ConversionStatus = (typeof CONVERSION_STATUSES)[number];

export const ATTRIBUTION_METHODS = ['cookie', 'coupon', 'metadata'] as const;
export type AttributionMethod = (typeof ATTRIBUTION_METHODS)[number];

export const SALE_EVENT_TYPES = ['sale.completed', 'sale.refunded'] as const;
export const SALE_OUTCOMES = ['recorded', 'duplicate', 'unattributed', 'waiting'] as const;
export type SaleOutcome = (typeof SALE_OUTCOMES)[number];

export const PERIODS = ['7d', '30d', '90d', 'all'] as const;
export type Period = (typeof PERIODS)[number];
