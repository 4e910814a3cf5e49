import { z } from 'zod';
import { SALE_OUTCOMES } from '../../contracts/conversions.ts';
import { uuid } from '../../platform/http/schemas.ts';

export const saleResultSchema = z
  .object({ outcome: z.enum(SALE_OUTCOMES), conversionId: uuid.nullable() })
  .meta({ id: 'SaleEventResult' });

/** Response to a sale event. */
export type SaleResult = z.infer<typeof saleResultSchema>;
