import type { ReactNode } from 'react';
import { Link } from './Link.tsx';

type Named = { readonly id: string; readonly name: string };
type Release = Named & { readonly semver: string };

/** Release as people call it: `shop 1.2.0`. */
export const releaseName = ({ name, semver }: Omit<Release, 'id'>): string => `${name} ${semver}`;

export const ReleaseLink = ({ release }: { readonly release: Release }) => (
  <Link look="name" to="/releases/$id" params={{ id: release.id }}>
    {releaseName(release)}
  </Link>
);

type DeploymentLinkProps = {
  readonly deployment: { readonly id: string; readonly release: Omit<Release, 'id'> };
};

/** Link to a deployment under the name of the release that it deploys. */
export const DeploymentLink = ({ deployment: { id, release } }: DeploymentLinkProps) => (
  <Link look="name" to="/deployments/$id" params={{ id }}>
    {releaseName(release)}
  </Link>
);

type DeploymentPageLinkProps = { readonly id: string; readonly children: ReactNode };

/** Link to a deployment inside a sentence. */
export const DeploymentPageLink = ({ id, children }: DeploymentPageLinkProps) => (
  <Link to="/deployments/$id" params={{ id }}>
    {children}
  </Link>
);

/** Link to an environment, with the panel of one of its targets open where `target` names one. */
export const EnvironmentLink = ({ environment: { id, name } }: { readonly environment: Named }) => (
  <Link look="name" to="/environments/$id" params={{ id }}>
    {name}
  </Link>
);

export const TargetLink = ({ target, environmentId }: { readonly target: Named; readonly environmentId: string }) => (
  <Link look="name" to="/environments/$id" params={{ id: environmentId }} search={{ target: target.id }}>
    {target.name}
  </Link>
);

export const AgentLink = ({ agent: { id, name } }: { readonly agent: Named }) => (
  <Link look="name" to="/agents/$id" params={{ id }}>
    {name}
  </Link>
);

export const PersonLink = ({ person }: { readonly person: { readonly id: string; readonly displayName: string } }) => (
  <Link look="name" to="/access/people/$id" params={{ id: person.id }}>
    {person.displayName}
  </Link>
);
