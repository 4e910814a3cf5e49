import { defineEntity, p } from '@mikro-orm/core';
import { SOURCES } from '../../contracts/affiliates.ts';
import { APPLICATION_STATUSES, type ApplicationStatus, canDecide, canLift, type RiskNote } from '../../contracts/applications.ts';
import type { AcceptedTerms, ApplicationAnswer } from '../../contracts/joining.ts';
import { conflict } from '../../platform/errors.ts';

export const ApplicationSchema = defineEntity({
  name: 'Application',
  tableName: 'application',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    programId: p.uuid(),
    profileId: p.uuid(),
    /** The membership that an approval creates. */
    affiliateId: p.uuid(),
    status: p.enum(APPLICATION_STATUSES),
    source: p.enum(SOURCES),
    message: p.text().nullable(),
    /** Answers to the program's fields, as they were asked. */
    answers: p.json().$type<ApplicationAnswer[]>().nullable(),
    /** The merchant's, or why nobody decided; the applicant does not see it. */
    note: p.text().nullable(),
    inviteId: p.uuid().nullable(),
    /** Reserved for the affiliate; null: the code will be random. */
    requestedCode: p.text().nullable(),
    /** Null: the person did not join on a page. */
    acceptedTerms: p.json().$type<AcceptedTerms>().nullable(),
    riskNotes: p.array().columnType('text[]').$type<RiskNote[]>(),
    /** Name and email as searches compare them, one per line. */
    searchText: p.text().default(''),
    /** Reminders whose time came. */
    reminders: p.integer().default(0),
    cancellationIgnoredAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    /** When it is declined if it is still pending. */
    dueAt: p.datetime(3),
    decidedAt: p.datetime(3).nullable(),
    /** Id of the key that decided; null when a rule or the deadline did. */
    decidedBy: p.uuid().nullable(),
    updatedAt: p.datetime(3),
    /** Set by a trigger. */
    version: p.integer().default(1),
  },
});

export interface ApplicationDecision {
  status: Exclude<ApplicationStatus, 'pending'>;
  note?: string | null | undefined;
  /** Id of the key that decides; null for a rule or the deadline. */
  by: string | null;
  /** The merchant adds the person in spite of a block. */
  lifts?: boolean;
}

/** What comes with an application when people join by an act of their own. */
export interface OwnAct {
  inviteId?: string | undefined;
  /** Set when a person accepted them on a page. */
  acceptedTerms?: AcceptedTerms | undefined;
  answers?: ApplicationAnswer[] | undefined;
}

/** A person's request to become an affiliate of a program. */
export class Application extends ApplicationSchema.class {
  /** Throws ALREADY_DECIDED when the state machine does not allow it. */
  decide({ status, note, by, lifts = false }: ApplicationDecision, at: Date): void {
    if (!canDecide(this.status, status) && !(lifts && canLift(this.status, status))) {
      throw conflict('ALREADY_DECIDED', `The application is already ${this.status}`, { status: this.status });
    }
    this.status = status;
    this.note = note ?? this.note ?? null;
    this.decidedAt = at;
    this.decidedBy = by;
    this.updatedAt = at;
  }

  /** A person whom the merchant added joins by an act of their own. Claiming an invite again finds the application by it. */
  joinAsAdded({ inviteId, acceptedTerms, answers }: OwnAct): void {
    this.inviteId = inviteId ?? this.inviteId ?? null;
    this.answers = answers ?? this.answers ?? null;
    this.acceptedTerms = acceptedTerms ?? this.acceptedTerms ?? null;
  }

  /** False when this reminder, or a later one, was sent already, and when nothing is waited for. */
  remind(reminder: number, at: Date): boolean {
    if (this.status !== 'pending' || this.reminders >= reminder) return false;
    this.reminders = reminder;
    this.updatedAt = at;
    return true;
  }

  noteCancellation(at: Date): void {
    this.cancellationIgnoredAt = at;
    this.updatedAt = at;
  }
}

ApplicationSchema.setClass(Application);
