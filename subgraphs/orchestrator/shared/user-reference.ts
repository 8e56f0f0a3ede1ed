/** A person or client as the graph refers to them: the authority knows the rest. */
export const userOf = (subject: string) => ({ __typename: 'User', id: subject }) as const;
