/** GraphQL reference of a person; the authority resolves the other fields. */
export const userOf = (subject: string) => ({ __typename: 'User', id: subject }) as const;
