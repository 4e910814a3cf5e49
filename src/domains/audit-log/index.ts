export { auditLogCsv } from './audit-log.queries.ts';
