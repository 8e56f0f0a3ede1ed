/** Attribute types of RFC 7643 2.3 in use. */
type AttributeType = 'string' | 'boolean' | 'dateTime' | 'reference' | 'complex';

/** Attribute of RFC 7643 7; common defaults are omitted. */
export interface Attribute {
  readonly name: string;
  readonly type: AttributeType;
  readonly description: string;
  readonly isMulti?: true;
  readonly isRequired?: true;
  readonly caseExact?: true;
  readonly isReadOnly?: true;
  /** Excluded from answers and filters. */
  readonly isWriteOnly?: true;
  readonly isUnique?: true;
  readonly canonical?: readonly string[];
  readonly sub?: readonly Attribute[];
}

/** Schema of RFC 7643. */
export interface Schema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

/** Resource type (RFC 7643 6). */
export interface ResourceType {
  readonly name: 'User' | 'Group';
  readonly endpoint: '/Users' | '/Groups';
  readonly description: string;
  readonly core: Schema;
  readonly extensions: readonly Schema[];
}

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const text = (name: string, description: string, overrides: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  description,
  ...overrides,
});

const complex = (name: string, description: string, sub: readonly Attribute[], overrides: Partial<Attribute> = {}) => ({
  name,
  type: 'complex' as const,
  description,
  sub,
  ...overrides,
});

const primary: Attribute = { name: 'primary', type: 'boolean', description: 'The one that is preferred.' };

/** Multi-valued attribute with type and label (RFC 7643 2.4). */
const plural = (name: string, description: string, canonical: readonly string[] = []): Attribute =>
  complex(
    name,
    description,
    [
      text('value', 'The value itself.'),
      text('display', 'What people are shown.'),
      text('type', 'What it is for.', canonical.length > 0 ? { canonical } : {}),
      primary,
    ],
    { isMulti: true },
  );

/** Attributes common to all resources (RFC 7643 3.1). */
export const COMMON: readonly Attribute[] = [
  text('schemas', 'What describes the resource.', { isMulti: true, isRequired: true, caseExact: true }),
  text('id', 'The service’s own id.', { isReadOnly: true, caseExact: true, isUnique: true }),
  text('externalId', 'The directory’s id.', { caseExact: true }),
  complex(
    'meta',
    'About the resource.',
    [
      text('resourceType', 'The kind.', { isReadOnly: true, caseExact: true }),
      { name: 'created', type: 'dateTime', description: 'When it was made.', isReadOnly: true },
      { name: 'lastModified', type: 'dateTime', description: 'When it changed last.', isReadOnly: true },
      { name: 'location', type: 'reference', description: 'Its address.', isReadOnly: true, caseExact: true },
      text('version', 'Its entity tag.', { isReadOnly: true, caseExact: true }),
    ],
    { isReadOnly: true },
  ),
];

const address = complex(
  'addresses',
  'Postal addresses.',
  [
    text('formatted', 'As it is written on a letter.'),
    text('streetAddress', 'Street and house.'),
    text('locality', 'Town.'),
    text('region', 'State or region.'),
    text('postalCode', 'Postal code.'),
    text('country', 'ISO 3166-1 alpha 2.'),
    text('type', 'What it is for.', { canonical: ['work', 'home', 'other'] }),
    primary,
  ],
  { isMulti: true },
);

const userSchema: Schema = {
  id: USER,
  name: 'User',
  description: 'A person.',
  attributes: [
    text('userName', 'What the person signs in with: lower case, unique in every tenant.', {
      isRequired: true,
      isUnique: true,
    }),
    complex('name', 'The parts of the name.', [
      text('formatted', 'The whole name.'),
      text('familyName', 'Family name.'),
      text('givenName', 'Given name.'),
      text('middleName', 'Middle name.'),
      text('honorificPrefix', 'Title.'),
      text('honorificSuffix', 'Suffix.'),
    ]),
    text('displayName', 'What others are shown.'),
    text('nickName', 'Casual name.'),
    { name: 'profileUrl', type: 'reference', description: 'A page about the person.' },
    text('title', 'Title at work.'),
    text('userType', 'How they belong to the organisation.'),
    text('preferredLanguage', 'RFC 9110 12.5.4.'),
    text('locale', 'RFC 5646.'),
    text('timezone', 'IANA time zone.'),
    { name: 'active', type: 'boolean', description: 'Whether the person may sign in.' },
    text('password', 'Chosen for the person; never told.', { isWriteOnly: true, caseExact: true }),
    plural('emails', 'E-mail addresses; the primary one is used.', ['work', 'home', 'other']),
    plural('phoneNumbers', 'Telephone numbers.', ['work', 'home', 'mobile', 'fax', 'pager', 'other']),
    plural('ims', 'Instant messaging.'),
    plural('photos', 'Addresses of pictures.', ['photo', 'thumbnail']),
    address,
    plural('entitlements', 'Kept as they are; they bring nothing here.'),
    complex(
      'groups',
      'Groups the person is in; changed at the groups.',
      [
        text('value', 'The group’s id.', { isReadOnly: true, caseExact: true }),
        { name: '$ref', type: 'reference', description: 'Its address.', isReadOnly: true, caseExact: true },
        text('display', 'Its name.', { isReadOnly: true }),
        text('type', 'Always direct.', { isReadOnly: true, canonical: ['direct'] }),
      ],
      { isMulti: true, isReadOnly: true },
    ),
  ],
};

const enterpriseSchema: Schema = {
  id: ENTERPRISE,
  name: 'EnterpriseUser',
  description: 'A person in an enterprise.',
  attributes: [
    text('employeeNumber', 'Number in the enterprise.'),
    text('costCenter', 'Cost centre.'),
    text('organization', 'Organisation.'),
    text('division', 'Division.'),
    text('department', 'Department.'),
    complex('manager', 'Whom the person reports to.', [
      text('value', 'The manager’s id.', { caseExact: true }),
      { name: '$ref', type: 'reference', description: 'The manager’s address.', caseExact: true },
      text('displayName', 'The manager’s name.', { isReadOnly: true }),
    ]),
  ],
};

const groupSchema: Schema = {
  id: GROUP,
  name: 'Group',
  description: 'People who have roles together.',
  attributes: [
    text('displayName', 'Unique in the tenant, whatever its case.', { isRequired: true, isUnique: true }),
    complex(
      'members',
      'People in the group.',
      [
        text('value', 'The person’s id.', { caseExact: true }),
        { name: '$ref', type: 'reference', description: 'The person’s address.', caseExact: true },
        text('display', 'The person’s name.'),
        text('type', 'Always User.', { canonical: ['User'] }),
      ],
      { isMulti: true },
    ),
  ],
};

export const userType: ResourceType = {
  name: 'User',
  endpoint: '/Users',
  description: 'People of the tenant.',
  core: userSchema,
  extensions: [enterpriseSchema],
};

export const groupType: ResourceType = {
  name: 'Group',
  endpoint: '/Groups',
  description: 'Groups of the tenant.',
  core: groupSchema,
  extensions: [],
};

export const SCHEMAS: readonly Schema[] = [userSchema, enterpriseSchema, groupSchema];
