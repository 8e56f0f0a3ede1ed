import Type from 'typebox';
import Value from 'typebox/value';

const created = Type.Object({ id: Type.String() });

const kinds = {
  user: { path: 'Users', nameOf: (userName: string) => ({ userName }), schema: 'User' },
  group: { path: 'Groups', nameOf: (displayName: string) => ({ displayName }), schema: 'Group' },
} as const;

/** Provisions the resource that a recorded request changes. @returns its id */
export const provision = async (
  { baseUrl, token }: { readonly baseUrl: string | undefined; readonly token: string | undefined },
  kind: keyof typeof kinds,
  name: string,
): Promise<string> => {
  const { path, nameOf, schema } = kinds[kind];
  const response = await fetch(`${baseUrl}/scim/v2/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
    body: JSON.stringify({ schemas: [`urn:ietf:params:scim:schemas:core:2.0:${schema}`], ...nameOf(name) }),
  });
  return Value.Parse(created, await response.json()).id;
};
