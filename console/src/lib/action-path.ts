/** Page of the console that an action path leads to. */
export type ActionTarget =
  | { readonly to: 'deploy'; readonly releaseId: string; readonly environmentId: string | undefined }
  | { readonly to: 'release'; readonly id: string }
  | { readonly to: 'deployment'; readonly id: string }
  | { readonly to: 'digest'; readonly digest: string }
  | { readonly to: 'releases' }
  | { readonly to: 'estate' };

const BASE = '/api/v1/release-orchestrator/';

/** Console page for an action path of REST (spec 2.10); undefined without one. */
export function actionTarget(actionPath: string | null): ActionTarget | undefined {
  if (actionPath === null || !actionPath.startsWith(BASE)) return undefined;
  const { pathname, searchParams } = new URL(actionPath.slice(BASE.length), 'http://console/');
  const [, kind = '', ...rest] = pathname.split('/').map(decodeURIComponent);
  const [first, second, ...others] = rest.filter(Boolean);
  if (others.length > 0) return undefined;
  if (kind === 'estate') return estate(first, second);
  if (kind === 'releases') return release(first, second, searchParams);
  return kind === 'deployments' && first !== undefined && second === undefined
    ? { to: 'deployment', id: first }
    : undefined;
}

function estate(part: string | undefined, digest: string | undefined): ActionTarget | undefined {
  if (part === 'digest' && digest !== undefined) return { to: 'digest', digest };
  return part === 'status' && digest === undefined ? { to: 'estate' } : undefined;
}

function release(id: string | undefined, part: string | undefined, search: URLSearchParams): ActionTarget | undefined {
  if (id === undefined) return { to: 'releases' };
  if (part === undefined) return { to: 'release', id };
  return part === 'deploy-preflight' || part === 'deploy-plan'
    ? { to: 'deploy', releaseId: id, environmentId: search.get('environmentId') ?? undefined }
    : undefined;
}
