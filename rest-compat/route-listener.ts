/** Path of the authority's SCIM service: on {base_url}, for callers with a bearer token. */
const SCIM = '/scim/';

/** Whether a route is on {auth_url}, where the authority knows its clients and browsers itself, and not on {base_url}. */
export const isOnAuthority = ({ module, path }: { readonly module: string; readonly path: string }): boolean =>
  module === 'authority' && !path.startsWith(SCIM);
