import { type Attribute, groupType, type ResourceType, SCHEMAS, type Schema, userType } from './attributes.ts';
import type { Links } from './person-resource.ts';
import type { Resource } from './resource.ts';
import { MAX_RESULTS } from './search.ts';

const uniquenessOf = ({ isUnique, name }: Attribute): string =>
  isUnique ? (name === 'userName' ? 'global' : 'server') : 'none';

const mutabilityOf = ({ isReadOnly, isWriteOnly }: Attribute): string =>
  isReadOnly ? 'readOnly' : isWriteOnly ? 'writeOnly' : 'readWrite';

const described = (attribute: Attribute): Resource => ({
  name: attribute.name,
  type: attribute.type,
  multiValued: attribute.isMulti ?? false,
  description: attribute.description,
  required: attribute.isRequired ?? false,
  ...(attribute.type === 'string' && { caseExact: attribute.caseExact ?? false }),
  ...(attribute.canonical && { canonicalValues: attribute.canonical }),
  ...(attribute.type === 'reference' && { referenceTypes: ['uri'] }),
  mutability: mutabilityOf(attribute),
  returned: attribute.isWriteOnly ? 'never' : 'default',
  ...(attribute.type !== 'complex' && { uniqueness: uniquenessOf(attribute) }),
  ...(attribute.sub && { subAttributes: attribute.sub.map(described) }),
});

const schemaResource = ({ id, name, description, attributes }: Schema, { root }: Links): Resource => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
  id,
  name,
  description,
  attributes: attributes.map(described),
  meta: { resourceType: 'Schema', location: `${root}/Schemas/${id}` },
});

const typeResource = (type: ResourceType, { root }: Links): Resource => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
  id: type.name,
  name: type.name,
  endpoint: type.endpoint,
  description: type.description,
  schema: type.core.id,
  schemaExtensions: type.extensions.map(({ id }) => ({ schema: id, required: false })),
  meta: { resourceType: 'ResourceType', location: `${root}/ResourceTypes/${type.name}` },
});

/** Supported features (RFC 7643 5). */
const configuration = ({ root }: Links): Resource => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_RESULTS },
  changePassword: { supported: true },
  sort: { supported: true },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'OAuth Bearer Token',
      description: 'An access token with the scope authority:scim.',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${root}/ServiceProviderConfig` },
});

/** Discovery documents (RFC 7644 4), the same for every caller. */
export const discovery = (links: Links) => ({
  configuration: configuration(links),
  resourceTypes: [userType, groupType].map((type) => typeResource(type, links)),
  schemas: SCHEMAS.map((schema) => schemaResource(schema, links)),
});
