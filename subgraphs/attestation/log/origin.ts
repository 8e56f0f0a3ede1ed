/** Origin of a platform's transparency log: the domain alone, which Go clients compare with the host of its base URL. */
export const logOriginOf = (platformDomain: string): string => platformDomain;
