import { Fault } from '@landfall/kernel/core/fault';

/** Error types of RFC 7644 3.12. */
type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

export const scimFault = (scimType: ScimType, message: string): Fault =>
  new Fault('VAL_INVALID_VALUE', message, { scimType });
