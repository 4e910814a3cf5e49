import { defineEntity, p } from '@mikro-orm/core';

export const LinkSchema = defineEntity({
  name: 'Link',
  tableName: 'link',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    programId: p.uuid(),
    affiliateId: p.uuid(),
    name: p.text(),
    /** A referral code of the affiliate, lower case. */
    code: p.text(),
    /** Null to lead to the program's default page. Settings of the program may have forbidden it since. */
    targetUrl: p.text().nullable(),
    isActive: p.boolean().onCreate(() => true),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    deletedAt: p.datetime(3).nullable(),
  },
});

/** What an affiliate may change; undefined leaves a field unchanged. */
export interface LinkChanges {
  name?: string | undefined;
  targetUrl?: string | null | undefined;
  isActive?: boolean | undefined;
}

/** A tracking link of an affiliate, with a code of its own. */
export class Link extends LinkSchema.class {
  /** `updatedAt` changes only when another value does. */
  change(changes: LinkChanges, at: Date): void {
    const names = Object.keys(changes) as (keyof LinkChanges)[];
    const changed = names.filter((name) => changes[name] !== undefined && changes[name] !== this[name]);
    if (changed.length === 0) return;
    Object.assign(this, Object.fromEntries(changed.map((name) => [name, changes[name]])), { updatedAt: at });
  }

  /** The affiliate's own code changed, which it has. */
  followCode(code: string, at: Date): void {
    this.code = code;
    this.updatedAt = at;
  }

  delete(at: Date): void {
    this.isActive = false;
    this.deletedAt = at;
    this.updatedAt = at;
  }
}

LinkSchema.setClass(Link);
