export { auditLogCsv, listEntriesOf } from './audit-log.queries.ts';
