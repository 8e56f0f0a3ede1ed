import { Fault } from '@landfall/kernel/core/fault';
import type { Client } from '../clients/clients.ts';
import { isResource } from '../clients/redirect-uris.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';

const MAX = 20;
const MAX_LENGTH = 2_000;

/** Upper bound of the characters of a token’s resources: a token has at most 8,192 in all. */
const MAX_AUDIENCE_LENGTH = 2_000;

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/** Resources that tokens are issued for (RFC 8707): the platform, and those registered for a client. */
export const createResourceIndicators = ({ audience, baseUrl }: Pick<AuthoritySettings, 'audience' | 'baseUrl'>) => {
  /** Whether a resource is the platform itself, which every client may name. */
  const isPlatform = (resource: string): boolean => withoutSlash(resource) === baseUrl;

  /** Whether a client may ask for tokens for this address. */
  const allowsResource = (client: Pick<Client, 'resources'>, resource: string): boolean =>
    resource.length <= MAX_LENGTH &&
    isResource(resource) &&
    (isPlatform(resource) || client.resources.includes(resource));

  return {
    allowsResource,
    /**
     * Distinct resources of a request.
     * @param granted resources of the grant, nothing being the platform: a later request names no other (RFC 8707 2.2)
     * @throws Fault invalid_target
     */
    resourcesOf(
      client: Pick<Client, 'resources'>,
      requestedResources: readonly string[],
      granted?: readonly string[],
    ): readonly string[] {
      const resources = [...new Set(requestedResources)];
      const wasGranted = (resource: string): boolean =>
        granted === undefined || granted.includes(resource) || (granted.length === 0 && isPlatform(resource));
      if (
        resources.length > MAX ||
        !resources.every((resource) => allowsResource(client, resource) && wasGranted(resource))
      )
        throw new Fault(
          'invalid_target',
          'A resource is not an absolute address without a fragment, or was not granted.',
        );
      return resources.length > 0 ? resources : (granted ?? []);
    },
    /** `aud` of a token for these. @throws Fault invalid_target when it is too long */
    audienceOf(resources: readonly string[]): string | readonly string[] {
      const [only = audience, ...rest] = new Set(
        resources.map((resource) => (isPlatform(resource) ? audience : resource)),
      );
      if (rest.reduce((length, resource) => length + resource.length, only.length) > MAX_AUDIENCE_LENGTH)
        throw new Fault('invalid_target', 'The resources are too long for one token; ask for fewer at once.');
      return rest.length === 0 ? only : [only, ...rest];
    },
  };
};

export type ResourceIndicators = ReturnType<typeof createResourceIndicators>;
