import { Fault } from '@landfall/kernel/core/fault';
import type { Client } from '../clients/clients.store.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';

/** Resources that tokens are issued for (RFC 8707): the platform, and those registered for a client. */
export interface ResourceIndicators {
  /** Whether a client may ask for tokens for this address. */
  allowsResource(client: Pick<Client, 'resources'>, resource: string): boolean;
  /**
   * Distinct resources of a request.
   * @param held what was granted before, nothing being the platform: a later request names no other (RFC 8707 2.2)
   * @throws Fault invalid_target
   */
  resourcesOf(client: Pick<Client, 'resources'>, asked: readonly string[], held?: readonly string[]): readonly string[];
  /**
   * The `aud` of a token for these.
   * @throws Fault invalid_target when they are so long that nobody would read the token
   */
  audienceOf(resources: readonly string[]): string | readonly string[];
}

const MOST = 20;

/** Characters of all of a token’s resources: a token is read up to 8,192, and says more than whom it is for. */
const LONGEST_AUDIENCE = 2_000;

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/** An absolute URI without a fragment (RFC 8707 2). */
const isResource = (value: string): boolean =>
  value.length <= 2_000 && /^[a-z][a-z\d+.-]*:[!-~]+$/i.test(value) && !value.includes('#') && URL.canParse(value);

export const createResourceIndicators = ({
  audience,
  baseUrl,
}: Pick<AuthoritySettings, 'audience' | 'baseUrl'>): ResourceIndicators => {
  /** Whether a resource is the platform itself, which every client may name. */
  const isPlatform = (resource: string): boolean => withoutSlash(resource) === baseUrl;

  const allowsResource: ResourceIndicators['allowsResource'] = (client, resource) =>
    isResource(resource) && (isPlatform(resource) || client.resources.includes(resource));

  return {
    allowsResource,
    resourcesOf(client, asked, held) {
      const resources = [...new Set(asked)];
      const wasGranted = (resource: string): boolean =>
        held === undefined || held.includes(resource) || (held.length === 0 && isPlatform(resource));
      if (
        resources.length > MOST ||
        !resources.every((resource) => allowsResource(client, resource) && wasGranted(resource))
      )
        throw new Fault('invalid_target', 'A resource is no absolute address without a fragment, or was not granted.');
      return resources.length > 0 ? resources : (held ?? []);
    },
    audienceOf(resources) {
      const [only = audience, ...more] = new Set(
        resources.map((resource) => (isPlatform(resource) ? audience : resource)),
      );
      if (more.reduce((length, resource) => length + resource.length, only.length) > LONGEST_AUDIENCE)
        throw new Fault('invalid_target', 'The resources are too long for one token; ask for fewer at once.');
      return more.length === 0 ? only : [only, ...more];
    },
  };
};
