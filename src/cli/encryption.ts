import { ENCRYPTED_COLUMNS } from '../encrypted-columns.ts';
import { type ColumnReport, reencryptColumn } from '../platform/crypto/reencrypt.ts';
import type { AddCommands } from './command.ts';
import { operatorContext } from './operator.ts';

export const addEncryptionCommands: AddCommands = (program, add) => {
  add(program, {
    name: 'reencrypt',
    summary: 'Encrypt all stored values under the first of ENCRYPTION_KEYS, while everything runs; exit code 1 if some are left',
    async run(runtime) {
      const columns: ColumnReport[] = [];
      for (const column of ENCRYPTED_COLUMNS) columns.push(await reencryptColumn(operatorContext(runtime), column));
      const ok = columns.every(({ left, unreadable }) => left === 0 && unreadable.length === 0);
      return { ok, key: runtime.config.ENCRYPTION_KEYS[0]?.id, columns };
    },
  });
};
