import { shortId } from '../../lib/artifact-about.ts';

/** Site with the name that people know it by. */
export type NamedSite = { readonly siteId: string; readonly name: string };

/** Name of a site; one that is not known any more by the ends of its id. */
export const siteName = (siteId: string, sites: readonly NamedSite[]): string =>
  sites.find((site) => site.siteId === siteId)?.name ?? shortId(siteId);
