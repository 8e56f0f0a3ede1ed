import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeAuthority } from '@landfall/authority/testing/authority';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { testApp } from '@landfall/kernel/testing/app';
import type { Person } from '@landfall/kernel/testing/callers';
import { scimRoutes } from './scim.ts';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

const start = () => testApp({ createModule: makeAuthority, routes: scimRoutes });
let app: Awaited<ReturnType<typeof start>>;
before(async () => {
  app = await start();
});
after(() => app[Symbol.asyncDispose]());

interface Options {
  readonly body?: unknown;
  readonly as?: Person;
  readonly headers?: Readonly<Record<string, string>>;
}

const ask = async (method: string, path: string, { body, as = 'operator', headers = {} }: Options = {}) => {
  const response = await fetch(`${app.origin}/scim/v2${path}`, {
    method,
    headers: {
      'x-test-person': as,
      ...(body !== undefined && { 'content-type': 'application/scim+json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const answered = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text: answered,
    body: answered === '' ? undefined : JSON.parse(answered),
  };
};

const result = async (kind: 'Users' | 'Groups', body: Readonly<Record<string, unknown>>, as?: Person) => {
  const answer = await ask('POST', `/${kind}`, { body, ...(as && { as }) });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};

let serial = 0;
const someone = (overrides: Readonly<Record<string, unknown>> = {}) =>
  result('Users', { schemas: [USER], userName: `someone${serial++}@example.com`, ...overrides });

const patch = (path: string, Operations: readonly unknown[], options: Options = {}) =>
  ask('PATCH', path, { ...options, body: { schemas: [PATCH], Operations } });

const refused = (answer: Awaited<ReturnType<typeof ask>>, status: number, scimType?: string) => {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.headers.get('content-type'), 'application/scim+json');
  assert.deepEqual(answer.body.schemas, ['urn:ietf:params:scim:api:messages:2.0:Error']);
  assert.equal(answer.body.status, String(status));
  assert.equal(answer.body.scimType, scimType, answer.text);
};

test('a user is made, read, replaced and deleted as RFC 7644 3.3 to 3.6 have it', async () => {
  const created = await ask('POST', '/Users', {
    body: {
      schemas: [USER],
      userName: 'BJensen',
      externalId: 'bjensen',
      name: { formatted: 'Ms. Barbara J Jensen III', familyName: 'Jensen', givenName: 'Barbara' },
      password: 'correct horse battery',
    },
  });
  assert.equal(created.status, 201, created.text);
  assert.equal(created.headers.get('content-type'), 'application/scim+json');
  const { id, meta, ...rest } = created.body;
  assert.equal(created.headers.get('location'), meta.location);
  assert.equal(meta.location, `http://127.0.0.1:4000/scim/v2/Users/${id}`);
  assert.equal(created.headers.get('etag'), meta.version);
  assert.deepEqual(rest, {
    schemas: [USER],
    externalId: 'bjensen',
    userName: 'bjensen',
    displayName: 'Ms. Barbara J Jensen III',
    name: { formatted: 'Ms. Barbara J Jensen III', familyName: 'Jensen', givenName: 'Barbara' },
    active: true,
  });
  const read = await ask('GET', `/Users/${id}`);
  assert.deepEqual(read.body, created.body);
  const replaced = await ask('PUT', `/Users/${id}`, {
    body: {
      schemas: [USER],
      id,
      userName: 'bjensen',
      name: { familyName: 'Jensen', givenName: 'Barbara' },
      emails: [{ value: 'bjensen@example.com' }, { value: 'babs@jensen.org', primary: true }],
    },
  });
  assert.equal(replaced.status, 200, replaced.text);
  assert.equal(replaced.body.externalId, undefined);
  assert.equal(replaced.body.displayName, 'Barbara Jensen');
  assert.equal((await ask('DELETE', `/Users/${id}`)).status, 204);
  refused(await ask('GET', `/Users/${id}`), 404);
  refused(await ask('DELETE', `/Users/${id}`), 404);
  const repeated = await result('Users', { schemas: [USER], userName: 'bjensen' });
  assert.notEqual(repeated.id, id);
});

test('of eight who are made with one name at once one is', async () => {
  const body = { schemas: [USER], userName: 'raced@example.com' };
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask('POST', '/Users', { body })));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, ...Array(7).fill(409)]);
  for (const answer of answers.filter(({ status }) => status === 409)) refused(answer, 409, 'uniqueness');
});

const people = {
  a: {
    userName: 'filter-a@example.com',
    externalId: 'Ext-A',
    displayName: 'Ann',
    title: 'Tour Guide',
    userType: 'Employee',
    name: { familyName: "O'Malley", givenName: 'Ann' },
    emails: [
      { value: 'Ann@Example.com', type: 'work', primary: true },
      { value: 'ann@home.test', type: 'home' },
    ],
    [ENTERPRISE]: { employeeNumber: '701984', department: 'Tour Operations' },
  },
  b: {
    userName: 'filter-b@example.org',
    displayName: 'Bob \\ "the" builder%_',
    userType: 'Contractor',
    active: false,
    emails: [{ value: 'bob@home.test', type: 'home' }],
    ims: [{ value: 'bob@foo.com', type: 'xmpp' }],
  },
  c: { userName: 'filter-c@example.org', displayName: 'Cäcilie', emails: [{ value: 'c@example.org', type: 'work' }] },
};

/** People of the three that each filter finds. */
const FILTERS: readonly (readonly [filter: string, found: string])[] = [
  ['userName eq "filter-a@example.com"', 'a'],
  ['USERNAME Eq "FILTER-A@example.com"', 'a'],
  ['userName ne "filter-a@example.com"', 'bc'],
  [`name.familyName co "O'Malley"`, 'a'],
  ['userName sw "filter-"', 'abc'],
  [`${USER}:userName sw "FILTER-"`, 'abc'],
  ['userName ew ".org"', 'bc'],
  ['title pr', 'a'],
  ['not (title pr)', 'bc'],
  ['meta.lastModified gt "2011-05-13T04:42:34Z"', 'abc'],
  ['meta.lastModified ge "2011-05-13T04:42:34Z"', 'abc'],
  ['meta.lastModified lt "2011-05-13T04:42:34Z"', ''],
  ['meta.lastModified le "2011-05-13T04:42:34Z"', ''],
  ['meta.created lt "2999-01-01T01:00:00+01:00"', 'abc'],
  ['title pr and userType eq "Employee"', 'a'],
  ['title pr or userType eq "Intern"', 'a'],
  [`schemas eq "${ENTERPRISE}"`, 'a'],
  [`schemas eq "${USER}"`, 'abc'],
  ['userType eq "Employee" and (emails co "example.com" or emails.value co "example.org")', 'a'],
  ['userType ne "Employee" and not (emails co "example.com" or emails.value co "example.org")', 'b'],
  ['userType eq "Employee" and (emails.type eq "work")', 'a'],
  ['userType eq "Employee" and emails[type eq "work" and value co "@example.com"]', 'a'],
  ['emails[type eq "work" and value co "@example.com"] or ims[type eq "xmpp" and value co "@foo.com"]', 'ab'],
  ['emails[type eq "home" and value co "@example.com"]', ''],
  ['emails[not (type eq "work")]', 'ab'],
  ['emails[type ne "home"]', 'ac'],
  ['active eq true', 'ac'],
  ['active eq false', 'b'],
  ['active eq "False"', 'b'],
  ['externalId eq "Ext-A"', 'a'],
  ['externalId eq "ext-a"', ''],
  ['externalId pr', 'a'],
  ['externalId eq null', 'bc'],
  ['externalId ne null', 'a'],
  ['displayName eq "cäcilie"', 'c'],
  ['displayName eq "CÄCILIE"', 'c'],
  ['displayName eq "C\\u00e4cilie"', 'c'],
  ['displayName co "\\\\ \\"the\\""', 'b'],
  ['displayName co "%_"', 'b'],
  ['displayName co ".*"', ''],
  ['displayName ew "%_"', 'b'],
  ['displayName gt "bob"', 'bc'],
  [`${ENTERPRISE}:department eq "tour operations"`, 'a'],
  [`${ENTERPRISE}:employeeNumber pr`, 'a'],
  ['emails pr', 'abc'],
  ['ims pr', 'b'],
  ['groups pr', ''],
  ['title pr or userType eq "Contractor" and active eq true', 'a'],
  ['(title pr or userType eq "Contractor") and active eq false', 'b'],
];

test('every operator and example of RFC 7644 3.4.2.2 finds whom it says', async () => {
  const ids = new Map<string, string>();
  for (const [letter, person] of Object.entries(people))
    ids.set((await result('Users', { schemas: [USER, ENTERPRISE], ...person })).id, letter);
  for (const [filter, expected] of FILTERS) {
    const complete = `userName sw "filter-" and (${filter})`;
    const { status, body, text } = await ask('GET', `/Users?${new URLSearchParams({ filter: complete })}`);
    assert.equal(status, 200, `${filter}: ${text}`);
    const found = (body.Resources ?? [])
      .map(({ id }: { id: string }) => ids.get(id))
      .toSorted()
      .join('');
    assert.equal(found, expected, filter);
    assert.equal(body.totalResults, expected.length, filter);
  }
  assert.deepEqual(app.bugs, []);
});

const HOSTILE: readonly string[] = [
  '',
  'userName',
  'userName eq',
  'userName eq bjensen',
  'userName eq "a',
  'userName xx "a"',
  'nothing eq "a"',
  'name.nothing eq "a"',
  'urn:nothing:userName eq "a"',
  'password eq "correct horse battery"',
  'password pr',
  'active gt true',
  'active co "t"',
  'active eq 7',
  'userName eq 7',
  'name eq "a"',
  'userName[value eq "a"]',
  'meta.created gt "yesterday"',
  'userName eq "a" and',
  'userName eq "a" or or userName eq "b"',
  ')',
  'emails[type eq "work"',
  'userName eq "\\u0000"',
  'userName eq "\\ud800"',
  "userName eq 'a'",
  'userName eq "a"; drop table authority.users',
  `${'('.repeat(900)}userName pr${')'.repeat(900)}`,
  `${'not '.repeat(400)}(userName pr)`,
  `${'not('.repeat(300)}userName pr${')'.repeat(300)}`,
  Array.from({ length: 150 }, () => 'title pr').join(' or '),
  `userName eq "${'a'.repeat(3_000)}"`,
  Array.from({ length: 17 }, (_, i) => `title co "${i}"`).join(' or '),
  `userName co "${'('.repeat(50)}" and ${'['.repeat(40)}`,
];

test('a filter that cannot be is 400 invalidFilter, at once, and never a failure of ours', async () => {
  for (const filter of HOSTILE) {
    const began = performance.now();
    refused(await ask('GET', `/Users?${new URLSearchParams({ filter })}`), 400, 'invalidFilter');
    assert.ok(performance.now() - began < 1_000, filter);
  }
  for (const text of ['(a+)+$', '[[[', '\\\\', '^.*$', "'; --", '\\n', '\\t"'])
    assert.ok(
      [200, 400].includes(
        (await ask('GET', `/Users?${new URLSearchParams({ filter: `userName co "${text}"` })}`)).status,
      ),
    );
  assert.deepEqual(app.bugs, []);
});

test('pages count from 1, hold 200 at most, and are sorted as asked', async () => {
  for (const letter of ['q', 'p', 'r'])
    await result('Users', { schemas: [USER], userName: `page-${letter}@example.com`, nickName: letter.toUpperCase() });
  const page = async (overrides: Record<string, string>) => {
    const { body } = await ask('GET', `/Users?${new URLSearchParams({ filter: 'userName sw "page-"', ...overrides })}`);
    return [
      body.totalResults,
      body.startIndex,
      body.itemsPerPage,
      (body.Resources ?? []).map(({ nickName }: { nickName: string }) => nickName).join(''),
    ];
  };
  assert.deepEqual(await page({ sortBy: 'nickName' }), [3, 1, 3, 'PQR']);
  assert.deepEqual(await page({ sortBy: `${USER}:nickName`, sortOrder: 'descending' }), [3, 1, 3, 'RQP']);
  assert.deepEqual(await page({ sortBy: 'nickName', startIndex: '2', count: '1' }), [3, 2, 1, 'Q']);
  assert.deepEqual(await page({ count: '0' }), [3, 1, 0, '']);
  assert.deepEqual(await page({ sortBy: 'nickName', startIndex: '-4', count: '-1' }), [3, 1, 0, '']);
  assert.deepEqual(await page({ sortBy: 'nickName', startIndex: '900000', count: '900000' }), [3, 900000, 0, '']);
  refused(await ask('GET', '/Users?startIndex=one'), 400, 'invalidValue');
  refused(await ask('GET', '/Users?count=1&count=2'), 400, 'invalidValue');
  refused(await ask('GET', '/Users?sortBy=nothing'), 400, 'invalidValue');
});

test('attributes and excludedAttributes say what an answer has, in a query and in /.search', async () => {
  const { id } = await someone({
    displayName: 'Ann',
    emails: [{ value: 'a@example.com', type: 'work' }],
    title: 'Guide',
  });
  const selected = await ask('GET', `/Users/${id}?attributes=emails.value,TITLE`);
  assert.deepEqual(selected.body, { schemas: [USER], id, emails: [{ value: 'a@example.com' }], title: 'Guide' });
  const excluded = await ask('GET', `/Users/${id}?excludedAttributes=emails,meta,id,userName,${USER}:active`);
  assert.deepEqual(excluded.body, { schemas: [USER], id, displayName: 'Ann', title: 'Guide' });
  const search = await ask('POST', '/Users/.search', {
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
      attributes: ['displayName'],
      filter: `id eq "${id}"`,
      startIndex: 1,
      count: 10,
    },
  });
  assert.equal(search.status, 200, search.text);
  assert.deepEqual(search.body.Resources, [{ schemas: [USER], id, displayName: 'Ann' }]);
});

test('an answer is new only to who has another version, and a change is refused to who saw another', async () => {
  const { id, meta } = await someone();
  const cached = await ask('GET', `/Users/${id}`, { headers: { 'if-none-match': meta.version } });
  assert.equal(cached.status, 304);
  const operations = [{ op: 'replace', path: 'title', value: 'Guide' }];
  const changed = await patch(`/Users/${id}`, operations, { headers: { 'if-match': meta.version } });
  assert.equal(changed.status, 200);
  assert.notEqual(changed.headers.get('etag'), meta.version);
  for (const [method, body] of [
    ['PATCH', { schemas: [PATCH], Operations: operations }],
    ['PUT', { schemas: [USER], userName: 'late' }],
    ['DELETE', undefined],
  ] as const)
    refused(await ask(method, `/Users/${id}`, { body, headers: { 'if-match': meta.version } }), 412);
  const any = await patch(`/Users/${id}`, operations, { headers: { 'if-match': '"0", *' } });
  assert.equal(any.status, 412);
  assert.equal((await patch(`/Users/${id}`, operations, { headers: { 'if-match': '*' } })).status, 200);
});

type Part = Readonly<Record<string, unknown>>;
const WORK = { value: 'w@example.com', type: 'work', primary: true };
const HOME = { value: 'h@example.com', type: 'home' };

/** Attributes after a PATCH: examples of RFC 7644 3.5.2, and what Entra and Okta send. */
const PATCHES: readonly (readonly [what: string, before: Part, operations: readonly Part[], after: Part])[] = [
  ['add with a path', {}, [{ op: 'add', path: 'nickName', value: 'Babs' }], { nickName: 'Babs' }],
  [
    'add without a path',
    {},
    [{ op: 'add', value: { emails: [{ value: 'babs@jensen.org', type: 'home' }], nickname: 'Babs' } }],
    { emails: [{ value: 'babs@jensen.org', type: 'home' }], nickName: 'Babs' },
  ],
  [
    'add appends to several values',
    { emails: [WORK] },
    [{ op: 'add', path: 'emails', value: [HOME] }],
    { emails: [WORK, HOME] },
  ],
  [
    'add of what is there adds nothing',
    { emails: [WORK] },
    [{ op: 'add', path: 'emails', value: [WORK] }],
    { emails: [WORK] },
  ],
  [
    'a new primary value takes the place of the one before',
    { emails: [WORK] },
    [{ op: 'add', path: 'emails', value: [{ ...HOME, primary: true }] }],
    {
      emails: [
        { ...WORK, primary: false },
        { ...HOME, primary: true },
      ],
    },
  ],
  [
    'add to a complex value keeps its other parts',
    { name: { familyName: 'Jensen' } },
    [{ op: 'add', path: 'name', value: { givenName: 'Barbara' } }],
    { name: { familyName: 'Jensen', givenName: 'Barbara' } },
  ],
  [
    'remove of a whole attribute',
    { emails: [WORK], title: 'Guide' },
    [{ op: 'remove', path: 'title' }],
    { emails: [WORK], title: undefined },
  ],
  [
    'remove by a value filter',
    { emails: [WORK, HOME] },
    [{ op: 'remove', path: 'emails[type eq "work" and value ew "example.com"]' }],
    { emails: [HOME] },
  ],
  [
    'remove of a part',
    { name: { familyName: 'Jensen', givenName: 'Barbara' } },
    [{ op: 'remove', path: 'name.givenName' }],
    { name: { familyName: 'Jensen' } },
  ],
  [
    'replace of several values',
    { emails: [WORK] },
    [{ op: 'replace', path: 'emails', value: [HOME] }],
    { emails: [HOME] },
  ],
  [
    'replace of what a filter chooses',
    {
      addresses: [
        { type: 'work', region: 'CA', country: 'US' },
        { type: 'home', region: 'NY' },
      ],
    },
    [
      {
        op: 'replace',
        path: 'addresses[type eq "work"]',
        value: { type: 'work', streetAddress: '911 Universal City Plaza', locality: 'Hollywood' },
      },
    ],
    {
      addresses: [
        { type: 'work', streetAddress: '911 Universal City Plaza', locality: 'Hollywood' },
        { type: 'home', region: 'NY' },
      ],
    },
  ],
  [
    'replace of a part of what a filter chooses',
    {
      addresses: [
        { type: 'work', streetAddress: 'Old' },
        { type: 'home', streetAddress: 'There' },
      ],
    },
    [{ op: 'replace', path: 'addresses[type eq "work"].streetAddress', value: '1010 Broadway Ave' }],
    {
      addresses: [
        { type: 'work', streetAddress: '1010 Broadway Ave' },
        { type: 'home', streetAddress: 'There' },
      ],
    },
  ],
  [
    'replace without a path keeps what is not named',
    { emails: [WORK], nickName: 'Babs', title: 'Guide' },
    [{ op: 'replace', value: { emails: [HOME], nickName: 'B' } }],
    { emails: [HOME], nickName: 'B', title: 'Guide' },
  ],
  ['a URN names an attribute', {}, [{ op: 'add', path: `${USER}:title`, value: 'Guide' }], { title: 'Guide' }],
  ['Entra: op in capitals', {}, [{ op: 'Add', path: 'title', value: 'Guide' }], { title: 'Guide' }],
  ['Entra: active is a text', { active: true }, [{ op: 'Replace', path: 'active', value: 'False' }], { active: false }],
  ['Entra: and back', { active: false }, [{ op: 'Replace', path: 'active', value: 'True' }], { active: true }],
  [
    'Entra: an e-mail to who has none',
    {},
    [{ op: 'Add', path: 'emails[type eq "work"].value', value: 'n@example.com' }],
    { emails: [{ type: 'work', value: 'n@example.com' }] },
  ],
  [
    'Entra: paths as names of a value',
    { name: { familyName: 'Jensen' } },
    [
      {
        op: 'Replace',
        value: { 'name.givenName': 'Barbara', displayName: 'Babs', [`${ENTERPRISE}:department`]: 'Tours' },
      },
    ],
    {
      name: { familyName: 'Jensen', givenName: 'Barbara' },
      displayName: 'Babs',
      [ENTERPRISE]: { department: 'Tours' },
    },
  ],
  [
    'Entra: the manager as a text',
    {},
    [{ op: 'Add', path: `${ENTERPRISE}:manager`, value: '26118915' }],
    { [ENTERPRISE]: { manager: { value: '26118915' } } },
  ],
  [
    'an extension as one object',
    { [ENTERPRISE]: { costCenter: '4130' } },
    [{ op: 'add', value: { [ENTERPRISE]: { employeeNumber: '7' } } }],
    { [ENTERPRISE]: { costCenter: '4130', employeeNumber: '7' } },
  ],
  [
    'an extension goes whole',
    { [ENTERPRISE]: { costCenter: '4130' } },
    [{ op: 'remove', path: ENTERPRISE }],
    { [ENTERPRISE]: undefined },
  ],
  ['Okta: deactivation', { active: true }, [{ op: 'replace', value: { active: false } }], { active: false }],
];

test('PATCH makes of a user what RFC 7644 3.5.2, Entra and Okta mean', async () => {
  for (const [label, input, operations, expected] of PATCHES) {
    const { id } = await someone(input);
    const answer = await patch(`/Users/${id}`, operations);
    assert.equal(answer.status, 200, `${label}: ${answer.text}`);
    const { body } = await ask('GET', `/Users/${id}`);
    for (const [name, value] of Object.entries(expected)) assert.deepEqual(body[name], value, label);
    assert.deepEqual(answer.body, body, label);
  }
  assert.deepEqual(app.bugs, []);
});

const BAD_PATCHES: readonly (readonly [scimType: string, operations: unknown])[] = [
  ['invalidSyntax', undefined],
  ['invalidSyntax', []],
  ['invalidSyntax', 'add'],
  ['invalidSyntax', ['add']],
  ['invalidSyntax', [{ op: 'move', path: 'title', value: 'x' }]],
  ['invalidPath', [{ op: 'add', path: 7, value: 'x' }]],
  ['invalidPath', [{ op: 'add', path: 'nothing', value: 'x' }]],
  ['invalidPath', [{ op: 'add', path: '__proto__.polluted', value: 'x' }]],
  ['invalidPath', [{ op: 'add', value: { nothing: 'x' } }]],
  ['invalidPath', [{ op: 'add', path: 'title[value eq "x"]', value: 'x' }]],
  ['invalidPath', [{ op: 'add', path: 'emails]type[', value: 'x' }]],
  ['invalidFilter', [{ op: 'remove', path: 'emails[type eq]' }]],
  ['invalidFilter', [{ op: 'remove', path: `emails[${'('.repeat(500)}type pr]` }]],
  ['noTarget', [{ op: 'remove' }]],
  ['noTarget', [{ op: 'replace', path: 'emails[type eq "work"].value', value: 'a@example.com' }]],
  ['invalidValue', [{ op: 'add', path: 'title' }]],
  ['invalidValue', [{ op: 'add', value: 'title' }]],
  ['invalidValue', [{ op: 'add', path: 'title', value: 7 }]],
  ['invalidValue', [{ op: 'add', path: 'active', value: 'perhaps' }]],
  ['invalidValue', [{ op: 'replace', path: 'userName', value: 'Not A Name!' }]],
  ['invalidValue', [{ op: 'add', path: 'title', value: 'x'.repeat(3_000) }]],
  ['invalidValue', [{ op: 'add', path: 'emails', value: Array(101).fill({ value: 'a@example.com' }) }]],
  ['invalidValue', [{ op: 'add', path: 'password', value: 'short' }]],
  ['mutability', [{ op: 'replace', path: 'id', value: 'x' }]],
  ['mutability', [{ op: 'add', path: 'groups', value: [{ value: 'x' }] }]],
  ['mutability', [{ op: 'replace', path: 'meta.version', value: 'x' }]],
  ['mutability', [{ op: 'remove', path: 'userName' }]],
];

test('a PATCH that cannot be says why in the words of RFC 7644 3.12, and changes nothing', async () => {
  const { id, meta } = await someone({ title: 'Guide' });
  for (const [scimType, Operations] of BAD_PATCHES) {
    const complete = [{ op: 'add', path: 'nickName', value: 'half' }];
    const all = Array.isArray(Operations) && Operations.length > 0 ? [...complete, ...Operations] : Operations;
    refused(await ask('PATCH', `/Users/${id}`, { body: { schemas: [PATCH], Operations: all } }), 400, scimType);
  }
  const { body } = await ask('GET', `/Users/${id}`);
  assert.deepEqual([body.meta.version, body.nickName], [meta.version, undefined]);
  assert.deepEqual(app.bugs, []);
});

test('what is no user is refused in words, and never a failure of ours', async () => {
  const bodies: readonly unknown[] = [
    '{"schemas":',
    '[]',
    '"text"',
    {},
    { schemas: [USER] },
    { schemas: [GROUP], userName: 'wrong.kind' },
    { schemas: [USER], userName: 7 },
    { schemas: [USER], userName: 'a b' },
    { schemas: [USER], userName: 'x', emails: [{ value: 'nowhere' }] },
    { schemas: [USER], userName: 'two.primaries', emails: [{ ...WORK }, { ...HOME, primary: true }] },
    { schemas: [USER], userName: 'short.password', password: 'short' },
    { schemas: [USER], userName: 'nul', title: 'a\0b' },
    { schemas: [USER], userName: 'half', title: '\ud800' },
    { schemas: [USER], userName: 'name.is.text', name: 'text' },
    { schemas: [USER], userName: 'big', entitlements: Array(60).fill({ value: 'x'.repeat(1_900) }) },
  ];
  for (const body of bodies)
    assert.equal((await ask('POST', '/Users', { body })).status, 400, JSON.stringify(body)?.slice(0, 90));
  refused(await ask('GET', '/Users/no-id-at-all'), 404);
  refused(await ask('GET', '/Groups/00000000-0000-7000-8000-0000000000ee'), 404);
  refused(await ask('GET', '/Users', { as: 'viewer' }), 403);
  refused(await ask('POST', '/Users', { body: { schemas: [USER], userName: 'not.mine' }, as: 'nobody' }), 403);
  const unrelated = await fetch(`${app.origin}/scim/v2/Users`);
  assert.equal(unrelated.status, 401);
  assert.match(unrelated.headers.get('www-authenticate') ?? '', /^Bearer/);
  assert.deepEqual(app.bugs, []);
});

test('groups are made, patched by Entra’s and Okta’s forms, and removed', async () => {
  const [ann, bob, cleo] = [await someone({ displayName: 'Ann' }), await someone(), await someone()];
  const group = await result('Groups', {
    schemas: [GROUP],
    displayName: 'Tour Guides',
    externalId: 'tg',
    members: [{ value: ann.id }],
  });
  const path = `/Groups/${group.id}`;
  const members = async () =>
    ((await ask('GET', path)).body.members ?? []).map(({ value }: { value: string }) => value).toSorted();
  assert.deepEqual(group.members, [{ value: ann.id, $ref: ann.meta.location, display: 'Ann', type: 'User' }]);
  const duplicated = [{ value: bob.id }, { value: cleo.id }, { value: ann.id }];
  assert.equal((await patch(path, [{ op: 'Add', path: 'members', value: duplicated }])).status, 200);
  assert.deepEqual(await members(), [ann.id, bob.id, cleo.id].toSorted());
  await patch(path, [{ op: 'Remove', path: 'members', value: [{ value: cleo.id }] }]);
  await patch(path, [{ op: 'remove', path: `members[value eq "${bob.id}"]` }]);
  assert.deepEqual(await members(), [ann.id]);
  const okta = await patch(path, [{ op: 'replace', value: { id: group.id, displayName: 'Guides' } }]);
  assert.deepEqual([okta.status, okta.body.displayName], [200, 'Guides']);
  assert.deepEqual(
    (await ask('GET', `/Users/${ann.id}`)).body.groups.map(({ display }: { display: string }) => display),
    ['Guides'],
  );
  const found = await ask(
    'GET',
    `/Groups?${new URLSearchParams({ filter: `members[value eq "${ann.id}"]`, excludedAttributes: 'members' })}`,
  );
  assert.deepEqual([found.body.totalResults, found.body.Resources[0].members], [1, undefined]);
  const other = await ask('GET', `/Users?${new URLSearchParams({ filter: `groups.value eq "${group.id}"` })}`);
  assert.equal(other.body.totalResults, 1);
  refused(await patch(path, [{ op: 'add', path: 'members', value: [{ value: group.id }] }]), 400, 'invalidValue');
  refused(await patch(path, [{ op: 'add', path: 'members', value: [{ value: 'nobody' }] }]), 400, 'invalidValue');
  refused(await ask('POST', '/Groups', { body: { schemas: [GROUP], displayName: 'guides' } }), 409, 'uniqueness');
  await patch(path, [{ op: 'remove', path: 'members' }]);
  assert.deepEqual(await members(), []);
  assert.equal((await ask('DELETE', path)).status, 204);
  refused(await ask('GET', path), 404);
});

test('another tenant’s directory sees, changes and counts nothing', async () => {
  const ann = await someone();
  const team = await result('Groups', { schemas: [GROUP], displayName: 'Ours', members: [{ value: ann.id }] });
  const as = 'other-tenant';
  const all = await ask('GET', '/Users', { as });
  assert.deepEqual([all.status, all.body.totalResults], [200, 0]);
  for (const path of [`/Users/${ann.id}`, `/Groups/${team.id}`]) {
    refused(await ask('GET', path, { as }), 404);
    refused(await patch(path, [{ op: 'replace', path: 'displayName', value: 'Theirs' }], { as }), 404);
    refused(await ask('PUT', path, { as, body: { userName: 'theirs', displayName: 'Theirs' } }), 404);
    refused(await ask('DELETE', path, { as }), 404);
  }
  const userWithSameName = { schemas: [USER], userName: ann.userName };
  refused(await ask('POST', '/Users', { as, body: userWithSameName }), 409, 'uniqueness');
  refused(
    await ask('POST', '/Groups', { as, body: { schemas: [GROUP], displayName: 'Ours', members: [{ value: ann.id }] } }),
    400,
    'invalidValue',
  );
});

test('a directory’s stop is an administrator’s stop, and both are in the trail', async () => {
  const { id } = await someone();
  await patch(`/Users/${id}`, [{ op: 'Replace', path: 'active', value: 'False' }]);
  const stopped = await app.rows(
    table('stopped', { type: text }),
    sql`select e.type from kernel.events e join kernel.stopped s on s.id = e.entity_id
      where e.entity_id = ${id} order by e.id`,
  );
  assert.deepEqual(
    stopped.map(({ type }) => type),
    ['user.create', 'user.update', 'user.deactivate'],
  );
  assert.equal((await ask('GET', `/Users/${id}`)).body.active, false);
});

const versionOf = async (id: string): Promise<unknown> =>
  Object((await app.graph('query ($id: ID!) { user(id: $id) { version } }', { id })).data?.user).version;

/** Makes a person an administrator, as another administrator. */
const promote = async (id: string) => {
  const expectedVersion = await versionOf(id);
  const { errors } = await app.graph('mutation ($input: UpdateUserInput!) { updateUser(input: $input) { id } }', {
    input: { id, roles: ['admin'], expectedVersion },
  });
  assert.equal(errors, undefined);
};

test('a directory stops an administrator and becomes none: password, name and return are an administrator’s word', async () => {
  const as = 'directory';
  const [manager, other] = [await someone(), await someone()];
  await promote(manager.id);
  await promote(other.id);
  const path = `/Users/${manager.id}`;
  const word = { op: 'replace', path: 'password', value: 'another fine password' };
  const name = { op: 'replace', path: 'userName', value: 'renamed@example.com' };
  const bodies = [[word], [name], [{ op: 'replace', value: { password: 'another fine password' } }]];
  for (const operations of bodies) refused(await patch(path, operations, { as }), 403);
  const put = { schemas: [USER], userName: manager.userName, password: 'another fine password' };
  refused(await ask('PUT', path, { as, body: put }), 403);
  assert.equal((await ask('PUT', path, { as, body: { ...put, password: undefined, title: 'Chief' } })).status, 200);
  assert.equal((await patch(path, [{ op: 'replace', path: 'active', value: false }], { as })).status, 200);
  refused(await patch(path, [{ op: 'replace', path: 'active', value: true }], { as }), 403);
  assert.equal((await patch(path, [word, name, { op: 'replace', path: 'active', value: true }])).status, 200);
  const plain = await someone();
  assert.equal((await patch(`/Users/${plain.id}`, [word], { as })).status, 200);
  for (const { id } of [manager, other])
    assert.equal((await ask('DELETE', `/Users/${id}`)).status, id === manager.id ? 204 : 409);
});

const CREATE_GROUP = 'mutation ($input: CreateGroupInput!) { createGroup(input: $input) { id version } }';
const MAP_GROUP = 'mutation ($input: MapGroupRolesInput!) { mapGroupRoles(input: $input) { id } }';

const localGroup = async (displayName: string, overrides: object = {}) =>
  Object(
    (await app.graph(CREATE_GROUP, { input: { displayName, roles: ['viewer'], ...overrides } })).data?.createGroup,
  );

test('a directory changes the groups that it made or that are mapped to it by name, and no others', async () => {
  const as = 'directory';
  const { id } = await someone();
  const join = (group: string) =>
    patch(`/Groups/${group}`, [{ op: 'add', path: 'members', value: [{ value: id }] }], { as });
  for (const roles of [['admin', 'viewer'], ['viewer'], []]) {
    const group = await localGroup(`Local ${roles.join(' ')}`, { roles });
    refused(await join(group.id), 403);
    const body = { schemas: [GROUP], displayName: 'Taken over' };
    refused(await ask('PUT', `/Groups/${group.id}`, { as, body }), 403);
    refused(await ask('DELETE', `/Groups/${group.id}`, { as }), 403);
  }
  const mapped = await localGroup('Mapped by name');
  refused(await join(mapped.id), 403);
  const input = { id: mapped.id, roles: ['viewer'], sources: ['scim'], expectedVersion: mapped.version };
  assert.equal((await app.graph(MAP_GROUP, { input })).errors, undefined);
  assert.equal((await join(mapped.id)).status, 200);
  const own = await result('Groups', { schemas: [GROUP], displayName: 'Directory masters' }, as);
  const promoted = { id: own.id, roles: ['admin'], expectedVersion: 1 };
  assert.equal((await app.graph(MAP_GROUP, { input: promoted })).errors, undefined);
  assert.equal((await join(own.id)).status, 200);
});

const createdHere = async (username: string): Promise<{ readonly id: string }> => {
  const create = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }';
  const person = { username, displayName: 'Made Here', password: 'correct horse battery', roles: ['viewer'] };
  const { data, errors } = await app.graph(create, { input: person });
  assert.equal(errors, undefined);
  return Object(data?.createUser);
};

test('a directory sets no password of a person whom it did not make, renames none and lets none in again', async () => {
  const as = 'directory';
  const path = `/Users/${(await createdHere('made.here')).id}`;
  const password = 'another fine password';
  refused(await patch(path, [{ op: 'replace', path: 'password', value: password }], { as }), 403);
  refused(await patch(path, [{ op: 'replace', value: { password } }], { as }), 403);
  refused(await ask('PUT', path, { as, body: { schemas: [USER], userName: 'made.here', password } }), 403);
  refused(await patch(path, [{ op: 'replace', path: 'userName', value: 'renamed' }], { as }), 403);
  assert.equal((await patch(path, [{ op: 'add', path: 'title', value: 'Guide' }], { as })).status, 200);
  refused(await patch(path, [{ op: 'replace', path: 'password', value: password }], { as }), 403);
  assert.equal((await patch(path, [{ op: 'replace', path: 'active', value: false }], { as })).status, 200);
  refused(await patch(path, [{ op: 'replace', path: 'active', value: true }], { as }), 403);
});

test('a directory takes nobody’s name by deleting and creating, and what it did not make comes back as it was', async () => {
  const as = 'directory';
  const [local, manager, other] = [await createdHere('head.of.releases'), await someone(), await someone()];
  for (const { id } of [manager, other]) await promote(id);
  const group = await localGroup('Heads', { members: [local.id] });
  for (const { id, userName } of [{ id: local.id, userName: 'head.of.releases' }, manager]) {
    assert.equal((await ask('DELETE', `/Users/${id}`, { as })).status, 204);
    refused(await ask('GET', `/Users/${id}`, { as }), 404);
    refused(await ask('POST', '/Users', { as, body: { schemas: [USER], userName } }), 409, 'uniqueness');
  }
  const stays = await app.rows(
    table('stays', { username: text, groupId: text }),
    sql`select u.username, m.group_id::text from authority.users u
      join authority.group_members m on m.tenant = u.tenant and m.user_id = u.id where u.id = ${local.id}`,
  );
  assert.deepEqual(stays, [{ username: 'head.of.releases', groupId: group.id }]);
  const types = await app.rows(
    table('types', { type: text }),
    sql`select type from kernel.events where entity_id = ${local.id} order by id`,
  );
  assert.deepEqual(
    types.map(({ type }) => type),
    ['user.create', 'user.update', 'user.deactivate'],
  );
  const expectedVersion = await versionOf(local.id);
  const back = 'mutation ($input: ReactivateUserInput!) { reactivateUser(input: $input) { active } }';
  assert.equal((await app.graph(back, { input: { id: local.id, expectedVersion } })).errors, undefined);
  assert.equal((await ask('GET', `/Users/${local.id}`, { as })).body.active, true);
  const own = await someone();
  assert.equal((await ask('DELETE', `/Users/${own.id}`, { as })).status, 204);
  await result('Users', { schemas: [USER], userName: own.userName }, as);
  assert.equal((await ask('DELETE', `/Users/${local.id}`)).status, 204);
  await result('Users', { schemas: [USER], userName: 'head.of.releases' });
});

test('a directory changes no e-mail or display name of a person whom it did not make', async () => {
  const as = 'directory';
  const path = `/Users/${(await createdHere('signs.releases')).id}`;
  const emails = [{ value: 'other@example.org', primary: true }];
  refused(await patch(path, [{ op: 'replace', path: 'emails', value: emails }], { as }), 403);
  refused(await patch(path, [{ op: 'replace', path: 'displayName', value: 'Another' }], { as }), 403);
  refused(await ask('PUT', path, { as, body: { schemas: [USER], userName: 'signs.releases', emails } }), 403);
  assert.equal((await patch(path, [{ op: 'replace', path: 'emails', value: emails }])).status, 200);
  const manager = await someone();
  await promote(manager.id);
  refused(await patch(`/Users/${manager.id}`, [{ op: 'replace', path: 'emails', value: emails }], { as }), 403);
});

test('a password that a directory sets keeps the rule of every password', async () => {
  const userName = 'long.user.name@example.com';
  const named = { schemas: [USER], userName, password: userName };
  refused(await ask('POST', '/Users', { body: named }), 400, 'invalidValue');
  const { id } = await result('Users', { ...named, password: 'another fine password' });
  const same = [{ op: 'replace', path: 'password', value: userName.toUpperCase() }];
  refused(await patch(`/Users/${id}`, same), 400, 'invalidValue');
  refused(await patch(`/Users/${id}`, [{ op: 'replace', path: 'password', value: 7 }]), 400, 'invalidValue');
});

test('what is too large or of another type is refused under one status, in the line and in the body', async () => {
  const big = JSON.stringify({ schemas: [USER], userName: 'big', title: 'x'.repeat(1_100_000) });
  refused(await ask('POST', '/Users', { body: big }), 413, 'invalidValue');
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  refused(await ask('POST', '/Users', { body: 'userName=ann', headers: form }), 415, 'invalidValue');
});

test('discovery says what there is, to anybody', async () => {
  for (const path of [
    '/ServiceProviderConfig',
    '/ResourceTypes',
    '/ResourceTypes/User',
    '/Schemas',
    `/Schemas/${USER}`,
  ]) {
    const response = await fetch(`${app.origin}/scim/v2${path}`);
    assert.equal(response.status, 200, path);
    assert.equal(response.headers.get('content-type'), 'application/scim+json');
  }
  const { body } = await ask('GET', '/ServiceProviderConfig');
  assert.deepEqual([body.patch.supported, body.bulk.supported, body.filter.maxResults], [true, false, 200]);
  for (const [method, path] of [
    ['GET', '/Me'],
    ['POST', '/Bulk'],
    ['POST', '/.search'],
  ] as const)
    refused(await ask(method, path, method === 'POST' ? { body: {} } : {}), 501);
});
