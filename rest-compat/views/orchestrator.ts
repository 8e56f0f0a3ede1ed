import type { Orchestrator } from '@landfall/orchestrator';
import * as schemas from './orchestrator.schemas.ts';
import { projection } from './projection.ts';

type Release = Awaited<ReturnType<Orchestrator['releases']['get']>>;
type Deployment = Awaited<ReturnType<Orchestrator['deployments']['get']>>;
type EstateStatus = Awaited<ReturnType<Orchestrator['estate']['status']>>;
type Drift = Awaited<ReturnType<Orchestrator['estate']['drift']>>;
type DigestLocations = Awaited<ReturnType<Orchestrator['estate']['digest']>>;

/** `in_progress` as `InProgress` (rulings 30 and 57). */
const wireName = (name: string): string => name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

const projectDeployment = projection(schemas.deployment);
const projectRelease = projection(schemas.release);
const projectDrift = projection(schemas.estateDrift);
const projectDigest = projection(schemas.estateDigest);

/** The deployment DTO of spec 4.9. `deploymentAttestationRef` is absent while nothing is attested (rulings 29). */
export const deploymentView = (deployment: Deployment) =>
  projectDeployment({
    ...deployment,
    status: wireName(deployment.state),
    failureReason: deployment.anatomy?.plainReason ?? null,
    failureAnatomy: deployment.anatomy,
    landingVerification: deployment.landing,
    ...(deployment.attestationRef !== null && { deploymentAttestationRef: deployment.attestationRef }),
    phases: deployment.phases.map((phase) => ({ ...phase, status: wireName(phase.status) })),
    targets: deployment.targets.map((target) => ({
      ...target,
      status: wireName(target.state),
      error: target.anatomy?.plainReason ?? null,
      failureAnatomy: target.anatomy,
    })),
  });

export const releaseView = (release: Release) =>
  projectRelease({
    ...release,
    evidenceRefs: release.evidence.map(({ type, digest }) => ({ type, sha256: digest })),
  });

/** PreflightReport of spec 2.10. */
export const preflightView = projection(schemas.preflightReport);

/** Strategy plan preview of spec 2.10. */
export const planView = projection(schemas.strategyPlan);

/** Estate status of spec 2.10. */
export const estateStatusView = (status: EstateStatus) => ({
  deployedComponents: status.deployedComponents,
  drift: {
    total: status.total,
    drift: status.drift,
    inSync: status.inSync,
    unobserved: status.unobserved,
    observingAgents: status.observingAgents,
  },
  deviations: { count: status.deviations },
});

/** `in_sync` as `inSync` (spec 3). */
const withWireState = <T extends { readonly state: string }>(component: T) => ({
  ...component,
  state: component.state === 'in_sync' ? 'inSync' : component.state,
});

export const driftView = ({ items, nextCursor }: Pick<Drift, 'items' | 'nextCursor'>) =>
  projectDrift({ items: items.map(withWireState), nextCursor });

export const digestView = (found: DigestLocations) =>
  projectDigest({ ...found, locations: found.locations.map(withWireState) });
