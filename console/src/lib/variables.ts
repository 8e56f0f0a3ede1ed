/** Variable in a component's environment: a plain value, or the reference of a secret that the agent resolves. */
export type Variable = { readonly name: string; readonly value: string | null; readonly secret: string | null };

/** Variable that is being written. `key` is its identity while its name changes. */
export type VariableRow = {
  readonly key: number;
  readonly name: string;
  readonly kind: 'value' | 'secret';
  readonly words: string;
};

export const rowsOf = (variables: readonly Variable[]): VariableRow[] =>
  variables.map(({ name, value, secret }, key) => ({
    key,
    name,
    kind: secret === null ? 'value' : 'secret',
    words: secret ?? value ?? '',
  }));

export const emptyRow = (rows: readonly VariableRow[]): VariableRow => ({
  key: Math.max(-1, ...rows.map(({ key }) => key)) + 1,
  name: '',
  kind: 'value',
  words: '',
});

/** Variables of the rows. Spaces around a plain value may be intended. */
export const variablesOf = (rows: readonly VariableRow[]): Variable[] =>
  rows.map(({ name, kind, words }) => ({
    name: name.trim(),
    value: kind === 'value' ? words : null,
    secret: kind === 'secret' ? words.trim() : null,
  }));

export type VariableChange = {
  readonly name: string;
  readonly kind: 'added' | 'changed' | 'removed';
  readonly before: Variable | undefined;
  readonly after: Variable | undefined;
};

/** Differences between two sets of variables, by name; unchanged ones are left out. */
export function changedVariables(before: readonly Variable[], after: readonly Variable[]): VariableChange[] {
  const [old, next] = [byName(before), byName(after)];
  const names = [...new Set([...old.keys(), ...next.keys()])].sort();
  return names.flatMap((name): VariableChange[] => {
    const [previous, is] = [old.get(name), next.get(name)];
    if (previous !== undefined && is !== undefined && previous.value === is.value && previous.secret === is.secret)
      return [];
    const kind = previous === undefined ? 'added' : is === undefined ? 'removed' : 'changed';
    return [{ name, kind, before: previous, after: is }];
  });
}

const byName = (variables: readonly Variable[]) => new Map(variables.map((variable) => [variable.name, variable]));
