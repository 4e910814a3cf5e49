export {
  type Acknowledged,
  type Finding,
  INVARIANTS,
  type ProviderTransfer,
  type ReceivedWebhook,
  type Repeats,
  type TransferSource,
} from './audit.ts';
export { type AuditReport, runAudit } from './run-audit.ts';
export { type CheckResult, runDoctor } from './run-doctor.ts';
export { sandboxTransfers } from './transfers.ts';
