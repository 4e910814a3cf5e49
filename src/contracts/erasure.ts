/** Whom an erasure looks for. */
export interface ErasedPerson {
  /** Lower case. */
  address: string;
  /** Keyed hash of the address, as sales store it. */
  digest: string;
  /** Keyed hash of the mailbox, the same for all spellings. */
  mailbox: string;
  /** Customer ids that name the person. */
  ids: readonly string[];
  /** Ids of the memberships; empty once the profile is erased. */
  members: readonly string[];
  /** As the person and merchants entered them; empty once the profile is erased. */
  names: readonly string[];
  /** Who knows the person: those of their memberships and roles; empty as above. */
  merchants: readonly string[];
}

/** A profile that is being erased, as it was found under its lock. */
export interface ErasedProfile {
  profileId: string;
  /** Ids of the memberships. */
  members: readonly string[];
  /** The address and the names. */
  terms: readonly string[];
  /** Also the parts of the names: for notes about the person, who may be called by one of them. */
  words: readonly string[];
}
