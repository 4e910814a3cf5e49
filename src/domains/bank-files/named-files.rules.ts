/** What a message of a bank says about one of our files. */
export interface NamedFile {
  /** The bank's code about the whole file; null when it says none. */
  state: string | null;
  /** Payments of it that the message names. */
  payments: number;
}

/** By the id of the file. */
export type NamedFiles = Map<string, NamedFile>;

export const noteNamed = (files: NamedFiles, id: string, { state = null, payments = 0 }: Partial<NamedFile>): void => {
  const known = files.get(id) ?? { state: null, payments: 0 };
  files.set(id, { state: state ?? known.state, payments: known.payments + payments });
};
