/** Things whose changes may change a chain of custody, or add a statement to it. */
export const CUSTODY_TYPES = [
  'Attestation',
  'Release',
  'Promotion',
  'Deployment',
  'Target',
  'Deviation',
  'TrustedSigner',
] as const;
