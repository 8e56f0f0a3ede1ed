/** Types whose changes may change a chain of custody. */
export const CUSTODY_TYPES = [
  'Attestation',
  'Release',
  'Promotion',
  'Deployment',
  'Target',
  'Deviation',
  'TrustedSigner',
] as const;
