import { z } from 'zod';
import { line } from '../../platform/http/schemas.ts';

const companyName = line(100).describe('Name of the company');

export const signUpSchema = z
  .object({ isOpen: z.literal(true).describe('Companies may open accounts themselves') })
  .meta({ id: 'SignUp' });

export const startSignUpBody = z.strictObject({
  companyName,
  name: line(100).describe('Name of the person, kept if the address has one already'),
  email: z.email().max(254).describe('Where the link is sent'),
});
export const createCompanyBody = z.strictObject({ companyName });
