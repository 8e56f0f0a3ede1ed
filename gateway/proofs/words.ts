/** Stands in every name that the owner gives, so that it can be looked for in what others are told. */
export const MARK = 'acme-only';
