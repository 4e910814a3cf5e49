/** A payment system's own name for a sale or a refund. */
export interface SaleAddress {
  programId: string;
  provider: string;
  externalId: string;
}

export interface NewSale extends SaleAddress {
  payloadHash: string;
  amount: number;
  currency: string;
  customerId: string;
  customerEmailDigest: string | null;
  customerEmailDomain: string | null;
  subscriptionId: string | null;
  occurredAt: Date;
}

export interface NewRefund extends SaleAddress {
  externalSaleId: string;
  payloadHash: string;
  amount: number;
  occurredAt: Date;
}
