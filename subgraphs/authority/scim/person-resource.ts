import { isJsonObject } from '@landfall/kernel/core/json';
import { freeText, parser } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import type { GroupView } from '../groups/groups.ts';
import { passwordProblem } from '../users/password-policy.ts';
import { email, username } from '../users/users.ts';
import { userType } from './attributes.ts';
import { etagOf } from './entity-tag.ts';
import type { Profile, ScimAttributes, ScimPerson } from './people.store.ts';
import { type Resource, searchOf } from './resource.ts';
import { scimFault } from './scim-fault.ts';

export interface PersonData {
  readonly profile: Omit<Profile, 'passwordHash'>;
  readonly kept: ScimAttributes;
  /** Undefined: unspecified. */
  readonly active: boolean | undefined;
}

export interface Links {
  /** `{base_url}/scim/v2`. */
  readonly root: string;
}

const readProfile = parser(
  Type.Object({
    userName: username,
    displayName: freeText(200),
    email: Type.Optional(email),
  }),
);

/** Size limit of the attributes stored for the directory, as JSON. */
const MAX_ATTRIBUTES_BYTES = 64_000;

const asText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const listOf = (value: unknown): readonly Resource[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

/** Display name, derived from the other names where it is missing. */
const shownName = ({ displayName, name, userName }: Resource): string | undefined => {
  const parts = isJsonObject(name) ? name : {};
  const joined = [asText(parts.givenName), asText(parts.familyName)].filter(Boolean).join(' ');
  return asText(displayName) ?? (asText(parts.formatted) ?? asText(joined) ?? asText(userName))?.slice(0, 200);
};

const primaryEmail = ({ emails }: Resource): string | undefined => {
  const values = listOf(emails);
  return asText((values.find(({ primary }) => primary === true) ?? values[0])?.value);
};

/** Splits a resource into the product's fields and the attributes kept for the directory; throws Fault VAL_*. */
export const readPerson = (resource: Resource): PersonData => {
  const {
    userName,
    displayName: _shown,
    active,
    password: _secret,
    externalId,
    id: _id,
    meta: _meta,
    ...rest
  } = resource;
  const { groups: _groups, schemas: _schemas, ...attributes } = rest;
  const name = asText(userName)?.trim().toLowerCase();
  const email = primaryEmail(resource);
  if (JSON.stringify(attributes).length > MAX_ATTRIBUTES_BYTES)
    throw scimFault('invalidValue', 'The resource says too much.');
  const profile = readProfile({ userName: name, displayName: shownName(resource), ...(email && { email }) });
  return {
    profile: { username: profile.userName, displayName: profile.displayName, email: profile.email ?? null },
    kept: { externalId: asText(externalId) ?? null, attributes, search: searchOf(userType, attributes) },
    active: typeof active === 'boolean' ? active : undefined,
  };
};

/** E-mails with the product's own as the primary one. */
const emailsOf = ({ email, attributes }: ScimPerson): readonly Resource[] => {
  const emails = listOf(attributes?.emails);
  const isUnchanged = emails.some(({ value }) => asText(value)?.toLowerCase() === email?.toLowerCase());
  if (email === null || isUnchanged) return emails;
  return [{ value: email, type: 'work', primary: true }, ...emails.filter(({ primary }) => primary !== true)];
};

const schemasOf = (attributes: Resource): readonly string[] => [
  userType.core.id,
  ...userType.extensions.map(({ id }) => id).filter((id) => id in attributes),
];

/** Resource of a person (RFC 7643 4.1). */
export const personResource = (person: ScimPerson, groups: readonly GroupView[], { root }: Links): Resource => {
  const { emails: _emails, ...attributes } = person.attributes ?? {};
  const emails = emailsOf(person);
  return {
    schemas: schemasOf(attributes),
    id: person.id,
    ...(person.externalId !== null && { externalId: person.externalId }),
    userName: person.username,
    displayName: person.displayName,
    ...attributes,
    ...(emails.length > 0 && { emails }),
    active: person.active,
    ...(groups.length > 0 && {
      groups: groups.map(({ id, displayName }) => ({
        value: id,
        $ref: `${root}/Groups/${id}`,
        display: displayName,
        type: 'direct',
      })),
    }),
    meta: {
      resourceType: 'User',
      created: person.createdAt.toISOString(),
      lastModified: person.updatedAt.toISOString(),
      location: `${root}/Users/${person.id}`,
      version: etagOf(person.version),
    },
  };
};

/** Reads a new password and checks it against the policy. @throws Fault with scimType invalidValue */
export const readPassword = (password: unknown, username: string): string => {
  const fault = typeof password === 'string' ? passwordProblem(password, username) : 'A password is a text.';
  if (typeof password !== 'string' || fault !== undefined) throw scimFault('invalidValue', `password: ${fault}`);
  return password;
};
