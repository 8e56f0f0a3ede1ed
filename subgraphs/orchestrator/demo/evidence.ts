import type { GraphSession } from '@landfall/kernel/demo/chapter';
import { runAction, until } from '@landfall/kernel/demo/graph-action';
import Type from 'typebox';
import { BUILDER_ID, type Builder, type Submit } from './builder.ts';
import type { Built, DemoRegistry } from './images.ts';
import { repositories } from './images.ts';

export interface Evidence {
  readonly registry: DemoRegistry;
  readonly builder: Builder;
  readonly submit: Submit;
  /** Reads the trust document that the server publishes for verifiers of its log. */
  readonly trustedRoot: () => Promise<string>;
}

const Id = Type.Object({ id: Type.String() });
const Signers = Type.Object({ trustedSigners: Type.Array(Type.Object({ name: Type.String() })) });

/** Name of the builder's key among the trusted signers. */
const SIGNER = 'Shop builder';

/** Checks whether the builder signed an image; the broken version and the site have no provenance. */
const isStated = ({ repository, version }: Built): boolean =>
  repository !== repositories.site && !(repository === repositories.api && version === '1.1.0');

/** Publishes the provenance of the demo's images and registers the builder's key as a trusted signer. */
export const trustDemoBuilder = async (
  admin: GraphSession,
  { registry, builder, submit, trustedRoot }: Evidence,
): Promise<void> => {
  for (const built of registry.images.filter(isStated)) await builder.state(built, submit);
  // A start that was interrupted has registered it, perhaps with a trust document that has changed since.
  const { trustedSigners } = await admin.ask('{ trustedSigners { name } }', {}, Signers);
  if (trustedSigners.some(({ name }) => name === SIGNER)) return;
  const input = {
    name: SIGNER,
    kind: 'KEY',
    purposes: ['IMAGE', 'SOURCE', 'BUILD'],
    publicKey: builder.publicKey,
    trustedRoot: await trustedRoot(),
    builderId: BUILDER_ID,
  };
  await runAction(admin, { mutation: 'createTrustedSigner', key: 'builder', input }, Id);
};

const Landing = Type.Object({
  deployment: Type.Object({ attestation: Type.Union([Type.Null(), Type.Object({ ref: Type.String() })]) }),
});

/** Waits for the signed statement of a landing and returns its reference. */
const attested = (session: GraphSession, id: string): Promise<string> =>
  until(`the statement of ${id}`, async () => {
    const document = 'query ($id: ID!) { deployment(id: $id) { attestation { ref } } }';
    return (await session.ask(document, { id }, Landing)).deployment.attestation?.ref;
  });

const Verified = Type.Object({ verified: Type.Boolean() });

/** Verifies the statement of a landing against the log and returns its reference; throws an Error when it fails. */
export const prove = async (session: GraphSession, deploymentId: string): Promise<string> => {
  const ref = await attested(session, deploymentId);
  const action = { mutation: 'proveDeployment', key: deploymentId, input: { deploymentId } };
  const { verified } = await runAction(session, action, Verified);
  if (!verified) throw new Error(`The statement of ${deploymentId} is not proven.`);
  return ref;
};

const Chain = Type.Object({
  custody: Type.Object({ steps: Type.Array(Type.Object({ step: Type.String(), state: Type.String() })) }),
});

/** Waits until no link of a release's custody chain named here is missing. */
export const awaitLinks = async (
  session: GraphSession,
  releaseId: string,
  ...links: readonly string[]
): Promise<void> => {
  await until(`the links ${links}`, async () => {
    const document = 'query ($id: ID!) { custody(releaseId: $id) { steps { step state } } }';
    const { custody } = await session.ask(document, { id: releaseId }, Chain);
    const missing = custody.steps.filter(({ step, state }) => links.includes(step) && state === 'MISSING');
    return missing.length === 0 ? true : undefined;
  });
};
