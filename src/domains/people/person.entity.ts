import { defineEntity, p } from '@mikro-orm/core';
import { ROLES, type Role } from '../../contracts/people.ts';

/** Whoever signs in: an email address. */
export const PersonSchema = defineEntity({
  name: 'Person',
  tableName: 'person',
  properties: {
    id: p.uuid().primary(),
    /** Lower case. */
    email: p.text(),
    name: p.text(),
    locale: p.text().nullable(),
    timezone: p.text().nullable(),
    createdAt: p.datetime(3),
  },
});

export class Person extends PersonSchema.class {}

PersonSchema.setClass(Person);

/** What a person is at a merchant, until they are removed. */
export const PersonRoleSchema = defineEntity({
  name: 'PersonRole',
  tableName: 'person_role',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    personId: p.uuid(),
    role: p.enum(ROLES),
    /** Since when the person has had this role. */
    roleSince: p.datetime(3),
    /** Who gave it to them, as `actorName` names them. Null: not known. */
    grantedBy: p.text().nullable(),
    /** Until then, nothing that they approve counts, unless a second actor confirmed them. Null: at once. */
    approvesFrom: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    removedAt: p.datetime(3).nullable(),
  },
});

export class PersonRole extends PersonRoleSchema.class {
  changeTo(role: Role, { by, at, approvesFrom }: { by: string; at: Date; approvesFrom: Date | null }): void {
    if (role !== this.role) Object.assign(this, { role, roleSince: at, grantedBy: by, approvesFrom });
  }

  /** Whether somebody has to confirm that they may approve. */
  isUnconfirmed(at: Date): boolean {
    return Boolean(this.approvesFrom && this.approvesFrom > at);
  }

  confirm(): void {
    this.approvesFrom = null;
  }

  remove(at: Date): void {
    this.removedAt ??= at;
  }
}

PersonRoleSchema.setClass(PersonRole);

export const PersonInviteSchema = defineEntity({
  name: 'PersonInvite',
  tableName: 'person_invite',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    /** Lower case. */
    email: p.text(),
    role: p.enum(ROLES),
    /** SHA-256 of the token. */
    tokenHash: p.blob().$type<Buffer>(),
    /** As `actorName` names it. */
    invitedBy: p.text(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    /** Accepted, revoked or replaced. */
    endedAt: p.datetime(3).nullable(),
  },
});

export class PersonInvite extends PersonInviteSchema.class {
  isOpen(at: Date): boolean {
    return !this.endedAt && this.expiresAt > at;
  }

  end(at: Date): void {
    this.endedAt ??= at;
  }
}

PersonInviteSchema.setClass(PersonInvite);
