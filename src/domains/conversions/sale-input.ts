/** A payment system's id of a sale or refund. */
export interface ExternalReference {
  programId: string;
  provider: string;
  externalId: string;
}

export interface NewSale extends ExternalReference {
  /** Equal for two events with the same data. */
  payloadHash: string;
  /** Minor units. */
  amount: number;
  currency: string;
  customerId: string;
  customerEmailDigest: string | null;
  customerEmailDomain: string | null;
  subscriptionId: string | null;
  occurredAt: Date;
}

export interface NewRefund extends ExternalReference {
  externalSaleId: string;
  /** Equal for two events with the same data. */
  payloadHash: string;
  /** Minor units. */
  amount: number;
  occurredAt: Date;
}
