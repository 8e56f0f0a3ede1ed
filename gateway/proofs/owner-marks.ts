/** Stands in every name that the owner gives, so that it can be looked for in what others are told. */
export const MARK = 'acme-only';

/** A domain that the owner's provider claims and nobody has proven. */
export const CLAIMED_DOMAIN = `${MARK}-claimed.example`;
