/** GraphQL reference of a person or client; the authority resolves the other fields. */
export const userOf = (subject: string) => ({ __typename: 'User', id: subject }) as const;
