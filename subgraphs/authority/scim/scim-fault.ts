import { Fault } from '@landfall/kernel/core/fault';

/** The words of RFC 7644 3.12. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

/** A request that SCIM has a word for. */
export const scimFault = (scimType: ScimType, message: string): Fault =>
  new Fault('VAL_INVALID_VALUE', message, { scimType });
