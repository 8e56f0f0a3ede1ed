import { type ActionTarget, actionTarget } from '../lib/action-path.ts';
import { t } from '../lib/i18n.ts';
import { hasScope } from '../lib/session.ts';
import type { Size, Weight } from './Button.tsx';
import { PathLink } from './Link.tsx';

/** Scopes that allow the user to act on, or at least to read, the page of an action. */
const SCOPES: Readonly<Record<ActionTarget['to'], readonly string[]>> = {
  deploy: ['orch:operate'],
  release: ['orch:read', 'release:read'],
  releases: ['orch:read', 'release:read'],
  deployment: ['orch:read'],
  estate: ['orch:read'],
  digest: ['orch:read'],
};

type ActionLinkProps = {
  readonly size?: Size;
  readonly weight?: Weight;
  readonly path: string | null;
  /** Page that shows the link. */
  readonly here: ActionTarget['to'];
};

/** Action of a failure as a link; nothing if it leads to this page or out of the console, or the user may not act. */
export function ActionLink({ path, here: cellStates, ...looks }: ActionLinkProps) {
  const target = actionTarget(path);
  if (target === undefined || target.to === cellStates || !SCOPES[target.to].some(hasScope)) return null;
  return (
    <PathLink look="button" path={pathOf(target)} {...looks}>
      {t(`action.${target.to}`)}
    </PathLink>
  );
}

function pathOf(target: ActionTarget): string {
  switch (target.to) {
    case 'deploy': {
      const search = target.environmentId === undefined ? '' : `?env=${target.environmentId}`;
      return `/releases/${target.releaseId}/deploy${search}`;
    }
    case 'release':
      return `/releases/${target.id}`;
    case 'deployment':
      return `/deployments/${target.id}`;
    case 'digest':
      return `/estate/${encodeURIComponent(target.digest)}`;
    default:
      return `/${target.to}`;
  }
}
