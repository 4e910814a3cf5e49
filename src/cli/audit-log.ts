import { Option } from 'commander';
import { AUDIT_ACTIONS, type AuditAction, INSTALLATION } from '../contracts/audit-log.ts';
import { listEntriesOf } from '../domains/audit-log/index.ts';
import type { AddCommands } from './command.ts';
import { operatorContext } from './operator.ts';
import { rowLimit, timestamp, usage, uuid } from './options.ts';

interface AuditLogOptions {
  merchant?: string;
  affiliate?: string;
  installation?: true;
  action?: AuditAction;
  resource?: string;
  since?: Date;
  limit: number;
}

const DEFAULT_LIMIT = 100;

const ownerOf = ({ merchant, affiliate, installation }: AuditLogOptions): string => {
  const [owner, ...others] = [merchant, affiliate, installation && INSTALLATION].filter((given) => given !== undefined);
  if (owner === undefined || others.length > 0) throw usage('pass one of --merchant, --affiliate and --installation');
  return owner;
};

export const addAuditLogCommand: AddCommands = (program, add) => {
  add<AuditLogOptions>(program, {
    name: 'audit-log',
    summary: 'List what was changed of a merchant, a person or the installation, and by whom, newest first',
    async run(runtime, options) {
      const { action, resource, since, limit } = options;
      const filter = { action, resourceId: resource, startDate: since?.toISOString(), limit };
      return listEntriesOf(operatorContext(runtime), ownerOf(options), filter);
    },
  })
    .option('--merchant <id>', 'Merchant ID', uuid)
    .option('--affiliate <profile id>', 'Affiliate profile ID', uuid)
    .option('--installation', 'What operators did to the whole installation')
    .addOption(new Option('--action <action>', 'Only this action').choices([...AUDIT_ACTIONS]))
    .option('--resource <id>', 'Only changes of this object', uuid)
    .option('--since <time>', 'Only what was done since then, ISO 8601', timestamp)
    .option('--limit <rows>', 'Entries to list', rowLimit, DEFAULT_LIMIT);
};
