import { toClaimResult, toJoinResult } from './joining.wire.ts';

const programId = '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604';
const joined = { applicationId: '0198f1c2-9a41-7c52-b1e8-3f90d2a7c415', affiliateId: '0198f1c2-9c20-7e13-a4d5-66b0c3f8d927' };
const message = 'I write about gardening for 40,000 readers a month.';

export const joinResultExample = {
  data: toJoinResult({ ...joined, status: 'pending', riskNotes: [] }, { programId, message }),
  body: { message },
};

export const claimResultExample = { data: toClaimResult({ ...joined, status: 'auto_approved' }, programId) };
