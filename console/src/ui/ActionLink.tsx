import { type ActionTarget, actionTarget } from '../lib/action-path.ts';
import { t } from '../lib/i18n.ts';
import { hasScope } from '../lib/session.ts';
import type { Size, Weight } from './Button.tsx';
import { LinkButton } from './Link.tsx';

/** Scopes of which one lets the reader act, or at least look, where a way leads. */
const SCOPES: Readonly<Record<ActionTarget['to'], readonly string[]>> = {
  deploy: ['orch:operate'],
  release: ['orch:read', 'release:read'],
  releases: ['orch:read', 'release:read'],
  deployment: ['orch:read'],
  estate: ['orch:read'],
  digest: ['orch:read'],
};

type Looks = { readonly size?: Size; readonly weight?: Weight };

/**
 * The action of an anatomy as something to press: there only where its path leads to a page of the console, where that
 * is another page than this one, and where the reader may act there.
 */
export function ActionLink({
  path,
  here,
  ...looks
}: Looks & {
  readonly path: string | null;
  /** What the page around shows. */
  readonly here: ActionTarget['to'];
}) {
  const way = actionTarget(path);
  if (way === undefined || way.to === here || !SCOPES[way.to].some(hasScope)) return null;
  return <To way={way} looks={looks} />;
}

function To({ way, looks }: { readonly way: ActionTarget; readonly looks: Looks }) {
  const words = t(`action.${way.to}`);
  switch (way.to) {
    case 'deploy':
      return (
        <LinkButton
          {...looks}
          to="/releases/$id/deploy"
          params={{ id: way.releaseId }}
          search={way.environmentId === undefined ? {} : { env: way.environmentId }}
        >
          {words}
        </LinkButton>
      );
    case 'release':
      return (
        <LinkButton {...looks} to="/releases/$id" params={{ id: way.id }}>
          {words}
        </LinkButton>
      );
    case 'releases':
      return (
        <LinkButton {...looks} to="/releases">
          {words}
        </LinkButton>
      );
    case 'deployment':
      return (
        <LinkButton {...looks} to="/deployments/$id" params={{ id: way.id }}>
          {words}
        </LinkButton>
      );
    case 'estate':
      return (
        <LinkButton {...looks} to="/estate">
          {words}
        </LinkButton>
      );
    case 'digest':
      return (
        <LinkButton {...looks} to="/estate/$digest" params={{ digest: way.digest }}>
          {words}
        </LinkButton>
      );
  }
}
