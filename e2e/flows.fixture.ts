import Type from 'typebox';
import { Parse } from 'typebox/value';
import { clientOf } from './clients.ts';
import type { Credentials } from './product.ts';

/** The repository of a component of the demo's first release, which is the same for all of its releases. */
export const repositoryOf = async (credentials: Credentials, component: string): Promise<string> => {
  const operator = await clientOf(credentials, 'operator');
  const { body } = await operator.get(`/api/v1/release-orchestrator/releases/${credentials.ids.releaseId}`);
  const { components } = Parse(
    Type.Object({ components: Type.Array(Type.Object({ name: Type.String(), repository: Type.String() })) }),
    body,
  );
  return components.find(({ name }) => name === component)?.repository ?? '';
};

/** Id of the deployment whose page is at this address. */
export const deploymentId = (url: string): string => /\/deployments\/([0-9a-f-]{36})/.exec(url)?.[1] ?? '';
