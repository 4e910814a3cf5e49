import { defineEntity, p } from '@mikro-orm/core';
import { PASSKEY_REPLACEMENT_STATUSES } from '../../contracts/people.ts';

export const PasskeyReplacementSchema = defineEntity({
  name: 'PasskeyReplacement',
  tableName: 'passkey_replacement',
  properties: {
    id: p.uuid().primary(),
    personId: p.uuid(),
    /** The merchant, or the profile of the person, in whose audit log it is. */
    ownerId: p.uuid(),
    /** Has the form of `actorName`. */
    requestedBy: p.text(),
    status: p.enum(PASSKEY_REPLACEMENT_STATUSES).onCreate(() => 'pending'),
    /** SHA-256 of the token of the link that stops it. */
    tokenHash: p.blob().$type<Buffer>(),
    createdAt: p.datetime(3),
    dueAt: p.datetime(3),
    endedAt: p.datetime(3).nullable(),
  },
});

/** Replaces the passkeys of a person who lost them: when it is due they no longer count, unless somebody stops it. */
export class PasskeyReplacement extends PasskeyReplacementSchema.class {
  /** An owner may do this only for whoever belongs to nobody else; the operator for everybody. */
  isByOwner(): boolean {
    return this.requestedBy.startsWith('person:');
  }

  /** The operator takes over, whom no owner stops. The due time stays: the person was notified of it. */
  takeOver(requestedBy: string): void {
    this.requestedBy = requestedBy;
  }

  stop(at: Date): void {
    Object.assign(this, { status: 'stopped', endedAt: at });
  }

  finish(at: Date): void {
    Object.assign(this, { status: 'done', endedAt: at });
  }
}

PasskeyReplacementSchema.setClass(PasskeyReplacement);
