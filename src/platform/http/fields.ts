import { z } from 'zod';
import { storedUuid, timestamp, uuid } from './schemas.ts';

/* Fields that objects of many domains have, and filters by them. */

const PROGRAM = 'Program that this belongs to; as a filter, only objects of this program';
const AFFILIATE = 'Affiliate: the membership of one person in one program, as returned by `GET /affiliates`';

export const id = storedUuid.describe('Id of this object');
export const createdAt = timestamp.describe('Time of creation');
export const updatedAt = timestamp.describe('Time of the last change');
export const programId = storedUuid.describe(PROGRAM);
export const programFilter = uuid.optional().describe(PROGRAM);
export const affiliateId = storedUuid.describe(AFFILIATE);
export const affiliateFilter = uuid.optional().describe(AFFILIATE);
export const userId = storedUuid.describe('Person behind this object; the same in all programs');
export const merchantId = storedUuid.describe('Merchant that owns this object');
export const programName = z.string().describe('Display name of the program');
export const companyName = z.string().describe('Company name, shown to affiliates');
export const currencyCode = z.string().describe('Currency of the amounts beside it: ISO 4217 code, lower case');
export const email = z.string().describe('Email address');
