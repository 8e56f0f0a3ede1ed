/** Reasons for which a document is not read; stable, lower case with underscores. */
export type SbomErrorReason =
  | 'too_large'
  | 'too_deep'
  | 'too_many'
  | 'too_long'
  | 'bad_gzip'
  | 'bad_base64'
  | 'not_utf8'
  | 'malformed_json'
  | 'duplicate_key'
  | 'lone_surrogate'
  | 'malformed_xml'
  | 'dtd'
  | 'malformed_tag_value'
  | 'not_an_sbom'
  | 'unsupported_format'
  | 'unsupported_version'
  | 'missing_field'
  | 'wrong_type'
  | 'invalid_value'
  | 'duplicate_ref';

/** Position in a document, as far as the reader knows it. */
export interface SbomPosition {
  /** From 1. */
  readonly line?: number;
  /** Path of a field, such as `components[3].hashes[0].alg`. */
  readonly field?: string;
}

const describe = ({ line, field }: SbomPosition): string => {
  const parts = [field, line === undefined ? undefined : `line ${line}`].filter((part) => part !== undefined);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
};

/** Throws where a text has the character NUL, which PostgreSQL does not store. */
export const refuseNul = (text: string, position: () => SbomPosition): void => {
  if (text.includes('\0'))
    throw new SbomError('invalid_value', 'A text has the character NUL, which is not stored', position());
};

/** Document that is not read: a stable reason, and a message with the position. `too_large` is answered with 413. */
export class SbomError extends Error {
  override readonly name = 'SbomError';

  readonly reason: SbomErrorReason;
  readonly position: SbomPosition;

  constructor(reason: SbomErrorReason, message: string, position: SbomPosition = {}) {
    super(`${message}${describe(position)}`);
    this.reason = reason;
    this.position = position;
  }
}
